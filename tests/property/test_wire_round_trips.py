"""What is written is read back, whatever it is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.wire.connect_offsets import (
    ConnectOffset,
    ConnectPosition,
    decode,
    encode_key,
    encode_value,
)
from kmirror.wire.murmur2 import partition_for_key
from kmirror.wire.position import Owner, PositionMetadata, decode_owner, decode_position

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
counts = st.integers(0, 2**62)

connect_offsets = st.builds(
    ConnectOffset,
    connector=names,
    cluster=names,
    topic=names,
    partition=st.integers(0, 2**31 - 1),
)


@settings(deadline=None)  # a busy machine is no failure
@given(connect_offsets, st.integers(1, 2**63 - 1))
def test_connect_positions(key: ConnectOffset, position: int) -> None:
    """Any alias, any topic."""
    assert decode(encode_key(key), encode_value(position)) == ConnectPosition(
        key=key, position=position
    )


@settings(deadline=None)  # a busy machine is no failure
@given(st.none() | st.binary(max_size=200), st.none() | st.binary(max_size=200))
def test_garbage_never_raises(key: bytes | None, value: bytes | None) -> None:
    """Anybody may write to the topic."""
    assert decode(key, value) is None or key is not None


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.builds(
        PositionMetadata,
        target_offset=counts,
        topic_id=st.none() | names.filter(bool),
        source_epoch=st.none() | st.integers(0, 2**31 - 1),
        target_epoch=st.none() | st.integers(0, 2**31 - 1),
        lost_from=st.none() | st.integers(0, 2**63 - 1),
        target_recreated=st.booleans(),
        target_id=st.none() | names.filter(bool),
    )
)
def test_position_metadata(metadata: PositionMetadata) -> None:
    """The text holds everything."""
    assert decode_position(metadata.encode()) == metadata


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.builds(
        Owner,
        driver=names.filter(bool),
        host=names.filter(bool),
        pid=counts,
        started_ms=counts,
        slots=counts,
    )
)
def test_owner(owner: Owner) -> None:
    """The text holds everything."""
    assert decode_owner(owner.encode()) == owner


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any tool may set a group's offsets."""
    decode_position(text)
    decode_owner(text)


@settings(deadline=None)  # a busy machine is no failure
@given(st.binary(max_size=64), st.integers(1, 1000))
def test_partitions_exist(key: bytes, partitions: int) -> None:
    """Every key has a partition that the topic has."""
    assert 0 <= partition_for_key(key, partitions) < partitions
