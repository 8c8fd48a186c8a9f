"""Kafka's own test vectors (`UtilsTest.testMurmur2`)."""

from __future__ import annotations

import pytest

from kmirror.wire.murmur2 import murmur2, partition_for_key


@pytest.mark.parametrize(
    ("data", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_hash(data: bytes, signed: int) -> None:
    """Java's result as an unsigned number."""
    assert murmur2(data) == signed & 0xFFFFFFFF


def test_partition() -> None:
    """The sign bit is masked, not negated (`Utils.toPositive`)."""
    assert partition_for_key(b"21", 25) == (-973932308 & 0x7FFFFFFF) % 25
    assert partition_for_key(b"abc", 25) == 479470107 % 25
