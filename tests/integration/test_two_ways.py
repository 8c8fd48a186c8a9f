"""One topic name on several clusters, each of which writes to it: nothing goes round."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.model import Flow
from kmirror.wire.provenance import PROVENANCE_HEADER, Provenance, read_provenance
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import numbered, read, read_with_offsets, record, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_COPIED_S_MAX = 120.0
_LATER = "kmirror.select.timestamp = timestamp + 1000"
_IDENTITY = (
    "replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
    "kmirror.provenance = true",
    KEEPS_SETTINGS,
)


@pytest.fixture(scope="module")
def third(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give one more cluster."""
    cluster = Cluster("third", tmp_path_factory.mktemp("third"), heap_mb=384)
    with started(cluster):
        yield cluster


def flows(topics: str, *names: str, more: Sequence[str] = ()) -> list[str]:
    """Give the lines of flows that keep the names of topics."""
    return [line for name in names for line in flow_lines(name, topics, *_IDENTITY, *more)]


def wait_still(
    driver: Driver, clusters: Mapping[str, Cluster], topic: str, names: Sequence[str]
) -> None:
    """Wait until every flow has seen all: what goes round would always be ahead of one of them."""
    for _ in range(2):
        for name in names:
            source, _, target = name.partition("->")
            driver.wait_until_caught_up(
                clusters[source], clusters[target], {topic: topic}, flow=Flow(source, target)
            )


def wait_for(driver: Driver, cluster: Cluster, topic: str, count: int) -> None:
    """Wait until all partitions of a topic have so many records together."""
    driver.wait_until(
        lambda: len(everything(cluster, topic)) >= count,
        f"{count} records of {topic} on {cluster.name}",
        _COPIED_S_MAX,
    )


def everything(cluster: Cluster, topic: str) -> list[Content]:
    """Give the records of a topic's two partitions, one after the other."""
    return [each for partition in range(2) for each in read(cluster, topic, partition)]


def bare(contents: Sequence[Content]) -> list[Content]:
    """Give records without the header."""
    return [
        replace(each, headers=[h for h in each.headers if h[0] != PROVENANCE_HEADER])
        for each in contents
    ]


def by_value(contents: Sequence[Content]) -> list[Content]:
    """Put records into an order that is the same on all clusters."""
    return sorted(contents, key=lambda each: each.value or b"")


def provenance(content: Content) -> Provenance:
    """Give what a copy says of itself."""
    found = read_provenance(content.headers)
    assert found is not None
    return found


def test_one_name_both_ways(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Each side gets the other's records, once, and none of its own back; also after a restart."""
    clusters = {"X": kafka_pair.a, "Y": kafka_pair.b}
    x, y = clusters.values()
    name = f"both-{secrets.token_hex(4)}"
    topic, later = f"{name}-first", f"{name}-later"
    for cluster in clusters.values():
        cluster.create_topic(topic, partitions=2)
        for partition in range(2):
            # In batches that would go over whole.
            own = numbered(f"{cluster.name}{partition}", range(100))
            write(cluster, topic, own, partition=partition, compression_type="lz4")
    names = ["X->Y", "Y->X"]
    file = mirror_file(tmp_path, clusters, *flows(f"{name}.*", *names))
    driver = warm_driver(file)
    driver.wait_running()
    assert driver.lines(r"record by record \(kmirror.provenance looks inside\)")
    for cluster in clusters.values():
        wait_for(driver, cluster, topic, 400)
    wait_still(driver, clusters, topic, names)
    written = [
        each
        for cluster in clusters.values()
        for partition in range(2)
        for each in numbered(f"{cluster.name}{partition}", range(100))
    ]
    for cluster in clusters.values():
        assert by_value(bare(everything(cluster, topic))) == by_value(written)
    check_provenance(x, y, topic)

    # A topic that comes later is there on both sides, and takes records on both.
    x.create_topic(later, partitions=2)
    write(x, later, numbered("late-x", range(5)))
    driver.wait_until(lambda: later in topics_of(y), "the topic's copy", _COPIED_S_MAX)
    wait_for(driver, y, later, 5)
    write(y, later, numbered("late-y", range(5)))
    wait_for(driver, x, later, 10)

    # Applications hand headers on: what they write anew is theirs.
    (copied, *_) = read(y, later)
    write(y, later, [replace(copied, value=b"worked on")])
    wait_for(driver, x, later, 11)
    wait_still(driver, clusters, later, names)
    last, (offset, _) = read(x, later)[-1], read_with_offsets(y, later)[-1]
    assert last.value == b"worked on"
    assert (provenance(last).cluster, provenance(last).offset) == ("Y", offset)
    assert driver.stop() == 0

    # A topic that the file names only now, and that both have filled since, begins like the first.
    added = f"added-{name}"
    for cluster in clusters.values():
        cluster.create_topic(added, partitions=2)
        write(cluster, added, numbered(cluster.name, range(5)))
    again = warm_driver(mirror_file(tmp_path, clusters, *flows(f"{name}.*, {added}", *names)))
    again.wait_running()
    write(x, topic, numbered("again", [1]))
    wait_for(again, y, topic, 401)
    for cluster in clusters.values():
        wait_for(again, cluster, added, 10)
    wait_still(again, clusters, topic, names)
    assert len(everything(x, topic)) == len(everything(y, topic)) == 401
    assert again.stop() == 0


def check_provenance(x: Cluster, y: Cluster, topic: str) -> None:
    """See that a copy says where its record is."""
    there = dict(read_with_offsets(x, topic, 1))
    copies = [each for each in read(y, topic, 1) if read_provenance(each.headers)]
    assert len(copies) == 100
    for copy in copies:
        said = provenance(copy)
        assert (said.cluster, said.topic, said.partition) == ("X", topic, 1)
        assert (said.chain, said.copy) == (("X",), None)
        assert said.timestamp_ms == copy.timestamp_ms
        assert bare([copy]) == [there[said.offset]]


def test_three_clusters(
    kafka_pair: ClusterPair, third: Cluster, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """In a circle, and each with each other: everything is everywhere, once."""
    three = (kafka_pair.a, kafka_pair.b, third)
    clusters = dict(zip(("R", "S", "T"), three, strict=True))
    meshed = dict(zip(("K", "L", "M"), three, strict=True))
    name = secrets.token_hex(4)
    circle, mesh = f"circle-{name}", f"mesh-{name}"
    for cluster in three:
        for topic in (circle, mesh):
            cluster.create_topic(topic, partitions=2)
            write(cluster, topic, numbered(cluster.name, range(20)))
    round_about = ["R->S", "S->T", "T->R"]
    each_other = [f"{one}->{other}" for one in meshed for other in meshed if one != other]
    file = mirror_file(
        tmp_path,
        {**clusters, **meshed},
        *flows(circle, *round_about),
        *flows(mesh, *each_other, more=["kmirror.provenance.hops.max = 1"]),
    )
    driver = warm_driver(file)
    written = [each for cluster in three for each in numbered(cluster.name, range(20))]
    for topic in (circle, mesh):
        for cluster in three:
            wait_for(driver, cluster, topic, len(written))
    wait_still(driver, clusters, circle, round_about)
    wait_still(driver, meshed, mesh, each_other)
    for topic in (circle, mesh):
        for cluster in three:
            assert by_value(bare(read(cluster, topic))) == by_value(written)
    chains = {provenance(each).chain for each in read(third, circle) if each.headers}
    assert chains == {("R", "S"), ("S",)}
    chains = {provenance(each).chain for each in read(third, mesh) if each.headers}
    assert chains == {("K",), ("L",)}
    assert driver.stop() == 0


def test_a_way_of_several_names(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """With the Default policy, too, every copy says where its record was written, and its way."""
    first, second = kafka_pair
    topic = first.create_topic(f"way-{secrets.token_hex(4)}")
    write(first, topic, [record(None, key=b"gone"), record(b"v", headers=[("own", None)])])
    file = mirror_file(
        tmp_path,
        {"F": first, "G": second, "H": first},
        *flow_lines("F->G", topic, "kmirror.provenance = true", _LATER),
        *flow_lines("G->H", f"F.{topic}", "kmirror.provenance = true"),
    )
    driver = warm_driver(file)
    last = f"G.F.{topic}"
    driver.wait_until(lambda: last in topics_of(first), "the last copy", _COPIED_S_MAX)
    driver.wait_until(lambda: len(read(first, last)) == 2, "its records", _COPIED_S_MAX)
    found, written = read(first, last), read(first, topic)
    assert bare(found) == [replace(e, timestamp_ms=e.timestamp_ms + 1000) for e in written]
    for offset, each in enumerate(found):
        said = provenance(each)
        assert said.timestamp_ms == written[offset].timestamp_ms
        assert (said.cluster, said.topic, said.offset) == ("F", topic, offset)
        assert (said.chain, said.copy) == (("F", "G"), last)
    assert driver.stop() == 0
