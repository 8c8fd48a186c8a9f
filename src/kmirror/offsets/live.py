"""The exact offset maps of a flow's partitions while it runs: chunks from the topic, and tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kmirror.model import TopicPartition
from kmirror.offsets.exact import ExactMap, Gap, Pair, Tail
from kmirror.offsets.runs import RunArray
from kmirror.wire.offset_runs import Chunk, Run, decode_chunk

# Groups stay near each other mostly; a decoded chunk takes up to 24 KiB.
_DECODED_MAX = 256


@dataclass(frozen=True, slots=True)
class KeptChunk:
    """A chunk as its bytes; a `Stretch`."""

    start: int
    end: int
    key: bytes
    value: bytes

    @property
    def runs(self) -> RunArray:
        """What of it is on the target."""
        return _runs(self.key, self.value)


@lru_cache(_DECODED_MAX)
def _runs(key: bytes, value: bytes) -> RunArray:
    chunk = decode_chunk(key, value)
    assert chunk is not None, "it could be read when it came"
    return RunArray(chunk.runs)


class LiveMaps:
    """The offset maps of all partitions of a flow, by source partition."""

    def __init__(self) -> None:
        self._maps: dict[TopicPartition, ExactMap] = {}
        self._tails: dict[TopicPartition, Tail] = {}

    def add_chunk(self, chunk: Chunk, key: bytes, value: bytes) -> None:
        """Add a chunk that was read from the topic."""
        if not chunk.runs:
            return
        self._map(chunk.partition).add(KeptChunk(chunk.start, chunk.end, key, value))
        tail = self._tails.get(chunk.partition)
        if tail is not None and tail.end <= chunk.end:
            del self._tails[chunk.partition]  # all of it is written down

    def drop_chunk(self, partition: TopicPartition, start: int) -> None:
        """Forget a chunk that was deleted from the topic."""
        if partition in self._maps:
            self._maps[partition].drop_chunk(start)

    def add_copied(
        self, partition: TopicPartition, start: int, end: int, runs: Sequence[Run]
    ) -> None:
        """Add what a lane has committed: everything of the range, which may hold no record."""
        tail = self._tails.get(partition)
        if tail is not None and tail.start <= start and end <= tail.end:
            return  # told twice
        if tail is not None and tail.end == start:
            tail.append(end, runs)
            self._map(partition).grown(tail)
        elif (tail := self._new_tail(partition, start, runs)) is not None:
            tail.append(end, runs)
            self._tails[partition] = tail
            self._map(partition).add(tail)

    def _new_tail(self, partition: TopicPartition, start: int, runs: Sequence[Run]) -> Tail | None:
        """Begin a tail; `None` when nobody knows where that is on the target."""
        known = self._map(partition).end
        if known is not None and known.source == start:
            return Tail(known)
        return Tail(Pair(source=start, target=runs[0].target)) if runs else None

    def add_place(self, partition: TopicPartition, place: Pair) -> None:
        """Add a place that is known besides: a committed position."""
        self._map(partition).add(Tail(place))

    def drop_before(self, partition: TopicPartition, source: int, target: int) -> list[bytes]:
        """
        Forget chunks that lie before both offsets.

        Args:
            partition: The source partition.
            source: What it begins with.
            target: What its copy begins with.

        Returns:
            The chunks' keys.
        """
        known = self._maps.get(partition)
        dropped = [] if known is None else known.drop_before(source, target)
        return [stretch.key for stretch in dropped if isinstance(stretch, KeptChunk)]

    def forget(self, partition: TopicPartition) -> None:
        """Forget a partition: its topic is another one now."""
        self._maps.pop(partition, None)
        self._tails.pop(partition, None)

    def to_target(self, partition: TopicPartition, source: int) -> Pair | Gap:
        """Say where on the target one goes on who has everything before *source*."""
        known = self._maps.get(partition)
        return Gap(before=None, after=None) if known is None else known.to_target(source)

    def to_source(self, partition: TopicPartition, target: int) -> Pair | Gap:
        """Say where in the source one goes on who has everything before *target*."""
        known = self._maps.get(partition)
        return Gap(before=None, after=None) if known is None else known.to_source(target)

    def _map(self, partition: TopicPartition) -> ExactMap:
        return self._maps.setdefault(partition, ExactMap())
