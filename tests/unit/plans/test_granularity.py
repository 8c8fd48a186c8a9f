"""What the settings of a topic tell about its batches."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kmirror.plans.granularity import exceptions

PLAIN = {
    "message.timestamp.type": "CreateTime",
    "cleanup.policy": "delete",
    "max.message.bytes": "1048588",
    "compression.type": "producer",
}


@pytest.mark.parametrize("target", [PLAIN, {}])
def test_usual_topics_have_none(target: Mapping[str, str]) -> None:
    """Also when the copy does not exist yet, or nobody may see settings."""
    assert exceptions(PLAIN, target) == ()
    assert exceptions({}, {}) == ()


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ({"message.timestamp.type": "LogAppendTime"}, {}, "source broker's"),
        ({"cleanup.policy": "compact,delete"}, {}, "compaction"),
        ({"max.message.bytes": "2000000"}, {}, "above 1,048,588 bytes"),
        ({}, {"max.message.bytes": "1000"}, "above 1,000 bytes"),
        ({}, {"compression.type": "zstd"}, "again, with zstd"),
    ],
)
def test_each_reason(source: Mapping[str, str], target: Mapping[str, str], words: str) -> None:
    """In words, with the setting."""
    (said,) = exceptions(PLAIN | source, PLAIN | target)
    assert words in said
    assert next(iter(source | target)) in said


def test_several() -> None:
    """All of them are told."""
    source = PLAIN | {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}
    assert len(exceptions(source, PLAIN | {"compression.type": "lz4"})) == 3
