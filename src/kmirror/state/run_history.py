"""Remembers what a run does, in memory that does not grow."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence

import kmirror
from kmirror.clock import Clock
from kmirror.events.emit import Occurrence
from kmirror.events.table import FLOW_PROGRESS
from kmirror.model import Flow
from kmirror.sequence.latencies import PERCENTILES
from kmirror.state.meter import HistogramSums, SlotMeter
from kmirror.state.observed import ObservedFlow
from kmirror.state.run_record import RunEvent, RunFlow, RunRecord, RunSample, RunTopic

_SAMPLES_MAX = 720
_EVENTS_MAX = 1_000
_TOPICS_MAX = 1_000
_PARKED_MAX = 100


class _FlowHistory:
    """The samples of one flow; of a long run they lie further apart."""

    def __init__(self) -> None:
        self.samples: list[RunSample] = []
        self._counts: Sequence[float] = ()
        self._every_s = 0.0
        self._last_s = 0.0

    def look(self, observed: ObservedFlow, now_ms: int, now_s: float) -> None:
        if self.samples and now_s - self._last_s < self._every_s:
            return
        self._last_s = now_s
        self.samples.append(self._sample(observed, now_ms))
        self._counts = latency_counts(observed) or self._counts
        if len(self.samples) >= _SAMPLES_MAX:
            first_s = (self.samples[-1].at_ms - self.samples[0].at_ms) / 1000
            self._every_s = 2 * first_s / len(self.samples)
            self.samples = self.samples[::2]

    def up_to_now(self, observed: ObservedFlow, now_ms: int) -> tuple[RunSample, ...]:
        """Give the samples, and how the flow stands now: the last one may be long ago."""
        is_new = not self.samples or self.samples[-1].at_ms < now_ms
        return (*self.samples, *((self._sample(observed, now_ms),) if is_new else ()))

    def _sample(self, observed: ObservedFlow, now_ms: int) -> RunSample:
        fresh = fresh_counts(self._counts, latency_counts(observed))
        status = observed.board.status
        return RunSample(
            at_ms=now_ms,
            state=status.state.value,
            records=status.records,
            bytes=status.bytes,
            lag_records=status.lag_records,
            lag_s=status.lag_s(now_ms),
            p50_s=percentile_s(fresh, 50),
            p99_s=percentile_s(fresh, 99),
        )


class RunHistory:
    """
    Remembers a run; a sink of `events.emit`.

    Args:
        flows: Gives the flows of the process.
        process: Who it is, as `host:pid`.
        clock: Where time comes from.
    """

    def __init__(
        self, flows: Callable[[], Sequence[ObservedFlow]], process: str, clock: Clock
    ) -> None:
        self._flows = flows
        self._process = process
        self._clock = clock
        self._began_ms = clock.wall_ms()
        self._lock = threading.Lock()
        # Events come from threads that hold other locks: nothing else is taken under this one.
        self._events_lock = threading.Lock()
        self._of: dict[Flow, _FlowHistory] = {}
        self._events: deque[RunEvent] = deque(maxlen=_EVENTS_MAX)
        self._event_count = 0

    def __call__(self, occurrence: Occurrence) -> None:
        """Take an event, but for those that only tell figures."""
        if occurrence.level < logging.INFO or occurrence.event is FLOW_PROGRESS:
            return
        event = RunEvent(
            at_ms=self._clock.wall_ms(),
            level=logging.getLevelName(occurrence.level),
            name=occurrence.event.name,
            text=str(occurrence),
        )
        with self._events_lock:
            self._event_count += 1
            self._events.append(event)

    def look(self) -> None:
        """Take a sample of every flow."""
        now_ms, now_s = self._clock.wall_ms(), self._clock.monotonic_s()
        with self._lock:
            for observed in self._flows():
                flow = observed.board.status.flow
                self._of.setdefault(flow, _FlowHistory()).look(observed, now_ms, now_s)

    def record(self) -> RunRecord:
        """Return what was done up to now."""
        now_ms = self._clock.wall_ms()
        with self._lock:
            flows = tuple(self._flow(each, now_ms) for each in self._flows())
        with self._events_lock:
            events, count = tuple(self._events), self._event_count
        return RunRecord(
            process=self._process,
            version=kmirror.__version__,
            began_ms=self._began_ms,
            at_ms=now_ms,
            flows=flows,
            events=events,
            events_before=count - len(events),
        )

    def _flow(self, observed: ObservedFlow, now_ms: int) -> RunFlow:
        status, counts = observed.board.status, latency_counts(observed)
        judgement = status.judgement(now_ms)
        history = self._of.get(status.flow)
        topics = sorted(status.topics, key=lambda each: (-each.records, each.topic))
        found = ((part, percentile_s(counts, part)) for part in PERCENTILES)
        return RunFlow(
            flow=status.flow,
            state=status.state.value,
            words=status.words,
            verdict=judgement.verdict.value,
            verdict_words=judgement.words,
            latency=tuple((part, value) for part, value in found if value is not None),
            parked=tuple(f"{each.partition}: {each.reason}" for each in status.parked)[
                :_PARKED_MAX
            ],
            samples=() if history is None else history.up_to_now(observed, now_ms),
            topics=tuple(
                RunTopic(
                    topic=each.topic,
                    partitions=each.partitions,
                    records=each.records,
                    bytes=each.bytes,
                    whole_records=each.whole_records,
                    lag_records=each.lag_records,
                    left_out=each.skipped + each.kept,
                )
                for each in topics[:_TOPICS_MAX]
            ),
            topics_more=max(0, len(topics) - _TOPICS_MAX),
        )


def latency_counts(observed: ObservedFlow) -> list[float]:
    """Return how many records took up to 1, 2, 4, 8 … ms; empty while no lane has reported."""
    return time_counts(observed, lambda slot: slot.latency)


def time_counts(observed: ObservedFlow, times: Callable[[SlotMeter], HistogramSums]) -> list[float]:
    """
    Return how many of some times were up to 1, 2, 4, 8 … ms; empty while no lane has reported.

    Args:
        observed: The flow.
        times: Which times of a slot.
    """
    with observed.meter.lock:
        slots = list(observed.meter.slots.values())
        columns = zip(*(times(slot).counts for slot in slots), strict=True)
        return [sum(column) for column in columns]


def fresh_counts(before: Sequence[float], now: Sequence[float]) -> Sequence[float]:
    """
    Return what has come between two looks at counts; all of what began anew.

    Args:
        before: What was counted then; empty if nobody had.
        now: What is counted now; the same.
    """
    if not before or not now or sum(now) < sum(before):
        return now
    return [count - then for count, then in zip(now, before, strict=True)]


def percentile_s(counts: Sequence[float], per_cent: float) -> float | None:
    """
    Return what so many per cent did not exceed, seconds; `None` of none.

    Args:
        counts: How many took up to 1, 2, 4, 8 … ms. Within a bucket they count as evenly spread.
        per_cent: From 0 to 100.
    """
    total = sum(counts)
    if total <= 0:
        return None
    wanted, seen = per_cent / 100 * total, 0.0
    for power, count in enumerate(counts):
        if count and seen + count >= wanted:
            low_ms = 0.0 if power == 0 else 2.0 ** (power - 1)
            high_ms = 2.0**power
            return (low_ms + (high_ms - low_ms) * max(0.0, wanted - seen) / count) / 1000
        seen += count
    return float(2.0 ** (len(counts) - 1) / 1000)
