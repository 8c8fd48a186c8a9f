"""
Records of a Connect cluster's `offset.storage.topic`, of any source connector.

Key: the JSON array `[connector, partition]`; value: the offset there. Both are JSON objects of the
connector's own words. Connect looks a position up by the bytes of its key.
Source: `OffsetStorageWriter`, `OffsetUtils` and `KafkaOffsetBackingStore` of Kafka 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.wire.connect_json import (
    Damaged,
    JsonValue,
    fields_of,
    in_java_order,
    kind_of,
    read,
    written,
)
from kmirror.wire.connect_nouns import Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOffset:
    """
    Where a source connector is in one of its partitions.

    Args:
        connector: Its name.
        partition: Which, in its own words.
        offset: Where, in its own words; `None` forgets it.
    """

    connector: str
    partition: Mapping[str, JsonValue]
    offset: Mapping[str, JsonValue] | None

    def encode(self) -> tuple[bytes, bytes | None]:
        """Return key and value, byte for byte as Connect writes them."""
        return source_key(self.connector, self.partition), source_value(self.offset)


def source_key(connector: str, partition: Mapping[str, JsonValue]) -> bytes:
    """Return the key of a partition, byte for byte as Connect writes it."""
    return written([connector, in_java_order(partition)])


def source_value(offset: Mapping[str, JsonValue] | None) -> bytes | None:
    """Return the value of an offset; none is a tombstone."""
    return None if offset is None else written(in_java_order(offset))


def decode_source_offset(key: bytes | None, value: bytes | None) -> SourceOffset | Unreadable:
    """Read one record of the topic; what Connect would pass over is `Unreadable`."""
    try:
        connector, partition = _names(read(key))
        # A reset may also lie there as the JSON `null`.
        stored = read(value)
        offset = None if stored is None else fields_of(stored)
    except Damaged as error:
        return Unreadable(key=(key or b"").decode(errors="replace"), reason=str(error))
    return SourceOffset(connector=connector, partition=partition, offset=offset)


def _names(key: JsonValue) -> tuple[str, dict[str, JsonValue]]:
    match key:
        case [str(connector), dict(partition)]:
            return connector, partition
        case [str(), partition]:
            raise Damaged(f"expected a partition as a JSON object, not {kind_of(partition)}")
    raise Damaged("expected a key that is a connector's name and a partition")
