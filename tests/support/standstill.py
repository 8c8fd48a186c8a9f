"""A topic that is written to all the time, and how long its copy ever stood still."""

from __future__ import annotations

import threading
from itertools import pairwise
from types import TracebackType
from typing import Self

from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import consumer, producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock

_WRITE_INTERVAL_S = 0.02
_POLL_S = 0.02
_ARRIVE_S_MAX = 60.0


class Standstill:
    """
    Writes and reads in threads of its own, until its context ends.

    Args:
        source, topic: Where it writes, a record every 20 ms.
        target, copy: Where these arrive.
    """

    def __init__(self, source: Cluster, topic: str, target: Cluster, copy: str) -> None:
        self._topic = topic
        self._clock = SystemClock()
        self._producer = producer(source.bootstrap)
        self._consumer = consumer(target.bootstrap, isolation_level="read_committed")
        _, end = self._consumer.get_watermark_offsets(Place(copy, 0), timeout=10.0)
        self._consumer.assign([Place(copy, 0, end)])
        self._written = 0
        self._arrived: list[tuple[bytes | None, float]] = []
        self._writes_no_more, self._closed = threading.Event(), threading.Event()
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._write, self._read)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        wait_until(lambda: bool(self._arrived), "records arrive", timeout_s=_ARRIVE_S_MAX)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._writes_no_more.set()
        self._threads[0].join(_ARRIVE_S_MAX)
        self._producer.flush(_ARRIVE_S_MAX)
        if error is None:
            wait_until(lambda: len(self._arrived) >= self._written, "all", timeout_s=_ARRIVE_S_MAX)
        self._closed.set()
        self._threads[1].join(_ARRIVE_S_MAX)
        self._consumer.close()

    def settle(self) -> None:
        """Wait until something arrives that is written from now on."""
        wanted = self._written + 1
        wait_until(lambda: len(self._arrived) >= wanted, "it goes on", timeout_s=_ARRIVE_S_MAX)

    @property
    def is_exact(self) -> bool:
        """Whether each record has arrived once, in order."""
        values = [value for value, _ in self._arrived]
        return values == [f"{number}".encode() for number in range(self._written)]

    @property
    def longest_s(self) -> float:
        """How long nothing arrived, at most."""
        times = [at_s for _, at_s in self._arrived]
        return max(later - at_s for at_s, later in pairwise(times))

    def _write(self) -> None:
        while not self._clock.wait(self._writes_no_more, _WRITE_INTERVAL_S):
            self._producer.produce(self._topic, f"{self._written}".encode(), partition=0)
            self._producer.poll(0)
            self._written += 1

    def _read(self) -> None:
        while not self._closed.is_set():
            message = self._consumer.poll(_POLL_S)
            if message is not None and message.error() is None:
                self._arrived.append((message.value(), self._clock.monotonic_s()))
