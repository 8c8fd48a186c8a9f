"""Kafka's murmur2 and the partition that Java's default partitioner picks for a key."""

from __future__ import annotations

_SEED = 0x9747B28C
_MULTIPLIER = 0x5BD1E995
_UINT32 = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """
    Hash *data* as `org.apache.kafka.common.utils.Utils.murmur2` does.

    Returns:
        The hash as an unsigned 32-bit number.
    """
    length = len(data)
    hash_ = (_SEED ^ length) & _UINT32
    body = length & ~3
    for at in range(0, body, 4):
        word = int.from_bytes(data[at : at + 4], "little")
        word = (word * _MULTIPLIER) & _UINT32
        word ^= word >> 24
        word = (word * _MULTIPLIER) & _UINT32
        hash_ = ((hash_ * _MULTIPLIER) & _UINT32) ^ word
    if length > body:
        hash_ ^= int.from_bytes(data[body:], "little")
        hash_ = (hash_ * _MULTIPLIER) & _UINT32
    hash_ ^= hash_ >> 13
    hash_ = (hash_ * _MULTIPLIER) & _UINT32
    return hash_ ^ (hash_ >> 15)


def partition_for_key(key: bytes, partitions: int) -> int:
    """
    Pick the partition of a keyed record, as Java producers do.

    Args:
        key: The serialised key.
        partitions: How many partitions the topic has, at least 1.
    """
    assert partitions >= 1, "a topic has at least one partition"
    return (murmur2(key) & 0x7FFFFFFF) % partitions
