"""How a load went, second by second; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.sequence.latencies import Latencies

_MOMENTS_MAX = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """
    What happened up to a moment, since the one before.

    Args:
        at_s: When, since the beginning.
        took_s: How long it was.
        records, bytes: How many came or went.
        p50_s, p99_s, max_s: How long they took; 0 without any.
    """

    at_s: float
    took_s: float
    records: int
    bytes: int
    p50_s: float
    p99_s: float
    max_s: float


class Course:
    """
    Collects moments; of a long run the moments grow longer: memory does not grow.

    Args:
        began_s: When it began, on a monotonic clock.
        every_s: How long a moment is at first.
    """

    def __init__(self, began_s: float, *, every_s: float = 1.0) -> None:
        self._began_s = began_s
        self._every_s = every_s
        self._last_s = began_s
        self._records = self._bytes = 0
        self._latencies = Latencies()
        self._moments: list[tuple[Moment, Latencies]] = []

    def add(self, size: int, latency_us: int | None) -> None:
        """Count a record and how long it took."""
        self._records += 1
        self._bytes += size
        if latency_us is not None:
            self._latencies.add_us(latency_us)

    def look(self, now_s: float, *, is_over: bool = False) -> None:
        """End the present moment if its time has come, or because the run is over."""
        if now_s - self._last_s < self._every_s and not (is_over and now_s > self._last_s):
            return
        found = self._latencies
        moment = _moment(
            now_s - self._began_s, now_s - self._last_s, self._records, self._bytes, found
        )
        self._moments.append((moment, found))
        self._last_s, self._records, self._bytes = now_s, 0, 0
        self._latencies = Latencies()
        if len(self._moments) >= _MOMENTS_MAX:
            self._moments = _halved(self._moments)
            self._every_s *= 2

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All of them, in order."""
        return tuple(moment for moment, _ in self._moments)


def _halved(moments: Sequence[tuple[Moment, Latencies]]) -> list[tuple[Moment, Latencies]]:
    """Join each two."""
    found = []
    for at in range(0, len(moments) - 1, 2):
        (first, ours), (second, theirs) = moments[at], moments[at + 1]
        ours.merge(theirs)
        joined = _moment(
            second.at_s,
            first.took_s + second.took_s,
            first.records + second.records,
            first.bytes + second.bytes,
            ours,
        )
        found.append((joined, ours))
    return found + list(moments[len(moments) - len(moments) % 2 :])


def _moment(at_s: float, took_s: float, records: int, size: int, found: Latencies) -> Moment:
    return Moment(
        at_s=at_s,
        took_s=took_s,
        records=records,
        bytes=size,
        p50_s=found.percentile_s(50),
        p99_s=found.percentile_s(99),
        max_s=found.percentile_s(100),
    )
