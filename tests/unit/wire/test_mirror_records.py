"""The bytes of heartbeats, checkpoints and offset syncs, as Kafka's own schemas make them."""

from __future__ import annotations

import pytest

from kmirror.model import TopicPartition
from kmirror.wire.mirror_records import (
    Checkpoint,
    Heartbeat,
    OffsetSync,
    decode_checkpoint,
    decode_heartbeat,
    decode_offset_sync,
)

SYNC = OffsetSync(partition=TopicPartition("t1", 3), upstream=100, downstream=200)
CHECKPOINT = Checkpoint(
    group="g1", partition=TopicPartition("A.t1", 3), upstream=100, downstream=200, metadata="m"
)
HEARTBEAT = Heartbeat(source="A", target="B", timestamp_ms=1_234_567_890)


def test_golden_bytes() -> None:
    """What MirrorMaker 2 writes."""
    assert [part.hex() for part in SYNC.encode()] == [
        "0002743100000003",
        "000000000000006400000000000000c8",
    ]
    assert [part.hex() for part in CHECKPOINT.encode()] == [
        "000267310004412e743100000003",
        "0000000000000000006400000000000000c800016d",
    ]
    assert [part.hex() for part in HEARTBEAT.encode()] == [
        "000141000142",
        "000000000000499602d2",
    ]


def test_they_are_read_back() -> None:
    """Also when a newer version has put more behind what is known."""
    key, value = SYNC.encode()
    assert decode_offset_sync(key, value) == SYNC
    assert decode_offset_sync(key + b"more", value + b"more") == SYNC
    assert decode_checkpoint(*CHECKPOINT.encode()) == CHECKPOINT
    assert decode_heartbeat(*HEARTBEAT.encode()) == HEARTBEAT


@pytest.mark.parametrize(
    "value", [None, b"", b"\0", b"\0\1" + bytes(30), b"\0\0\0", b"\xff\xff" + bytes(30)]
)
def test_garbage_is_none(value: bytes | None) -> None:
    """Anybody may write there; a version that is not ours is not guessed at."""
    assert decode_checkpoint(CHECKPOINT.encode()[0], value) is None
    assert decode_heartbeat(HEARTBEAT.encode()[0], value) is None
    assert decode_offset_sync(b"\xff\xffab", SYNC.encode()[1]) is None
    assert decode_offset_sync(SYNC.encode()[0], value and value[:2]) is None


def test_a_text_has_its_limit() -> None:
    """Its length has 15 bits."""
    with pytest.raises(ValueError, match="32767"):
        Heartbeat(source="x" * 32_768, target="B", timestamp_ms=0).encode()
