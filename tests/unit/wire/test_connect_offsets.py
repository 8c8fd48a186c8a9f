"""MirrorMaker 2's offsets records, byte for byte."""

from __future__ import annotations

import pytest

from kmirror.wire.connect_offsets import (
    ConnectOffset,
    ConnectPosition,
    decode,
    encode_key,
    encode_value,
)

KEY = ConnectOffset(connector="MirrorSourceConnector", cluster="A", topic="t1", partition=0)
KEY_BYTES = b'["MirrorSourceConnector",{"cluster":"A","partition":0,"topic":"t1"}]'


def test_golden_bytes() -> None:
    """These are the bytes that Connect's converter writes."""
    assert encode_key(KEY) == KEY_BYTES
    assert encode_value(42) == b'{"offset":41}'


def test_the_value_holds_the_last_copied_offset() -> None:
    """A position is one more."""
    assert decode(KEY_BYTES, b'{"offset":41}') == ConnectPosition(key=KEY, position=42)


@pytest.mark.parametrize("position", [None, 0])
def test_nothing_copied_is_a_tombstone(position: int | None) -> None:
    """Connect has no offset before the first one."""
    assert encode_value(position) is None


@pytest.mark.parametrize("value", [None, b"null", b" null "])
def test_resets(value: bytes | None) -> None:
    """A tombstone, or what Connect's REST interface leaves, removes the position."""
    assert decode(KEY_BYTES, value) == ConnectPosition(key=KEY, position=None)


def test_key_order_and_spaces_do_not_matter_to_the_reader() -> None:
    """Another Java version may order its maps otherwise."""
    key = b'[ "MirrorSourceConnector", {"topic": "t1", "cluster": "A", "partition": 0} ]'
    assert decode(key, b'{"offset": 0, "more": 1}') == ConnectPosition(key=KEY, position=1)


@pytest.mark.parametrize(
    "key",
    [
        None,
        b"",
        b"\xff\xfe",
        b"rubbish",
        b"[" * 100_000,
        b'{"cluster":"A"}',
        b'["MirrorSourceConnector"]',
        b'[1,{"cluster":"A","partition":0,"topic":"t1"}]',
        b'["MirrorCheckpointConnector",{"partition":0,"topic":"A.t1","group":"g1"}]',
        b'["MirrorHeartbeatConnector",{"sourceClusterAlias":"A","targetClusterAlias":"B"}]',
        b'["MirrorSourceConnector",{"cluster":"A","partition":-1,"topic":"t1"}]',
        b'["MirrorSourceConnector",{"cluster":"A","partition":true,"topic":"t1"}]',
        b'["MirrorSourceConnector",{"cluster":"A","partition":2147483648,"topic":"t1"}]',
        b'["MirrorSourceConnector",{"cluster":1,"partition":0,"topic":"t1"}]',
    ],
)
def test_foreign_keys_are_skipped(key: bytes | None) -> None:
    """Other connectors' records, and anybody's garbage."""
    assert decode(key, b'{"offset":1}') is None


@pytest.mark.parametrize(
    "value", [b"", b"7", b'{"offset":-1}', b'{"offset":1.5}', b'{"offset":true}', b"{}", b"\xff"]
)
def test_foreign_values_are_skipped(value: bytes) -> None:
    """A damaged value is no position."""
    assert decode(KEY_BYTES, value) is None
