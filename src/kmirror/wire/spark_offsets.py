"""
Offsets as Spark Structured Streaming keeps them in a query's checkpoint.

`offsets/N` is what batch N reads up to (`OffsetSeqLog`): a line with the version, one with the
batch's metadata, then one for each source, `-` where a source has none. Kafka's source writes
`{"topic":{"0":12}}`, the next offset of each partition (`KafkaSourceOffset`). `sources/K/0` is what
the query began with: a zero byte, a line with the version, and the same JSON
(`KafkaSourceInitialOffsetWriter`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kmirror.errors import CheckpointUnreadable
from kmirror.model import TopicPartition

Offsets = Mapping[TopicPartition, int]

_VERSION = "v1"
_NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetLogEntry:
    """
    What one batch reads up to.

    Args:
        metadata: The batch's own line.
        sources: A line for each source.
    """

    metadata: str
    sources: tuple[str, ...]

    @property
    def kafka(self) -> Mapping[int, Offsets]:
        """The offsets of each source that is Kafka's, by its number."""
        found = ((number, kafka_offsets(line)) for number, line in enumerate(self.sources))
        return {number: offsets for number, offsets in found if offsets is not None}

    def with_kafka(self, offsets: Mapping[int, Offsets]) -> OffsetLogEntry:
        """Return the same with other offsets for some sources."""
        lines = list(self.sources)
        for number, each in offsets.items():
            lines[number] = kafka_json(each)
        return replace(self, sources=tuple(lines))

    def encode(self) -> str:
        """Return the file's text."""
        return "\n".join((_VERSION, self.metadata, *self.sources))


def decode_offset_log(text: str, place: str) -> OffsetLogEntry:
    """
    Read a file of the offset log.

    Args:
        text: The file.
        place: Its name, for messages.

    Raises:
        CheckpointUnreadable: It is none, or of a version that this is not written for.
    """
    version, *lines = text.split("\n")
    if version != _VERSION or not lines:
        raise CheckpointUnreadable(
            f"{place}: not an offset log of version 1, but begins with {version[:40]!r}",
            hint="give the folder that is the query's checkpointLocation",
        )
    return OffsetLogEntry(metadata=lines[0], sources=tuple(lines[1:]))


def kafka_offsets(line: str) -> Offsets | None:
    """Return the offsets of a source's line; `None` when the source is not Kafka's."""
    try:
        topics = json.loads(line) if line != _NONE else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(topics, dict) or not topics:
        return None
    found: dict[TopicPartition, int] = {}
    for topic, partitions in topics.items():
        if not isinstance(partitions, dict):
            return None
        for number, offset in partitions.items():
            if not number.isdigit() or type(offset) is not int:
                return None
            found[TopicPartition(topic, int(number))] = offset
    return found


def kafka_json(offsets: Offsets) -> str:
    """Return offsets as Spark's Kafka source writes them, and takes them as `startingOffsets`."""
    topics: dict[str, dict[str, int]] = {}
    for partition in sorted(offsets):
        topics.setdefault(partition.topic, {})[str(partition.partition)] = offsets[partition]
    return json.dumps(topics, separators=(",", ":"))


def decode_initial_offsets(data: bytes, place: str) -> Offsets | None:
    """
    Read what a source began with; `None` when the source is not Kafka's.

    Args:
        data: The file.
        place: Its name, for messages.

    Raises:
        CheckpointUnreadable: It is of a version that this is not written for.
    """
    version, newline, text = data.removeprefix(b"\0").decode(errors="replace").partition("\n")
    if not newline:
        return None
    if version != _VERSION:
        raise CheckpointUnreadable(f"{place}: initial offsets of version {version[:40]!r}, not v1")
    return kafka_offsets(text)


def encode_initial_offsets(offsets: Offsets) -> bytes:
    """Return the file of what a source began with."""
    return b"\0" + f"{_VERSION}\n{kafka_json(offsets)}".encode()
