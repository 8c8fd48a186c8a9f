"""A KRaft cluster of this machine: one to a few brokers, each also a controller."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kmirror.errors import ClusterUnavailable
from kmirror.jvm import JarSet
from kmirror_lab.cluster.broker import Broker, BrokerSpec
from kmirror_lab.cluster.clients import admin_client
from kmirror_lab.jars import KAFKA
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.ports import free_ports
from kmirror_lab.process.waiting import wait_until

_REQUEST_S_MAX = 30


class Cluster:
    """
    A cluster of its own folder, ports and id.

    Args:
        name: What people call it; the folder's name too.
        folder: The parent of its folder.
        brokers: How many nodes; each is broker and controller.
        ports: Where clients find the nodes, one each; free ones are chosen without.
        config: Broker settings that override the lab's.
        listeners: More client listeners, name to security protocol, each at a free port of
            every node; `bootstrap_of(name)` gives the addresses.
        format_arguments: More arguments for `StorageTool format`, such as `--add-scram`.
        heap_mb: The largest heap of each node, MiB.
        outlive: Whether the nodes go on when this process ends.
        jars: Which Kafka it is.
        racks: `broker.rack` of each node; none without.
        zookeeper: Its address, for brokers from before KRaft.
        host: Where the nodes run and listen; `Host.inside` is where their clients are made.
        advertised: Ports that clients of a listener are told, one for each node, when those are
            not its own: of a proxy, say.
        names: What clients of a listener are told instead of the nodes' address.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        brokers: int = 1,
        ports: Sequence[int] | None = None,
        config: Mapping[str, str] | None = None,
        listeners: Mapping[str, str] | None = None,
        format_arguments: Sequence[str] = (),
        heap_mb: int = 512,
        outlive: bool = False,
        jars: JarSet = KAFKA,
        racks: Sequence[str] = (),
        zookeeper: str = "",
        host: Host = HERE,
        advertised: Mapping[str, Sequence[int]] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        assert brokers >= 1, "a cluster has at least one broker"
        assert ports is None or len(ports) == brokers, "one port per broker"
        assert not racks or len(racks) == brokers, "one rack per broker"
        self.name = name
        self.folder = folder / name
        self.host = host
        self.cluster_id = _random_id()
        self._advertised = dict(advertised or {})
        self._names = dict(names or {})
        extra = dict(listeners or {})
        free = iter(free_ports(brokers * (2 + len(extra))))
        self._ports: dict[str, list[int]] = {
            "PLAINTEXT": list(ports) if ports else [next(free) for _ in range(brokers)],
            "CONTROLLER": [next(free) for _ in range(brokers)],
        }
        for listener in extra:
            self._ports[listener] = [next(free) for _ in range(brokers)]
        self.brokers = tuple(
            Broker(
                BrokerSpec(
                    node_id=index + 1,
                    cluster_id=self.cluster_id,
                    folder=self.folder / f"broker-{index + 1}",
                    port=self._ports["PLAINTEXT"][index],
                    properties=self._properties(index, extra)
                    | ({"broker.rack": racks[index]} if racks else {})
                    | (_of_zookeeper(index, zookeeper) if zookeeper else {})
                    | dict(config or {}),
                    format_arguments=tuple(format_arguments),
                    heap_mb=heap_mb,
                    outlive=outlive,
                    jars=jars,
                    kraft=not zookeeper,
                    host=host,
                )
            )
            for index in range(brokers)
        )

    @property
    def bootstrap(self) -> str:
        """`bootstrap.servers` of the whole cluster."""
        return self.bootstrap_of("PLAINTEXT")

    def bootstrap_of(self, listener: str) -> str:
        """`bootstrap.servers` of one of its listeners."""
        return ",".join(f"{self.host.address}:{port}" for port in self._ports[listener])

    def broker(self, node_id: int) -> Broker:
        """Return the node with that id; they count from 1."""
        return self.brokers[node_id - 1]

    def start(self, *, timeout_s: float = 120) -> Self:
        """
        Start every node that does not run, and wait until all of them answer.

        Raises:
            EnvironmentProblem: A node ended while starting.
            ClusterUnavailable: They did not answer in time.
        """
        self.launch()
        self.wait_ready(timeout_s=timeout_s)
        return self

    def launch(self) -> None:
        """Start the processes of the nodes that do not run, without waiting for them."""
        idle = [broker for broker in self.brokers if not broker.running()]
        with ThreadPoolExecutor(max_workers=len(self.brokers)) as pool:
            list(pool.map(Broker.prepare, idle))
        for broker in idle:
            broker.launch()

    def wait_ready(self, *, timeout_s: float = 120) -> None:
        """Wait until every node answers; see `start`."""
        for broker in self.brokers:
            broker.wait_ready(timeout_s=timeout_s)

    def stop(self, *, timeout_s: float = 60) -> None:
        """Shut every node down in order, all at the same time."""
        with ThreadPoolExecutor(max_workers=len(self.brokers)) as pool:
            list(pool.map(lambda broker: broker.stop(timeout_s=timeout_s), self.brokers))

    def kill(self) -> None:
        """Kill every node without notice."""
        for broker in self.brokers:
            broker.kill()

    def heal(self, *, timeout_s: float = 120) -> None:
        """Wake frozen nodes, start dead ones and wait until every replica is in sync."""
        for broker in self.brokers:
            if broker.running():
                broker.resume()
        self.start(timeout_s=timeout_s)
        wait_until(self._in_sync, f"all replicas of {self.name} are in sync", timeout_s=timeout_s)

    def admin(self) -> AdminClient:
        """Return a new admin client."""
        with self.host.inside():
            return admin_client(self.bootstrap)

    def create_topic(
        self,
        topic: str,
        *,
        partitions: int = 1,
        replication: int | None = None,
        nodes: Sequence[int] = (),
        config: Mapping[str, str] | None = None,
    ) -> str:
        """
        Make a topic and wait until each of its partitions has a leader.

        Args:
            topic: Its name, which is also the answer.
            partitions: How many.
            replication: Copies of each; by default three, or one per node if there are fewer.
            nodes: The nodes that have them instead, the leader first.
            config: Topic settings.
        """
        admin = self.admin()
        new = NewTopic(
            topic,
            num_partitions=partitions,
            **_copies(partitions, replication or min(3, len(self.brokers)), nodes),
            config=dict(config or {}),
        )
        admin.create_topics([new], request_timeout=_REQUEST_S_MAX)[topic].result()

        def led() -> bool:
            found = admin.list_topics(topic, timeout=_REQUEST_S_MAX).topics[topic].partitions
            return len(found) == partitions and all(p.leader >= 0 for p in found.values())

        wait_until(led, f"{topic} has leaders", timeout_s=_REQUEST_S_MAX)
        return topic

    def leader_of(self, topic: str, partition: int = 0) -> Broker:
        """
        Return the node that leads a partition now.

        Raises:
            ClusterUnavailable: The partition has no leader.
        """
        found = self.admin().list_topics(topic, timeout=_REQUEST_S_MAX).topics[topic].partitions
        leader = found[partition].leader if partition in found else -1
        if leader < 0:
            raise ClusterUnavailable(f"{topic}-{partition} has no leader")
        return self.broker(leader)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.kill()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _in_sync(self) -> bool:
        topics = self.admin().list_topics(timeout=_REQUEST_S_MAX).topics.values()
        return all(
            set(partition.isrs) == set(partition.replicas)
            for topic in topics
            for partition in topic.partitions.values()
        )

    def _properties(self, index: int, extra: Mapping[str, str]) -> dict[str, str]:
        size = len(self._ports["PLAINTEXT"])
        copies = str(min(3, size))
        listeners = {name: ports[index] for name, ports in self._ports.items()}
        protocols = {"PLAINTEXT": "PLAINTEXT", "CONTROLLER": "PLAINTEXT"} | dict(extra)
        voters = enumerate(self._ports["CONTROLLER"], start=1)
        here = self.host.address
        return {
            "process.roles": "broker,controller",
            "node.id": str(index + 1),
            "log.dirs": str(self.folder / f"broker-{index + 1}" / "data"),
            "listeners": ",".join(f"{n}://{here}:{port}" for n, port in listeners.items()),
            "listener.security.protocol.map": ",".join(f"{n}:{p}" for n, p in protocols.items()),
            "inter.broker.listener.name": "PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(f"{n}@{here}:{port}" for n, port in voters),
            "auto.create.topics.enable": "false",
            "offsets.topic.replication.factor": copies,
            "offsets.topic.num.partitions": "5",
            "transaction.state.log.replication.factor": copies,
            "transaction.state.log.min.isr": str(min(2, size)),
            "transaction.state.log.num.partitions": "5",
            "min.insync.replicas": str(min(2, size)),
            "share.coordinator.state.topic.replication.factor": copies,
            "share.coordinator.state.topic.min.isr": str(min(2, size)),
            "group.initial.rebalance.delay.ms": "0",
            # A killed node cannot come back before its session has run out (9 s by default).
            "broker.session.timeout.ms": "5000",
            "broker.heartbeat.interval.ms": "500",
            # Kafka lets a new broker rest 30 s before its first retention check.
            "log.initial.task.delay.ms": "500",
            # The default, 128 MiB, is a quarter of the lab's heap.
            "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
            # An index is a mapped file with holes, two of 10 MiB for a segment by default. Its
            # first use reads the disk's read-ahead of zeros into memory: up to 8 MiB each.
            "log.index.size.max.bytes": str(512 * 1024),
        } | self._told(index)

    def _told(self, index: int) -> dict[str, str]:
        """Return what clients are told when that is not where the node listens."""
        if not self._advertised and not self._names:
            return {}
        ports = {name: own[index] for name, own in self._ports.items() if name != "CONTROLLER"}
        ports |= {name: told[index] for name, told in self._advertised.items()}
        hosts = dict.fromkeys(ports, self.host.address) | self._names
        told = (f"{name}://{hosts[name]}:{port}" for name, port in ports.items())
        return {"advertised.listeners": ",".join(told)}


def _copies(partitions: int, replication: int, nodes: Sequence[int]) -> dict[str, Any]:
    if nodes:
        return {"replica_assignment": [list(nodes)] * partitions}
    return {"replication_factor": replication}


def _of_zookeeper(index: int, address: str) -> dict[str, str]:
    kraft = ("process.roles", "controller.listener.names", "controller.quorum.voters")
    return dict.fromkeys(kraft, "") | {"broker.id": str(index + 1), "zookeeper.connect": address}


@contextmanager
def started(*clusters: Cluster) -> Iterator[None]:
    """Start clusters side by side; all are killed at the end, also when one does not start."""
    with ExitStack() as running:
        for cluster in clusters:
            running.callback(cluster.kill)
        with ThreadPoolExecutor(max_workers=len(clusters)) as pool:
            list(pool.map(Cluster.start, clusters))
        yield


def _random_id() -> str:
    """Return a cluster id as Kafka writes it; one with a leading `-` would look like an option."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text
