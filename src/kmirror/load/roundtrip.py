"""Writes records on one side and reads them on the other, at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from kmirror.clock import Clock
from kmirror.load.consumer import LoadConsumer
from kmirror.load.content import Content
from kmirror.load.producer import LoadProducer
from kmirror.load.result import Consumed, Produced, Verdict

# A second copy of a record may come behind the first one of the last.
_SETTLE_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrip:
    """
    What a round trip came to.

    Args:
        produced, consumed: Of either side.
        verdict: Whether the one is the other.
    """

    produced: Produced
    consumed: Consumed
    verdict: Verdict


class _Producing(threading.Thread):
    """The thread that writes."""

    def __init__(
        self, producer: LoadProducer, contents: Iterator[Content], stop: threading.Event
    ) -> None:
        super().__init__(name="kmirror-load", daemon=True)
        self._producer = producer
        self._contents = contents
        self._stop_it = stop
        self.produced: Produced | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.produced = self._producer.run(self._contents, self._stop_it)
        except Exception as error:  # noqa: BLE001 - whoever waits for this thread raises it
            self.error = error


def round_trip(
    producer: LoadProducer,
    consumer: LoadConsumer,
    contents: Iterator[Content],
    stop: threading.Event,
    *,
    patience_s: float,
    clock: Clock,
) -> RoundTrip:
    """
    Write and read until all has come.

    Args:
        producer, consumer: Of either side; the consumer follows, and has begun.
        contents: What is written.
        stop: Ends the writing; what is written is still waited for.
        patience_s: How long nothing new may come once all is written.
        clock: Where time comes from.

    Raises:
        ClusterError: A cluster refused, or is gone for good.
        RowProblem: A row of the input cannot be sent.
    """
    thread = _Producing(producer, contents, stop)
    seen, since_s = 0, clock.monotonic_s()

    def is_over() -> bool:
        nonlocal seen, since_s
        if thread.error is not None:
            return True
        now_s, records = clock.monotonic_s(), consumer.records
        if records != seen or thread.is_alive():
            seen, since_s = records, now_s
        if thread.is_alive():
            return False
        has_all = consumer.audits.distinct >= producer.written.acknowledged
        return now_s - since_s >= (_SETTLE_S if has_all else patience_s)

    thread.start()
    try:
        consumed = consumer.run(threading.Event(), is_over)
    finally:
        stop.set()
        thread.join()
    if thread.error is not None:
        raise thread.error
    assert thread.produced is not None, "it has ended without an error"
    verdict = consumer.audits.verdict(thread.produced.written)
    return RoundTrip(produced=thread.produced, consumed=consumed, verdict=verdict)
