"""Records that say in which generation a copy is."""

from __future__ import annotations

import json

import pytest

from kmirror.wire.connect_offsets import decode
from kmirror.wire.copy_generations import CopyGeneration, decode_generation

RECORD = CopyGeneration(flow="A->B", topic="t", number=3)


def test_there_and_back() -> None:
    """It has the form of Connect's keys: a list of a connector and a map."""
    key, value = RECORD.encode()
    assert decode_generation(key, value) == RECORD
    assert json.loads(key) == ["kmirror-generations", {"flow": "A->B", "topic": "t"}]


def test_it_is_no_position() -> None:
    """Neither to an older kmirror, nor to MirrorMaker 2."""
    assert decode(*RECORD.encode()) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, None),
        (RECORD.encode()[0], None),
        (RECORD.encode()[0], b'{"generation":0}'),
        (b'["other",{"flow":"A->B","topic":"t"}]', RECORD.encode()[1]),
        (b'["MirrorSourceConnector",{"cluster":"A","partition":0,"topic":"t"}]', b'{"offset":3}'),
    ],
)
def test_what_is_none(key: bytes | None, value: bytes | None) -> None:
    """Others' records in the same topic."""
    assert decode_generation(key, value) is None
