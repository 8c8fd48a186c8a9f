"""How far a copy is, as the clusters say."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer, IsolationLevel, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition
from kmirror_lab.cluster.clients import consumer

from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import position_group

_REQUEST_S_MAX = 30.0
# Positions are asked for again and again; a client that gets no answer is replaced.
_POSITIONS_S_MAX = 10.0

_log = logging.getLogger(__name__)


class CopyWatch:
    """
    Tells from the clusters alone how far a copy is: asks again and again, remembers where it was.

    Args:
        source: `bootstrap.servers` of the source.
        target: The same of the target.
        topics: Source topic to target topic.
        flow: Whose positions count.
    """

    def __init__(self, source: str, target: str, topics: Mapping[str, str], flow: Flow) -> None:
        self._source, self._target = source, target
        self._topics = topics
        self._positions = GroupPositions(target, position_group(flow))
        self._wanted: dict[TopicPartition, int] = {}
        self._written: dict[TopicPartition, int] | None = None

    def begin(self) -> bool:
        """Note the source's ends as a read_committed reader sees them; false when it is away."""
        try:
            stable = ends_of(self._source, self._topics, IsolationLevel.READ_COMMITTED)
        except KafkaException:
            return False
        self._wanted = {
            TopicPartition(self._topics[tp.topic], tp.partition): end for tp, end in stable.items()
        }
        return True

    def copied(self) -> bool:
        """Whether every position has reached the noted end."""
        try:
            found = self._positions.read(self._topics.values())
        except KafkaException:
            return False
        return all(found.get(tp, 0) >= end for tp, end in self._wanted.items())

    def readable(self) -> bool:
        """Whether what had been written to the target when first asked is committed by now."""
        names = self._topics.values()
        try:
            if self._written is None:
                self._written = ends_of(self._target, names, IsolationLevel.READ_UNCOMMITTED)
            stable = ends_of(self._target, names, IsolationLevel.READ_COMMITTED)
        except KafkaException:
            return False
        return all(stable.get(tp, -1) >= end for tp, end in self._written.items())


class GroupPositions:
    """
    A group's positions, without the library's admin client: that one crashes the process when a
    coordinator moves (librdkafka issue 5040).

    Args:
        bootstrap: `bootstrap.servers` of the cluster.
        group: Its name.
        stable: Wait for pending transactions; a killed driver leaves one for up to a minute.
    """

    def __init__(self, bootstrap: str, group: str, *, stable: bool = True) -> None:
        self._bootstrap = bootstrap
        self._group = group
        self._isolation = "read_committed" if stable else "read_uncommitted"
        self._client: Consumer | None = None

    def read(self, topics: Iterable[str]) -> dict[TopicPartition, int]:
        """
        Read the positions of the partitions of *topics*; those without one are left out.

        Raises:
            KafkaException: The cluster is away, or a transaction is pending for too long.
        """
        if self._client is None:
            settings = {"group_id": self._group, "isolation_level": self._isolation}
            self._client = consumer(self._bootstrap, **settings)
        try:
            return self._read(self._client, topics)
        except KafkaException as error:
            _log.warning("positions of %s on %s: %s", self._group, self._bootstrap, error)
            self._client = None
            raise

    @staticmethod
    def _read(client: Consumer, topics: Iterable[str]) -> dict[TopicPartition, int]:
        listed = client.list_topics(timeout=_POSITIONS_S_MAX).topics
        asked = [
            KafkaPartition(topic, partition)
            for topic in topics
            if topic in listed
            for partition in listed[topic].partitions
        ]
        found = client.committed(asked, timeout=_POSITIONS_S_MAX) if asked else []
        if errors := [place.error for place in found if place.error is not None]:
            raise KafkaException(errors[0])
        return {TopicPartition(p.topic, p.partition): p.offset for p in found if p.offset >= 0}


def ends_of(
    bootstrap: str, topics: Iterable[str], level: IsolationLevel
) -> dict[TopicPartition, int]:
    """
    Read where the partitions of *topics* end; those that do not exist are left out.

    Not by the library's admin client: while a leader is away, two threads of it spin.

    Raises:
        KafkaException: The cluster is away.
    """
    client = consumer(bootstrap, isolation_level=level.name.lower())
    listed = client.list_topics(timeout=_REQUEST_S_MAX).topics
    asked = [
        KafkaPartition(topic, partition)
        for topic in set(topics) & set(listed)
        for partition in listed[topic].partitions
    ]
    found = {}
    for place in asked:
        _, end = client.get_watermark_offsets(place, timeout=_POSITIONS_S_MAX)
        found[TopicPartition(place.topic, place.partition)] = end
    return found
