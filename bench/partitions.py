"""A thousand partitions through four slots: memory, and whether the copy keeps up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.arena import Arena
from bench.arrival import ages_ms, lag_series
from bench.contestant import KMIRROR_4_SLOTS
from bench.quantiles import Quantiles, quantiles
from bench.stream import Stream, flowing
from kmirror.clock import Clock

_PARTITIONS = 1_000
_RATE = 20_000
_SECONDS = 120
# The JVM compiles what it runs often; that is over by then.
_WARM_UP_S = 15
_PARTITIONS_MIN = 16
_SECONDS_MIN = 5
# A producer's own partitioner stays with a partition until a batch is full.
_RUN_RECORDS = 20
_LINGER_MS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionsRun:
    """
    kmirror mirrored a stream of many partitions.

    Args:
        contestant: Its name.
        partitions: How many.
        rate: Records a second.
        seconds: How long, after a warm-up.
        peak_rss_bytes: The most memory of all its processes at one moment.
        age_ms: How old the records were when a read_committed consumer got them.
        lag: Records created and not yet seen by the consumer, second by second.
    """

    contestant: str
    partitions: int
    rate: int
    seconds: int
    peak_rss_bytes: int
    age_ms: Quantiles
    lag: tuple[int, ...]

    @property
    def behind_s_max(self) -> float:
        """The largest lag, as the time in which so many records are created."""
        return max(self.lag) / self.rate


def run_partitions(
    folder: Path, *, scale: float, clock: Clock, tell: Callable[[str], None]
) -> PartitionsRun:
    """
    Measure kmirror with four slots.

    Args:
        folder: For clusters and logs.
        scale: The part of the partitions and of the time that is used.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    partitions = max(_PARTITIONS_MIN, int(_PARTITIONS * scale))
    seconds = max(_SECONDS_MIN, int(_SECONDS * scale))
    tell(f"{partitions:,} partitions at {_RATE:,} records/s: {KMIRROR_4_SLOTS.label}")
    logs = folder / "partitions-logs"
    with (
        Arena(folder / "partitions") as arena,
        flowing(arena, KMIRROR_4_SLOTS, partitions=partitions, folder=logs, clock=clock) as stream,
    ):
        return _measure(stream, seconds)


def _measure(stream: Stream, seconds: int) -> PartitionsRun:
    load = stream.load(
        rate=_RATE,
        # A little more, so that the last moment of the measurement is like the others.
        records=_RATE * (_WARM_UP_S + seconds + 1),
        run_records=_RUN_RECORDS,
        linger_ms=_LINGER_MS,
    )
    passage = stream.send(load, ["read_committed"])
    arrivals = passage.arrivals["read_committed"]
    return PartitionsRun(
        contestant=KMIRROR_4_SLOTS.name,
        partitions=stream.partitions,
        rate=_RATE,
        seconds=seconds,
        peak_rss_bytes=passage.peak_rss_bytes,
        age_ms=quantiles(ages_ms(arrivals, warm_up_s=_WARM_UP_S, seconds=seconds)),
        lag=lag_series(arrivals, warm_up_s=_WARM_UP_S, seconds=seconds),
    )
