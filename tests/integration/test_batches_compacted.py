"""Batches the log cleaner has been at: gaps, nothing left inside, tombstones with a horizon."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.model import Flow
from tests.support.batches import StoredBatch, set_topic, stored, varied, write_batches
from tests.support.bounded import FlowCopier
from tests.support.mirror_file import KEEPS_SETTINGS
from tests.support.offset_map import check_offset_map
from tests.support.records import numbered, read, read_with_offsets

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

CODECS = ("none", "lz4")
_COMPACT = {
    "cleanup.policy": "compact",
    "segment.ms": "100",
    "min.cleanable.dirty.ratio": "0.01",
    "delete.retention.ms": "86400000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The run, over, and the source's batches before it."""

    name: str
    before: dict[str, list[StoredBatch]]


def mirror(topic: str) -> str:
    """Name a topic's copy."""
    return f"CA.{topic}"


def write_history(cluster: Cluster, topic: str, codec: str) -> None:
    """Write batches of which single records, every other one, or all will be superseded."""

    def history(label: str, keys: Callable[[int], str], *, tombstones: bool = False) -> None:
        records = [
            replace(r, key=keys(n).encode(), value=None if tombstones and n % 2 else r.value or b"")
            for n, r in enumerate(varied(label, 400))
        ]
        # An idempotent producer's last batch stays when nothing is left of it.
        write_batches(cluster, topic, records, 100, codec=codec, enable_idempotence="true")

    history("alone", lambda n: f"alone-{n}")
    history("some", lambda n: f"some-{n}")
    history("all", lambda n: f"all-{n}")
    history("itself", lambda n: f"itself-{n % 7}")
    history("newer", lambda n: f"all-{n}")
    history("half", lambda n: f"some-{n}" if n % 2 else f"half-{n}")
    history("deleted", lambda n: f"half-{n // 2 * 2}" if n % 2 else f"kept-{n}", tombstones=True)


def cleaned(batches: list[StoredBatch]) -> bool:
    """Tell whether all kinds of batches are there."""
    return (
        any(each.records and each.gaps for each in batches)
        and any(not each.records for each in batches)
        and any(each.horizon for each in batches)
        and any(not each.gaps for each in batches[:-1])
    )


def compact(cluster: Cluster, topic: str) -> list[StoredBatch]:
    """Wait until the cleaner has been there, keep it out from then on, and give what is left."""
    fresh = iter(range(1_000_000))

    def done() -> bool:
        # A segment is closed, and so may be cleaned, only when a record comes whose time is later.
        (record,) = numbered("fresh", [next(fresh)])
        write_batches(cluster, topic, [replace(record, timestamp_ms=SystemClock().wall_ms())], 1)
        return cleaned(stored(cluster, topic))

    wait_until(done, f"{topic} is compacted", timeout_s=120, pause_s=1)
    set_topic(cluster, topic, cleanup_policy="delete", retention_ms="-1")
    ours: list[list[StoredBatch]] = [[]]

    def settled() -> bool:
        ours.append(stored(cluster, topic))
        return ours[-1] == ours[-2]

    wait_until(settled, f"{topic} does not change any more", timeout_s=30, pause_s=2)
    return ours[-1]


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """Compact one topic for each codec, and copy them to topics that are not compacted."""
    a, b = kafka_pair
    name = f"compacted-{secrets.token_hex(4)}"
    before = {}
    for codec in CODECS:
        topic = a.create_topic(f"{name}-{codec}", config=_COMPACT)
        b.create_topic(mirror(topic), config={"retention.ms": "-1"})
        write_history(a, topic, codec)
    for codec in CODECS:
        before[codec] = compact(a, f"{name}-{codec}")
    copy_flow(kafka_pair, "CA->CB", f"{name}-.*", KEEPS_SETTINGS)
    return Copied(name=name, before=before)


@pytest.mark.parametrize("codec", CODECS)
def test_what_the_cleaner_left_arrives(copied: Copied, kafka_pair: ClusterPair, codec: str) -> None:
    """Record by record; tombstones are tombstones, and times are the producers'."""
    topic = f"{copied.name}-{codec}"
    assert stored(kafka_pair.a, topic) == copied.before[codec], "compacted meanwhile"
    sent = read(kafka_pair.a, topic)
    assert sum(r.value is None for r in sent) > 100
    assert read(kafka_pair.b, mirror(topic)) == sent


@pytest.mark.parametrize("codec", CODECS)
def test_only_full_batches_are_copied_as_they_are(
    copied: Copied, kafka_pair: ClusterPair, codec: str
) -> None:
    """Those without a gap arrive byte for byte; no copy has a gap or a horizon."""
    arrived = stored(kafka_pair.b, mirror(f"{copied.name}-{codec}"))
    assert not any(each.gaps or each.horizon for each in arrived)
    bodies = [each.shape for each in arrived]
    whole = [
        each.shape
        for each in copied.before[codec]
        if not each.gaps and not each.horizon and each.size > 10_000
    ]
    assert len(whole) >= 4, "the records that nobody superseded"
    kept = [shape for shape in bodies if shape in whole]
    assert kept[:4] == whole[:4], "those need not queue; later ones may, and are spliced"
    assert kept == [shape for shape in whole if codec != "none" or shape in kept]


@pytest.mark.parametrize("codec", CODECS)
def test_offsets_run_without_gaps(copied: Copied, kafka_pair: ClusterPair, codec: str) -> None:
    """Markers apart, the target numbers what it got one by one; the source does not."""
    topic = f"{copied.name}-{codec}"
    offsets = [offset for offset, _ in read_with_offsets(kafka_pair.a, topic)]
    assert offsets[-1] - offsets[0] > len(offsets) + 500, "nothing is missing on the source"
    arrived = [offset for offset, _ in read_with_offsets(kafka_pair.b, mirror(topic))]
    markers = sum(each.control for each in stored(kafka_pair.b, mirror(topic)))
    assert arrived[-1] + 1 <= len(arrived) + markers


@pytest.mark.parametrize("codec", CODECS)
def test_the_offset_map_knows_the_gaps(copied: Copied, kafka_pair: ClusterPair, codec: str) -> None:
    """Every record that is left is found, in both directions."""
    topic = f"{copied.name}-{codec}"
    coverage = check_offset_map(*kafka_pair, {topic: mirror(topic)}, flow=Flow("CA", "CB"))
    assert coverage.mapped == coverage.records
