"""What kmirror has committed for groups, as bytes."""

from __future__ import annotations

import pytest

from kmirror.model import Flow, TopicPartition
from kmirror.wire.written_offsets import (
    WrittenOffset,
    decode_written_offset,
    written_offset_key,
    written_offsets_topic,
)

WRITTEN = WrittenOffset(
    cluster="B", group="g ü", partition=TopicPartition("A.t", 3), offset=42, origin=40, at_ms=7
)


def test_golden_bytes() -> None:
    """Other versions read them, too."""
    key, value = WRITTEN.encode()
    assert key == rb'["B","g \u00fc","A.t",3]'
    assert value == b'{"at":42,"from":40,"ms":7}'
    assert key == written_offset_key("B", "g ü", TopicPartition("A.t", 3))
    assert decode_written_offset(key, value) == WRITTEN
    assert decode_written_offset(key, b'{"at":42,"from":40,"ms":7,"new":1}') == WRITTEN
    assert written_offsets_topic(Flow("A", "B")) == "__kmirror-groups-A-B"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, None),
        (WRITTEN.encode()[0], None),
        (WRITTEN.encode()[0], b"{}"),
        (WRITTEN.encode()[0], b'{"at":true,"from":40,"ms":7}'),
        (b'["B","g","A.t"]', WRITTEN.encode()[1]),
        (b"\xff", b"["),
    ],
)
def test_what_is_not_ours(key: bytes | None, value: bytes | None) -> None:
    """It says nothing."""
    assert decode_written_offset(key, value) is None
