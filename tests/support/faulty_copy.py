"""A copy with single faults in it, beside an offset map and a position that know of none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import consumer, producer
from kmirror_lab.cluster.cluster import Cluster

from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.clock import SystemClock
from kmirror.config.load import load
from kmirror.ends.clients import FlowClients, open_clients
from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import offset_map_topic, position_group
from kmirror.wire.offset_runs import Chunk, Run, encode_chunk
from kmirror.wire.position import PositionMetadata
from kmirror.wire.topic_ids import topic_id_of

_CHUNK = 65_536
_FLUSH_S = 120
_AT_MS = SystemClock().wall_ms() - 3_600_000


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to the record of one source offset."""

    kind: Literal["flip", "drop", "double", "reorder"]
    offset: int


def write_source(cluster: Cluster, topic: str, count: int) -> None:
    """Write records, each different from all others."""
    _write(cluster, topic, range(count), ())


def write_faulty_copy(
    file: Path, target: Cluster, topic: str, count: int, faults: Sequence[Fault]
) -> None:
    """
    Write the copy of *topic* as the only flow of *file* would have it, but for faults.

    Args:
        file: The properties file.
        target: Its target.
        topic: The source topic, as `write_source` has filled it; one partition.
        count: How many records it has.
        faults: At other offsets each; `reorder` swaps a record with the next one.
    """
    (config,) = load(file, environ={}).flows
    copy = config.topic_selection().remote_topic(topic)
    target.create_topic(copy)
    _write(target, copy, _numbers(count, faults), faults)
    clients = open_clients(config, SystemClock())
    with closing(clients):
        ids = clients.source.topic_ids([topic])[topic], clients.target.topic_ids([copy])[copy]
        runs = list(_runs(count, faults))
        _write_map(clients, config.flow, list(_chunks(topic, ids, runs, count)))
    metadata = PositionMetadata(
        target_offset=runs[-1].target_end, topic_id=ids[0], target_id=ids[1]
    )
    group = position_group(config.flow)
    with closing(consumer(target.bootstrap, group_id=group)) as client:
        place = Place(copy, 0, count, metadata.encode())
        client.commit(offsets=[place], asynchronous=False)


def _numbers(count: int, faults: Sequence[Fault]) -> Iterator[int]:
    """Give the source offsets in the order of the copy."""
    at = 0
    for fault in sorted(faults, key=lambda each: each.offset):
        yield from range(at, fault.offset)
        at = fault.offset + 1
        match fault.kind:
            case "flip":
                yield fault.offset
            case "double":
                yield from (fault.offset, fault.offset)
            case "reorder":
                yield from (at, fault.offset)
                at += 1
    yield from range(at, count)


def _runs(count: int, faults: Sequence[Fault]) -> Iterator[Run]:
    """Give what lies side by side in both logs."""
    source = copied = 0
    for fault in sorted(faults, key=lambda each: each.offset):
        if fault.kind not in {"drop", "double"}:
            continue
        end = fault.offset + (fault.kind == "double")
        yield Run(source, copied, end - source)
        copied += end - source + (fault.kind == "double")
        source = fault.offset + 1
    yield Run(source, copied, count - source)


def _write(cluster: Cluster, topic: str, numbers: Iterable[int], faults: Sequence[Fault]) -> None:
    flipped = {fault.offset for fault in faults if fault.kind == "flip"}
    client = producer(
        cluster.bootstrap, enable_idempotence="true", linger_ms="50", compression_type="lz4"
    )
    for number in numbers:
        value = f"value-{number:012d}".encode()
        if number in flipped:
            value = value[:-1] + bytes([value[-1] ^ 1])
        while True:
            try:
                client.produce(
                    topic, value, str(number % 1000).encode(), 0, timestamp=_AT_MS + number // 100
                )
                break
            except BufferError:
                client.poll(0.1)
    assert client.flush(_FLUSH_S) == 0, f"{topic} did not take the records"


def _chunks(topic: str, ids: tuple[str, str], runs: Sequence[Run], count: int) -> Iterator[Chunk]:
    for start in range(0, count, _CHUNK):
        end = min(start + _CHUNK, count)
        yield Chunk(
            partition=TopicPartition(topic, 0),
            start=start,
            source_id=topic_id_of(ids[0]),
            target_id=topic_id_of(ids[1]),
            end=end,
            runs=tuple(_cut(runs, start, end)),
        )


def _write_map(clients: FlowClients, flow: Flow, chunks: Sequence[Chunk]) -> None:
    encoded = [encode_chunk(chunk) for chunk in chunks]
    with InternalWriter(clients.target_rdkafka, cluster="cluster", timeout_s=60) as writer:
        topic = InternalTopic(offset_map_topic(flow), clients.target, writer, replication_factor=1)
        topic.write([InternalRecord(key=key, value=value) for key, value in encoded])


def _cut(runs: Sequence[Run], start: int, end: int) -> Iterator[Run]:
    for run in runs:
        first, last = max(run.source, start), min(run.source_end, end)
        if first < last:
            yield Run(first, run.target + first - run.source, last - first)
