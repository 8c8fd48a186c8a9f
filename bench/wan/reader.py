"""A reader beside the target: what has arrived, when, and how late."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType

from confluent_kafka import Consumer, TopicPartition
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.process.host import Host

from bench.sampler import Sampler
from kmirror.clock import Clock

_BATCH_RECORDS = 5_000
_READ_S = 0.1


@dataclass(frozen=True, slots=True)
class Arrival:
    """
    Some records that came together.

    Args:
        at_s: When, on the monotonic clock.
        count: How many had come by then.
        late_ms: How long ago the last of them was made.
    """

    at_s: float
    count: int
    late_ms: int


class Reader(Sampler[Arrival | None]):
    """
    Reads a topic from its beginning, read_committed, while its context lasts.

    Args:
        bootstrap: The cluster.
        topic: The topic.
        partitions: How many it has.
        host: Where the cluster is.
        clock: Where time comes from.
    """

    def __init__(
        self, bootstrap: str, topic: str, partitions: int, host: Host, clock: Clock
    ) -> None:
        # It waits in Kafka's client.
        super().__init__(lambda: self._read(clock), clock, pause_s=0)
        with host.inside():
            self._consumer: Consumer = consumer(bootstrap, isolation_level="read_committed")
        self._consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
        self._count = 0

    @property
    def count(self) -> int:
        """How many records have come."""
        return self._count

    def since(self, at_s: float) -> list[Arrival]:
        """Give what came later than a moment."""
        return [each for each in self.samples if each is not None and each.at_s > at_s]

    def _read(self, clock: Clock) -> Arrival | None:
        first = self._consumer.poll(_READ_S)
        if first is None:
            return None
        # Given any time it would wait for as many records as it may give.
        more = self._consumer.consume(_BATCH_RECORDS, timeout=0)
        good = [each for each in (first, *more) if each.error() is None]
        if not good:
            return None
        self._count += len(good)
        late_ms = clock.wall_ms() - good[-1].timestamp()[1]
        return Arrival(clock.monotonic_s(), self._count, late_ms)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        self._consumer.close()
