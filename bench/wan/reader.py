"""A reader beside the target: what has arrived, when, and how late."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from confluent_kafka import Consumer, TopicPartition

from kmirror.clock import Clock
from kmirror.lab.clients import consumer
from kmirror.lab.host import Host

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


class Reader:
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
        with host.inside():
            self._consumer: Consumer = consumer(bootstrap, isolation_level="read_committed")
        self._consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name="wan-reader", daemon=True)
        self.arrivals: list[Arrival] = []

    @property
    def count(self) -> int:
        """How many records have come."""
        return self.arrivals[-1].count if self.arrivals else 0

    def since(self, at_s: float) -> list[Arrival]:
        """Give what came later than a moment."""
        return [each for each in self.arrivals if each.at_s > at_s]

    def _read(self) -> None:
        count = 0
        while not self._stop.is_set():
            messages = self._consumer.consume(_BATCH_RECORDS, timeout=_READ_S)
            good = [each for each in messages if each.error() is None]
            if good:
                count += len(good)
                late_ms = self._clock.wall_ms() - good[-1].timestamp()[1]
                self.arrivals.append(Arrival(self._clock.monotonic_s(), count, late_ms))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._consumer.close()
