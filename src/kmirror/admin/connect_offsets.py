"""
The topic `mm2-offsets.<S>.internal` on the target: MirrorMaker 2's positions, and our second copy.
A Connect cluster has another one, which its source connectors share.

It is read once, at a start, to take over from MirrorMaker 2 or to survive the loss of the group's
own positions; it is written so that MirrorMaker 2 can take over from us. Our records carry the
header `kmirror`, which MirrorMaker 2 ignores: without it nobody could tell who copied last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from confluent_kafka import Message

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader, headers_of
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import TopicState
from kmirror.wire.connect_offsets import ConnectOffset, decode, encode_key, encode_value
from kmirror.wire.copy_generations import CopyGeneration, decode_generation
from kmirror.wire.murmur2 import partition_for_key

HEADER = "kmirror"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPosition:
    """
    The newest record of one key.

    Args:
        offset: The next source offset to copy.
        written_by_us: It carries our header.
    """

    offset: int
    written_by_us: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPositions:
    """
    What the whole topic says.

    Args:
        positions: The newest position of every key that was not reset.
        generations: In which generations copies of topics are, of any flow.
        ignored: Records that are neither.
    """

    positions: Mapping[ConnectOffset, StoredPosition]
    generations: tuple[CopyGeneration, ...] = ()
    ignored: int = 0


def read_connect_offsets(
    admin: ClusterAdmin,
    config: Mapping[str, Any],
    topic: str,
    *,
    cluster: str = "target",
    timeout_s: float = 60.0,
) -> StoredPositions:
    """
    Read the whole topic, up to its present end.

    Args:
        admin: The control plane of the cluster that has it, mostly the target.
        config: librdkafka settings for it.
        topic: The topic's name; one that does not exist holds nothing.
        cluster: The cluster as messages shall name it.
        timeout_s: How long a partition may give nothing.

    Raises:
        ClusterError: It could not be read to the end: nothing is known then.
    """
    state = admin.topic(topic)
    if state is None:
        return StoredPositions(positions={})
    positions: dict[ConnectOffset, StoredPosition] = {}
    generations: dict[bytes, CopyGeneration] = {}
    ignored = 0
    ranges = _ranges(admin, state, cluster, timeout_s)
    with RecordReader(config, cluster=f"{cluster}, topic {topic}", timeout_s=timeout_s) as reader:
        for batch in reader.batches_of(ranges):
            ignored += sum(not _take(message, positions, generations) for message in batch)
    return StoredPositions(
        positions=positions, generations=tuple(generations.values()), ignored=ignored
    )


def _ranges(
    admin: ClusterAdmin, state: TopicState, cluster: str, timeout_s: float
) -> dict[TopicPartition, tuple[int, int]]:
    tps = [TopicPartition(state.name, number) for number in range(state.partitions)]
    # An exactly-once MirrorMaker 2 that was killed may have left a transaction open.
    stable = stable_ends(admin, tps, timeout_s=timeout_s, clock=SystemClock())
    ends = stable.ends
    if stable.pending:
        raise ClusterUnavailable(f"{cluster}: a transaction is open on topic {state.name}")
    starts = admin.offsets(tps, "earliest", isolation="read_committed")
    missing = [str(tp) for tp in tps if tp not in starts or tp not in ends]
    if missing:
        # A partition that was skipped would look like one that holds no positions.
        raise ClusterUnavailable(f"{cluster}: no offsets yet of {', '.join(missing)}")
    return {tp: (starts[tp], ends[tp]) for tp in tps}


def _take(
    message: Message,
    positions: dict[ConnectOffset, StoredPosition],
    generations: dict[bytes, CopyGeneration],
) -> bool:
    """Let one record replace what was known for its key; tell whether it was one of ours."""
    key, value = message.key(), message.value()
    if (generation := decode_generation(key, value)) is not None:
        generations[key or b""] = generation
        return True
    record = decode(key, value)
    if record is None:
        return False
    if record.position is None:
        positions.pop(record.key, None)
    else:
        by_us = any(name == HEADER for name, _ in headers_of(message))
        positions[record.key] = StoredPosition(offset=record.position, written_by_us=by_us)
    return True


class ConnectOffsetsWriter(Connected):
    """
    Writes our second copy.

    Args:
        config: librdkafka settings for the cluster that has it.
        topic: The topic's name.
        partitions: How many partitions it has.
        generation: Our generation, for the header.
        cluster: The cluster as messages shall name it.
        timeout_s: Deadline of one `write`.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        topic: str,
        *,
        partitions: int,
        generation: int,
        cluster: str = "target",
        timeout_s: float = 60.0,
        clock: Clock | None = None,
    ) -> None:
        self._topic = topic
        self._partitions = partitions
        self._headers = ((HEADER, str(generation).encode()),)
        self._writer = InternalWriter(config, cluster=cluster, timeout_s=timeout_s, clock=clock)

    def write(self, positions: Iterable[tuple[ConnectOffset, int]]) -> None:
        """
        Write positions and wait until they are safe.

        Args:
            positions: Next source offsets by key; 0 removes a key's position.

        Raises:
            ClusterError: At least one was not written; writing all of them again does no harm.
        """
        self._writer.write(self._topic, starmap(self._record, positions))

    def _record(self, whose: ConnectOffset, position: int) -> InternalRecord:
        key = encode_key(whose)
        return InternalRecord(
            key=key,
            value=encode_value(position),
            partition=partition_for_key(key, self._partitions),
            headers=self._headers,
        )

    def close(self) -> None:
        """Let go of connections."""
        self._writer.close()
