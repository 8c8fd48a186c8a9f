"""
A lag in time: how long ago the source got the first record that the target has not; pure.

The end of a partition is looked at every 1 to 3 s; where nothing moves, every 15 s at the latest.
So it is known, to that time, when the source had an offset, whatever the record's timestamp says:
records of last year that are copied today are no lag of a year. What the source had before the
first look is dated by the newest record that was copied, and by the first look alone until one was.
"""

from __future__ import annotations

from enum import Enum

from kmirror.policy.lag_verdicts import LagLimits, LagVerdict, Look, judge

_ARRIVALS_MAX = 16
_LOOKS_MAX = 20
_LOOK_MS = 3_000


class LagExactness(Enum):
    """How a lag in time is known."""

    LOOKS = "looks"
    TIMESTAMPS = "timestamps"
    AT_LEAST = "at least"


class PartitionLag:
    """
    The lag of one partition, from look to look.

    Memory is for partitions that lag: one that has caught up keeps three numbers.
    """

    __slots__ = (
        "_arrivals",
        "_caught_up_at",
        "_copied_ms",
        "_looks",
        "_now_ms",
        "_position",
        "_since_ms",
        "exactness",
        "lag",
        "seconds",
        "verdict",
    )

    def __init__(self) -> None:
        # Where the source ended, and when that was seen, oldest first.
        self._arrivals: list[tuple[int, int]] = []
        self._caught_up_at: tuple[int, int] | None = None
        self._looks: list[Look] = []
        self._since_ms = 0
        self._now_ms = 0
        self._position = 0
        self._copied_ms = -1
        self.lag = 0
        self.seconds = 0.0
        self.exactness = LagExactness.LOOKS
        self.verdict = LagVerdict.OK

    @property
    def looks(self) -> tuple[Look, ...]:
        """The window, oldest first; empty for what has caught up."""
        return tuple(self._looks)

    def look(
        self,
        now_ms: int,
        seen_ms: int,
        *,
        position: int,
        end: int,
        committed_ms: int,
        copied_ms: int,
        limits: LagLimits,
    ) -> None:
        """
        Take note of where a partition is.

        Args:
            now_ms: The time, milliseconds since the epoch.
            seen_ms: When the source told the end: before that, if it does not answer now.
            position: The next offset to copy.
            end: Where the source ends.
            committed_ms: When who copies it committed last, whatever that was; 0 for never.
            copied_ms: The timestamp of the newest record that was copied; -1 when not known.
            limits: What is no trouble yet.
        """
        if end <= position:
            self._catch_up(end, seen_ms)
            return
        self._now_ms, self._position, self._copied_ms = now_ms, position, copied_ms
        if not self._arrivals:
            self._since_ms = seen_ms
            if self._caught_up_at is not None:
                self._arrivals.append(self._caught_up_at)
        self._arrive(end, seen_ms)
        self.lag = end - position
        self.seconds, self.exactness = self._age()
        looked = Look(max(committed_ms, self._since_ms), position, self.lag)
        if self._keep(looked) or now_ms - looked.at_ms > limits.stop_ms:
            self.verdict = judge(
                self._looks,
                now_ms=now_ms,
                lag=self.lag,
                since_ms=self._since_ms,
                lag_s=self.seconds,
                limits=limits,
            )

    def rested(self, seen_ms: int) -> None:
        """
        Note that looks were left out at which it was as at the last one: nothing was missing.

        Args:
            seen_ms: When the source told its end at the last of them.
        """
        if self._caught_up_at is not None:
            self._caught_up_at = (self._caught_up_at[0], seen_ms)

    def _catch_up(self, end: int, seen_ms: int) -> None:
        self._caught_up_at = (end, seen_ms)
        if self.lag:
            self._arrivals.clear()
            self._looks.clear()
            self.lag, self.seconds = 0, 0.0
            self.exactness, self.verdict = LagExactness.LOOKS, LagVerdict.OK

    def _arrive(self, end: int, seen_ms: int) -> None:
        arrivals = self._arrivals
        if not arrivals or end > arrivals[-1][0]:
            arrivals.append((end, seen_ms))
        while len(arrivals) >= 2 and arrivals[1][0] <= self._position:
            del arrivals[0]
        if len(arrivals) > _ARRIVALS_MAX:
            # Between two looks that stay, records are taken to have come evenly.
            del arrivals[1:-1:2]

    def _age(self) -> tuple[float, LagExactness]:
        first_end, first_ms = self._arrivals[0]
        if self._position < first_end:
            return self._age_before(first_ms)
        end, at_ms = self._arrivals[1]
        share = (self._position - first_end) / (end - first_end)
        arrived_ms = first_ms + share * (at_ms - first_ms)
        return max(0.0, (self._now_ms - arrived_ms) / 1000), LagExactness.LOOKS

    def _age_before(self, first_ms: int) -> tuple[float, LagExactness]:
        """Date what the source had when it was looked at first."""
        seen_s = (self._now_ms - first_ms) / 1000
        if self._copied_ms < 0:
            return seen_s, LagExactness.AT_LEAST
        return max(seen_s, (self._now_ms - self._copied_ms) / 1000), LagExactness.TIMESTAMPS

    def _keep(self, looked: Look) -> bool:
        """Put a look into the window, now and then, if there was a commit since the last one."""
        looks = self._looks
        kept = not looks or (
            looked.at_ms - looks[-1].at_ms >= _LOOK_MS
            or looked.position < looks[-1].position
            or self.verdict is LagVerdict.REWIND
        )
        if kept:
            looks.append(looked)
            del looks[:-_LOOKS_MAX]
        return kept
