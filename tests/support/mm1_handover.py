"""A group's owners looked at all the time, and a producer that writes one record after another."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from confluent_kafka import ConsumerGroupState, KafkaException
from confluent_kafka.admin import AdminClient
from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster

from tests.support.records import end_offset, read

_ANSWER_S_MAX = 30
_LOOK_S = 0.3


@dataclass(slots=True)
class Owners:
    """
    Who has had which partition, as a group's coordinator tells.

    Args:
        partitions: How many the topic has.
    """

    partitions: int
    members: set[str] = field(default_factory=set)
    doubly_owned: list[int] = field(default_factory=list)
    unowned_when_stable: list[int] = field(default_factory=list)
    ownerless_s_max: float = 0.0
    now: dict[int, str] = field(default_factory=dict)
    _since_s: dict[int, float] = field(default_factory=dict)

    def look(self, admin: AdminClient, group: str) -> None:
        """Ask once."""
        asked = admin.describe_consumer_groups([group], request_timeout=_ANSWER_S_MAX)
        try:
            found = asked[group].result()
        except KafkaException:
            return  # nobody has joined it yet
        now_s = time.monotonic()
        count: Counter[int] = Counter()
        owners: dict[int, str] = {}
        for member in found.members:
            for place in member.assignment.topic_partitions:
                count[place.partition] += 1
                owners[place.partition] = member.member_id
        if found.state is ConsumerGroupState.STABLE:
            self.members.update(owners.values())
            self.doubly_owned += [number for number, owned in count.items() if owned > 1]
            self.unowned_when_stable += sorted(set(range(self.partitions)) - set(owners))
            self.now = owners
        for number in range(self.partitions):
            if number in owners:
                self._since_s.pop(number, None)
            else:
                since_s = self._since_s.setdefault(number, now_s)
                self.ownerless_s_max = max(self.ownerless_s_max, now_s - since_s)


@contextmanager
def watched(cluster: Cluster, group: str, partitions: int) -> Iterator[Owners]:
    """Look at a group's owners as long as the block lasts."""
    owners, over, admin = Owners(partitions), threading.Event(), cluster.admin()

    def look() -> None:
        while not over.wait(_LOOK_S):
            owners.look(admin, group)

    thread = threading.Thread(target=look, name="owners", daemon=True)
    thread.start()
    try:
        yield owners
    finally:
        over.set()
        thread.join(_ANSWER_S_MAX)


class SynchronousWriter:
    """
    Writes one record after the other, each when the one before is acknowledged.

    Args:
        cluster: Where.
        topic: Its topic.
        partitions: Of the topic: they take turns.
    """

    def __init__(self, cluster: Cluster, topic: str, partitions: int) -> None:
        self.values: list[bytes] = []
        self._over = threading.Event()
        self._write = (cluster, topic, partitions)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def __enter__(self) -> SynchronousWriter:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Write no more, and wait for the last acknowledgement."""
        self._over.set()
        self._thread.join(_ANSWER_S_MAX)

    def _run(self) -> None:
        cluster, topic, partitions = self._write
        client = producer(cluster.bootstrap, acks="all", linger_ms="0")
        number = 0
        while not self._over.is_set():
            value = b"record-%d" % number
            client.produce(topic, value, key=b"%d" % (number % 97), partition=number % partitions)
            assert client.flush(_ANSWER_S_MAX) == 0, "the source did not take a record"
            self.values.append(value)
            number += 1


def contents(cluster: Cluster, topic: str) -> Counter[bytes]:
    """Count the values that a topic has, whatever partitions they lie in."""
    described = cluster.admin().list_topics(topic, timeout=_ANSWER_S_MAX)
    numbers = described.topics[topic].partitions
    return Counter(
        record.value or b""
        for number in numbers
        if end_offset(cluster, topic, number)
        for record in read(cluster, topic, number)
    )
