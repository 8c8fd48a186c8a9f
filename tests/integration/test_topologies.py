"""Every topology of `examples/`, with real clusters in its places."""

from __future__ import annotations

import json
import os
import secrets
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.cluster.cluster import Cluster, started

from kmirror.apps.client import MirrorClient
from kmirror.apps.logical import LogicalTopics
from kmirror.apps.merged_reader import MergedReader, MergedRecord
from kmirror.clock import SystemClock
from kmirror.config.load import load
from kmirror.errors import ConfigError
from kmirror.model import Flow, TopicPartition
from tests.support.bounded import copy_once
from tests.support.commands import move, offsets, verify
from tests.support.driver import Driver, DriverFactory, serving
from tests.support.groups import commit, committed, next_record
from tests.support.mirror_file import example
from tests.support.records import end_offset, numbered, read, read_with_offsets, record, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

EXAMPLES = Path(__file__).parents[2] / "examples"
_COPIED_S_MAX = 60.0
# How long nothing may come to idle clusters; KMIRROR_IDLE_S=600 makes it ten minutes.
_IDLE_S = float(os.environ.get("KMIRROR_IDLE_S", "10"))
_SMALL = {"replication.factor = 3": "replication.factor = 1\nkmirror.slots = 1"}
_INTERNAL = (
    "offset.storage.replication.factor = 1\n"
    "offset.storage.partitions = 1\n"
    "checkpoints.topic.replication.factor = 1\n"
    "heartbeats.topic.replication.factor = 1\n"
    "offset-syncs.topic.replication.factor = 1\n"
)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cluster, ...]]:
    """Give four clusters, each of which plays another part in every test."""
    folder = tmp_path_factory.mktemp("four")
    clusters = tuple(Cluster(f"n{at}", folder, heap_mb=384) for at in range(4))
    with started(*clusters):
        yield clusters


def topology(name: str, folder: Path, clusters: dict[str, Cluster], **topics: str) -> Path:
    """
    Give an example's file with lab clusters in it, and with topics that nobody else has.

    Args:
        name: The example's folder.
        folder: Where the file goes.
        clusters: By alias.
        topics: Each topic of the example, and the one to put in its place.
    """
    text = (EXAMPLES / name / "mm2.properties").read_text(encoding="utf-8")
    replaced = {
        line.split(" = ")[1]: clusters[line.split(".bootstrap")[0]].bootstrap
        for line in text.splitlines()
        if ".bootstrap.servers = " in line
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = example(EXAMPLES / name / "mm2.properties", folder, {**replaced, **_SMALL, **topics})
    file.write_text(file.read_text() + _INTERNAL, encoding="utf-8")
    return file


def named(*topics: str) -> dict[str, str]:
    """Give a name for each topic of an example."""
    label = secrets.token_hex(3)
    return {topic: f"{topic}{label}" for topic in topics}


def wait_copied(
    driver: Driver, flow: str, source: Cluster, target: Cluster, topics: Sequence[str]
) -> None:
    """Wait until a flow's topics are on the target."""
    alias, _, other = flow.partition("->")
    copies = {topic: f"{alias}.{topic}" for topic in topics}
    driver.wait_until_caught_up(source, target, copies, flow=Flow(alias, other))


def test_hub_and_spoke(
    four: tuple[Cluster, ...], warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Six flows in one process; a spoke that is down holds up nobody."""
    hub, *spokes = four
    names = named("orders", "prices")
    orders, prices = names.values()
    clusters = dict(zip(("hub", "north", "east", "south"), four, strict=True))
    file = topology("hub-and-spoke", tmp_path, clusters, **names)
    for spoke in spokes:
        spoke.create_topic(orders, partitions=1)
        write(spoke, orders, numbered(spoke.name, range(20)))
    hub.create_topic(prices, partitions=1)
    write(hub, prices, numbered("p", range(20)))
    driver = warm_driver(file)
    for alias, spoke in list(clusters.items())[1:]:
        wait_copied(driver, f"{alias}->hub", spoke, hub, [orders])
        wait_copied(driver, f"hub->{alias}", hub, spoke, [prices])
        assert read(hub, f"{alias}.{orders}") == numbered(spoke.name, range(20))
        assert read(spoke, f"hub.{prices}") == numbered("p", range(20))
    spokes[0].kill()
    write(spokes[1], orders, numbered("more", range(5)))
    wait_copied(driver, "east->hub", spokes[1], hub, [orders])
    spokes[0].start()
    write(spokes[0], orders, numbered("again", range(5)))
    wait_copied(driver, "north->hub", spokes[0], hub, [orders])
    assert driver.stop() == 0


def test_chain(four: tuple[Cluster, ...], warm_driver: DriverFactory, tmp_path: Path) -> None:
    """Names, hops and offsets over two flows."""
    edge, region, centre, _ = four
    names = named("readings")
    (topic,) = names.values()
    parts = {"edge": edge, "region": region, "centre": centre}
    file = topology("chain", tmp_path, parts, **names)
    edge.create_topic(topic, partitions=1)
    write(edge, topic, numbered("r", range(30)))
    driver = warm_driver(file)
    wait_copied(driver, "edge->region", edge, region, [topic])
    wait_copied(driver, "region->centre", region, centre, [f"edge.{topic}"])
    last = f"region.edge.{topic}"
    assert read(centre, last) == numbered("r", range(30))
    with MirrorClient({"bootstrap.servers": centre.bootstrap}) as client:
        driver.wait_until(
            lambda: client.replication_hops("edge") == 2, "heartbeats have come all the way", 60
        )
        # The same clusters have played other parts before.
        assert {"edge", "region"} <= set(client.upstream_clusters())
    assert driver.stop() == 0
    first = offsets("translate", file, "--flow", "edge->region", f"{topic}-0:17")
    assert first.code == 0, first.text
    at = first.text.strip().rpartition(" = ")[2]
    second = offsets("translate", file, "--flow", "region->centre", at)
    assert second.code == 0, second.text
    offset = int(second.text.strip().rpartition(":")[2])
    assert next_record(centre, last, offset) == numbered("r", [17])[0]


def test_fan_out_and_aggregation(
    four: tuple[Cluster, ...], warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """One to two, and two to one, read as one topic in the order of time."""
    first, second, third, _ = four
    names = named("orders")
    (topic,) = names.values()
    parts = {"source": first, "analytics": second, "archive": third}
    first.create_topic(topic, partitions=1)
    write(first, topic, numbered("f", range(25)))
    copy_once(warm_driver, topology("fan-out", tmp_path / "out", parts, **names))
    for copy in (second, third):
        assert read(copy, f"source.{topic}") == numbered("f", range(25))

    names = named("readings")
    (topic,) = names.values()
    parts = {"plant1": first, "plant2": second, "central": third}
    for cluster, start in ((first, 0), (second, 1)):
        cluster.create_topic(topic, partitions=1)
        # Their times take turns.
        write(cluster, topic, numbered("m", range(start, 40, 2)))
    copy_once(warm_driver, topology("aggregation", tmp_path / "in", parts, **names))
    assert merged(third, topic, ["plant1", "plant2"], 40) == numbered("m", range(40))


def merged(cluster: Cluster, topic: str, aliases: Sequence[str], count: int) -> list[object]:
    """Read a topic and its copies as one, until *count* records have come."""
    config = {"bootstrap.servers": cluster.bootstrap, "group.id": f"merged-{secrets.token_hex(3)}"}
    clock = SystemClock()
    deadline_s = clock.monotonic_s() + _COPIED_S_MAX
    found: list[MergedRecord] = []
    with MergedReader(config, topic, clusters=aliases) as reader:
        while len(found) < count and clock.monotonic_s() < deadline_s:
            found += reader.poll(0.5)
        reader.commit()
    for topic_read in {each.partition.topic for each in found}:
        assert committed(cluster, config["group.id"], topic_read) is not None
    return [
        record(each.value, key=each.key, headers=list(each.headers), timestamp_ms=each.timestamp_ms)
        for each in found
    ]


def test_two_regions(four: tuple[Cluster, ...], warm_driver: DriverFactory, tmp_path: Path) -> None:
    """As the tutorial has it, and nothing grows while nobody writes."""
    a, b, *_ = four
    names = named("payment-events", "user-actions")
    payments, actions = names.values()
    file = topology("two-regions", tmp_path, {"kafka-a": a, "kafka-b": b}, **names)
    for cluster in (a, b):
        for topic in names.values():
            cluster.create_topic(topic, partitions=1)
    driver = warm_driver(file)
    driver.wait_running()
    write(a, payments, numbered("a", range(0, 20, 2)))
    write(b, payments, numbered("a", range(1, 20, 2)))
    write(b, actions, numbered("b", range(10)))
    wait_copied(driver, "kafka-a->kafka-b", a, b, [payments, actions])
    wait_copied(driver, "kafka-b->kafka-a", b, a, [payments, actions])
    assert read(b, f"kafka-a.{payments}") == numbered("a", range(0, 20, 2))
    assert read(a, f"kafka-b.{actions}") == numbered("b", range(10))
    for cluster, other in ((a, "kafka-b"), (b, "kafka-a")):
        assert merged(cluster, payments, [other], 20) == numbered("a", range(20))
        topics = set(cluster.admin().list_topics(timeout=30).topics)
        mine = {topic for topic in topics if payments in topic or actions in topic}
        assert mine == {payments, actions, f"{other}.{payments}", f"{other}.{actions}"}
    check_idle(driver, (a, b), [*names.values()])
    assert driver.stop() == 0


def check_idle(driver: Driver, clusters: Sequence[Cluster], topics: Sequence[str]) -> None:
    """Nothing comes to the data topics while nobody writes."""

    def ends() -> list[int]:
        return [
            end_offset(cluster, name)
            for cluster in clusters
            for name in sorted(cluster.admin().list_topics(timeout=30).topics)
            if name.endswith(tuple(topics))
        ]

    before, clock = ends(), SystemClock()
    until_s = clock.monotonic_s() + _IDLE_S
    driver.wait_until(
        lambda: ends() != before or clock.monotonic_s() >= until_s, "idle", _IDLE_S + 60
    )
    assert ends() == before


def test_active_standby(
    four: tuple[Cluster, ...], warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """An application that asks where it works goes over and comes back without reading twice."""
    main, standby, *_ = four
    clusters = {"main": main, "standby": standby}
    names = named("orders", "payments", "billing")
    orders, _payments, billing = names.values()
    file = topology("active-standby", tmp_path, clusters, **names)
    for cluster in (main, standby):
        cluster.create_topic(orders, partitions=1)
    write(main, orders, numbered("first", range(10)))
    driver = warm_driver(file)
    wait_copied(driver, "main->standby", main, standby, [orders])
    wait_copied(driver, "standby->main", standby, main, [orders])
    app = _Application(file, clusters, orders, f"{billing}-app")
    assert app.work() == ("main", numbered("first", range(10)))

    with serving("resolve", file, "--region", "main") as url:
        told = listening(f"{url}/regions/main/events?topic={orders}")
        assert next(told)["cluster"] == "main"
        assert move("promote", file, "main->standby").code == 0
        gone = next(each for each in told if each["cluster"] == "standby")
        assert gone["bootstrap_servers"] == standby.bootstrap
        assert "kmirror promote" in gone["why"]
        write(standby, orders, numbered("second", range(5)))
        assert app.work() == ("standby", numbered("second", range(5)))
        wait_copied(driver, "standby->main", standby, main, [orders])

        back = move("failback", file, "main->standby")
        assert back.code == 0, back.text
        home = next(each for each in told if each["cluster"] == "main")
        assert (home["topics"], home["write"]) == ([orders, f"standby.{orders}"], orders)
    write(main, orders, numbered("third", range(5)))
    assert app.work() == ("main", numbered("third", range(5)))
    assert driver.stop() == 0


def listening(url: str) -> Iterator[dict[str, Any]]:
    """Give the data of a stream's events as they come."""
    with urllib.request.urlopen(url, timeout=60) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


class _Application:
    """Asks where its topic is, reads what is new there, commits, and leaves."""

    def __init__(self, file: Path, clusters: dict[str, Cluster], topic: str, group: str) -> None:
        self._file = file
        self._clusters = clusters
        self._topic = topic
        self._group = group

    def work(self) -> tuple[str, list[object]]:
        """Give the cluster it worked on, and what it read there."""
        with LogicalTopics.of_file(self._file, region="main") as topics:
            place = topics.resolve(self._topic)
        assert place.write == self._topic
        cluster = self._clusters[place.cluster]
        found: list[object] = []
        for name in place.topics:
            at = committed(cluster, self._group, name) or 0
            found += [
                content for offset, content in read_with_offsets(cluster, name) if offset >= at
            ]
        ends = {TopicPartition(name, 0): end_offset(cluster, name) for name in place.topics}
        commit(cluster, self._group, ends)
        return place.cluster, found


def test_migration(four: tuple[Cluster, ...], warm_driver: DriverFactory, tmp_path: Path) -> None:
    """Names stay, groups go over, both sides are the same; both ways at once is refused."""
    *_, old, new = four
    names = named("orders", "payments", "invoices")
    file = topology("migration", tmp_path, {"old": old, "new": new}, **names)
    label = next(iter(names.values()))
    for topic in names.values():
        old.create_topic(topic, partitions=1)
        write(old, topic, numbered(topic, range(15)))
    group = f"{label}-readers"
    commit(old, group, {TopicPartition(label, 0): 6})
    copy_once(warm_driver, file)
    done = move("promote", file, "old->new", "--groups", f"{label}.*")
    assert done.code == 0, done.text
    at = committed(new, group, label)
    assert at is not None
    assert next_record(new, label, at) == numbered(label, [6])[0]
    assert verify(file).code == 0
    file.write_text(file.read_text() + "new->old.enabled = true\n" + "new->old.topics = .*\n")
    with pytest.raises(ConfigError, match="round and round"):
        load(
            _with(file, "new->old.replication.policy.class", "old->new.replication.policy.class"),
            environ={},
        )


def _with(file: Path, key: str, like: str) -> Path:
    """Give a file in which a key has the value of another one."""
    (value,) = [
        line.split(" = ")[1] for line in file.read_text().splitlines() if line.startswith(like)
    ]
    file.write_text(file.read_text() + f"{key} = {value}\n")
    return file
