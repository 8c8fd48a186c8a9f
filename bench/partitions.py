"""Thousands of partitions through four slots: memory, and whether the copy keeps up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.arena import Arena
from bench.arrival import ages_ms, lag_series
from bench.contestant import KMIRROR_4_SLOTS
from bench.quantiles import Quantiles, quantiles
from bench.stream import Stream, flowing
from kmirror.clock import Clock

_SECONDS = 120
# The JVM compiles what it runs often; that is over by then.
_WARM_UP_S = 30
_PARTITIONS_MIN = 16
_SECONDS_MIN = 5
# A producer's own partitioner stays with a partition until a batch of 16 KiB is full.
_RUN_RECORDS = 100
_LINGER_MS = 20
_CONFIG = {
    # A new partition's index is a hole of 10 MiB, which the kernel reads in by the megabyte; with
    # 40,000 of them that is a minute's work for the machine, and none for a cluster at work.
    "log.index.size.max.bytes": str(64 * 1024),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    What is asked of kmirror.

    Args:
        partitions: How many.
        rate: Records a second, spread over all of them.
        rss_gib_max: How much memory it may use, GiB.
    """

    partitions: int
    rate: int
    rss_gib_max: float

    @property
    def label(self) -> str:
        """Its name, short."""
        return f"{self.partitions}@{self.rate}"


CASES = (
    Case(partitions=1_000, rate=20_000, rss_gib_max=2.5),
    Case(partitions=1_000, rate=50_000, rss_gib_max=2.0),
    Case(partitions=10_000, rate=50_000, rss_gib_max=4.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionsRun:
    """
    kmirror mirrored a stream of many partitions.

    Args:
        case: The label of its `Case`.
        partitions: How many.
        rate: Records a second.
        seconds: How long, after a warm-up.
        peak_rss_bytes: The most memory of all its processes at one moment.
        age_ms: How long after the source's answer a read_committed consumer got the records.
        lag: Records that the source has and the consumer has not, second by second.
    """

    case: str
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
    folder: Path,
    cases: Sequence[Case],
    *,
    scale: float,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[PartitionsRun]:
    """
    Measure kmirror with four slots.

    Args:
        folder: For clusters and logs.
        cases: What is measured.
        scale: The part of the partitions and of the time that is used.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    seconds = max(_SECONDS_MIN, int(_SECONDS * scale))
    for case in cases:
        partitions = max(_PARTITIONS_MIN, int(case.partitions * scale))
        tell(f"{partitions:,} partitions at {case.rate:,} records/s: {KMIRROR_4_SLOTS.label}")
        place = folder / f"partitions-{case.label}"
        with (
            Arena(place, config=_CONFIG) as arena,
            flowing(
                arena, KMIRROR_4_SLOTS, partitions=partitions, folder=place / "logs", clock=clock
            ) as stream,
        ):
            yield _measure(stream, case, seconds)


def _measure(stream: Stream, case: Case, seconds: int) -> PartitionsRun:
    load = stream.load(
        rate=case.rate,
        # A little more, so that the last moment of the measurement is like the others.
        records=case.rate * (_WARM_UP_S + seconds + 1),
        run_records=_RUN_RECORDS,
        linger_ms=_LINGER_MS,
        # With one partition in each request, as librdkafka writes, the load itself gets late.
        answers=True,
    )
    passage = stream.send(load, ["read_committed"])
    arrivals = passage.arrivals["read_committed"]
    return PartitionsRun(
        case=case.label,
        partitions=stream.partitions,
        rate=case.rate,
        seconds=seconds,
        peak_rss_bytes=passage.peak_rss_bytes,
        age_ms=quantiles(ages_ms(arrivals, warm_up_s=_WARM_UP_S, seconds=seconds)),
        lag=lag_series(arrivals, warm_up_s=_WARM_UP_S, seconds=seconds),
    )
