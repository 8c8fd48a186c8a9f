"""What the API says of how a flow was in the last hours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PlotRange(StrEnum):
    """How far back."""

    QUARTER = "15m"
    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "24h"

    @property
    def words(self) -> str:
        """The same for people."""
        return {"m": "{} min", "h": "{} h"}[self.value[-1]].format(self.value[:-1])

    @property
    def span_s(self) -> int:
        """The same in seconds."""
        return int(self.value[:-1]) * {"m": 60, "h": 3600}[self.value[-1]]

    @property
    def step_s(self) -> float:
        """What a point is of, seconds: as many points for each range."""
        return self.span_s / 180


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotPoint:
    """
    A flow in some seconds.

    Args:
        at_ms: Their end, milliseconds since the epoch.
        lag_records, lag_seconds: The largest lag that was seen in them; null when not known.
        records_per_s, bytes_per_s: What was copied; null when not known.
        latency_p50_s, latency_p95_s, latency_p99_s: How long records took from their fetch to
            their commit, of 50, 95 and 99 per cent at most; null when none was copied, or not
            known.
        age_p50_s, age_p95_s, age_p99_s: The same of how old records were when they were fetched,
            by their own timestamps.
        commit_p50_s, commit_p99_s: The same of how long the target took for a commit.
    """

    at_ms: int
    lag_records: int | None = None
    lag_seconds: float | None = None
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    latency_p99_s: float | None = None
    age_p50_s: float | None = None
    age_p95_s: float | None = None
    age_p99_s: float | None = None
    commit_p50_s: float | None = None
    commit_p99_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotList:
    """
    How a flow was.

    Args:
        flow: `S->T`.
        range: How far back.
        step_s: What a point is of, seconds, at least.
        from_ms, to_ms: The range, milliseconds since the epoch.
        since_ms: Since when whoever answers has looked at the flow: nothing older is known; null
            while nobody has.
        points: Oldest first. The last one is of what there is of its seconds so far.
    """

    flow: str
    range: PlotRange
    step_s: float
    from_ms: int
    to_ms: int
    since_ms: int | None
    points: tuple[PlotPoint, ...]
