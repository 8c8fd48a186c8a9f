"""The exact offset map on a target, compared with where the records really are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass

from confluent_kafka import IsolationLevel
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.stream import Row, Stream, records

from kmirror.model import Flow, TopicPartition
from kmirror.offsets.exact import ExactMap, Gap
from kmirror.offsets.live import KeptChunk
from kmirror.wire.flow_names import offset_map_topic
from kmirror.wire.offset_runs import chunk_place, decode_chunk
from tests.support.copy_watch import ends_of
from tests.support.driver import A_TO_B

FOREIGN = b"somebody else's"
"""The key of records that tests write where only kmirror should."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """
    What a map knows.

    Args:
        records: Copied records on the target.
        mapped: How many of them the map finds without counting.
        bytes: Keys and values of the map's records.
    """

    records: int
    mapped: int
    bytes: int


def check_offset_map(
    source: Cluster, target: Cluster, topics: Mapping[str, str], *, flow: Flow = A_TO_B
) -> Coverage:
    """
    Look up every copied record, in both directions: what the map says is true, or it says nothing.

    Args:
        source, target: The clusters, at rest.
        topics: Source topic to target topic; all of the first was copied to the second.
        flow: Whose map.
    """
    (written,) = _read(target, [offset_map_topic(flow)]).values()
    chunks, sizes = _chunks(row for _, row in written)
    sources, targets = _read(source, topics), _read(target, topics.values())
    total = mapped = 0
    for place, ours in sources.items():
        found_there = targets[TopicPartition(topics[place.topic], place.partition)]
        theirs = [(at, row) for at, row in found_there if row[1] != FOREIGN]
        known, ends = ExactMap(chunks[place]), {chunk.end for chunk in chunks[place]}
        before = -1
        for (here, _), (there, _) in zip(ours, theirs, strict=True):
            total += 1
            found, back = known.to_target(here), known.to_source(there)
            if not isinstance(found, Gap):
                mapped += 1
                # Where a chunk ends, a marker may come before the next record.
                exact = found.target == there or (here in ends and before < found.target < there)
                assert exact, f"{place}: {here} is at {there}, not {found}"
            if not isinstance(back, Gap):
                assert back.source == here, f"{place}: {there} is {here}, not {back}"
            before = there
    return Coverage(records=total, mapped=mapped, bytes=sum(sizes[place] for place in sources))


def _chunks(
    written: Iterable[Row],
) -> tuple[dict[TopicPartition, list[KeptChunk]], Counter[TopicPartition]]:
    """Give the chunks of each partition, and their bytes."""
    found: dict[TopicPartition, list[KeptChunk]] = defaultdict(list)
    sizes: Counter[TopicPartition] = Counter()
    for _, key, value, _ in written:
        if key == FOREIGN:
            continue
        if value is None and (place := chunk_place(key)) is not None:
            partition, start = place
            found[partition] = [chunk for chunk in found[partition] if chunk.start != start]
            continue
        chunk = decode_chunk(key, value)
        assert chunk is not None, f"{key!r}: {value!r}"
        assert key is not None
        assert value is not None
        found[chunk.partition].append(KeptChunk(chunk.start, chunk.end, key, value))
        sizes[chunk.partition] += len(key) + len(value)
    return found, sizes


def _read(cluster: Cluster, topics: Iterable[str]) -> dict[TopicPartition, list[tuple[int, Row]]]:
    ends = ends_of(cluster.bootstrap, topics, IsolationLevel.READ_COMMITTED)
    found = {}
    for place, end in ends.items():
        with closing(Stream(cluster.bootstrap, place, end)) as stream:
            found[place] = list(records(stream))
    return found
