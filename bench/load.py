"""A producer in a process of its own that writes at a fixed rate; the time is in each value."""

from __future__ import annotations

import struct
import sys
import threading
import time
from array import array
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from confluent_kafka import KafkaError, Message
from kmirror_lab.cluster.clients import drain, producer
from kmirror_lab.process.process import ProcessId

from bench.worker import read_spec, start_worker, stop_event
from kmirror.clock import Clock, SystemClock

CREATED = struct.Struct(">q")
"""How a value begins: nanoseconds since the epoch."""

_PAUSE_S = 0.001
_FLUSH_S_MAX = 120  # less than what waits for this process gives it


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """
    What is written.

    Args:
        bootstrap: The cluster.
        topic: A topic that exists.
        partitions: How many partitions are written to, from 0, in turn.
        rate: Records a second.
        records: How many; 0 means until it is stopped.
        size_bytes: The length of each value.
        run_records: How many records one partition gets in turn.
        linger_ms: How long the producer collects records for a batch.
        answers: A file for when each record was written and when the cluster had it, see
            `read_pairs`.
        more_topics: Others with as many partitions, written to in turn.
    """

    bootstrap: str
    topic: str
    partitions: int
    rate: int
    records: int = 0
    size_bytes: int = 100
    run_records: int = 1
    linger_ms: int = 0
    answers: Path | None = None
    more_topics: tuple[str, ...] = ()

    def start(self, log: Path) -> ProcessId:
        """Start it in a process that dies with this one; *log* gets what it complains about."""
        answers = self.answers and str(self.answers)
        return start_worker("bench.load", asdict(self) | {"answers": answers}, log)


class _Writer:
    """The inside of the process."""

    def __init__(self, load: Load, clock: Clock) -> None:
        self._load = load
        self._clock = clock
        self._topics = (load.topic, *load.more_topics)
        self._padding = bytes(load.size_bytes - CREATED.size)
        self._sent = 0
        self._refused: list[KafkaError] = []
        self._answers: array[int] = array("q")
        self._client = producer(load.bootstrap, acks="all", linger_ms=str(load.linger_ms))

    def write_until(self, stop: threading.Event) -> None:
        """
        Write at the rate until all is written or *stop* is set.

        Raises:
            KafkaException: A record was refused.
            ClusterUnavailable: Not all were taken in time.
        """
        rate, total = self._load.rate, self._load.records or sys.maxsize
        begun_s = self._clock.monotonic_s()
        while self._sent < total and not stop.is_set():
            due = min(total, 1 + int((self._clock.monotonic_s() - begun_s) * rate))
            while self._sent < due:
                self._write_one()
            self._client.poll(0)
            ahead_s = self._sent / rate - (self._clock.monotonic_s() - begun_s)
            self._clock.wait(stop, max(ahead_s, _PAUSE_S))
        drain(self._client, timeout_s=_FLUSH_S_MAX, refused=self._refused)
        if self._load.answers:
            self._load.answers.write_bytes(self._answers.tobytes())

    def _write_one(self) -> None:
        load = self._load
        turn, partition = divmod(self._sent // load.run_records, load.partitions)
        while True:
            try:
                self._client.produce(
                    self._topics[turn % len(self._topics)],
                    CREATED.pack(time.time_ns()) + self._padding,
                    partition=partition,
                    on_delivery=self._answered,
                )
                break
            except BufferError:
                self._client.poll(_PAUSE_S)
        self._sent += 1

    def _answered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._refused.append(error)
        elif self._load.answers:
            value, latency_s = message.value(), message.latency()
            assert value is not None, "it was written with one"
            assert latency_s is not None, "it was answered"
            created_ns = CREATED.unpack_from(value)[0]
            self._answers.append(created_ns)
            self._answers.append(created_ns + int(latency_s * 1e9))


def main() -> None:
    """Write the load that the first argument describes, until SIGTERM."""
    spec = read_spec()
    answers = spec["answers"] and Path(str(spec["answers"]))
    # A list is what JSON has for a tuple.
    topics = cast("list[str]", spec["more_topics"])
    found = spec | {"answers": answers, "more_topics": tuple(topics)}
    load = Load(**found)  # type: ignore[arg-type]  # `Load.start` wrote it
    _Writer(load, SystemClock()).write_until(stop_event())


if __name__ == "__main__":
    main()
