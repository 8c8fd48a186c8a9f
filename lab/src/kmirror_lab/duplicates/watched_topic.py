"""The topic or its copy, looked at while a scenario goes on, and counted in the end."""

from __future__ import annotations

from contextlib import closing

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from kmirror.model import TopicPartition
from kmirror_lab.cluster.clients import admin_client
from kmirror_lab.duplicates.input import WARM_UP, number_of
from kmirror_lab.oracle.ends import ends
from kmirror_lab.oracle.stream import Stream, records
from kmirror_lab.process.host import Host

# A topic's name is known before its partitions have a leader that knows of it.
_NEWBORN = {
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
}


class WatchedTopic:
    """
    A topic, seen from its own side of the link: its link is no hindrance.

    Args:
        bootstrap: The cluster.
        topic: The topic, which may come later.
        host: The side.
    """

    def __init__(self, bootstrap: str, topic: str, host: Host) -> None:
        self._bootstrap = bootstrap
        self._topic = topic
        self._host = host
        self._admin: AdminClient | None = None

    def ends(self) -> dict[int, int]:
        """Return each partition's end for a read_committed reader; of a newborn topic none."""
        if self._admin is None:
            with self._host.inside():
                self._admin = admin_client(self._bootstrap)
        try:
            found = ends(self._admin, [self._topic], committed=True)
        except KafkaException as error:
            if error.args[0].code() in _NEWBORN:
                return {}
            raise
        return {place.partition: end for place, end in found.items()}

    def numbers(self, partition: int, end: int) -> list[tuple[int, int]]:
        """Read offset and number of every record up to *end*, but the first of the scenario."""
        place = TopicPartition(self._topic, partition)
        with self._host.inside():
            stream = Stream(self._bootstrap, place, end)
        with closing(stream):
            return [
                (offset, number_of(row[2]))
                for offset, row in records(stream)
                if row[2] != WARM_UP.encode()
            ]
