"""Thousands of partitions through four slots: memory, and whether the copy keeps up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
# Of what is offered to find out what the source takes.
_TRIAL_S = 30
_RATE_STEP = 1_000
SMALL_INDEXES = {
    # A new partition's index is a hole of 10 MiB, which the kernel reads in by the megabyte; with
    # 40,000 of them that is a minute's work for the machine, and none for a cluster at work.
    "log.index.size.max.bytes": str(64 * 1024),
}
"""Settings of brokers that get many partitions at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    What is asked of kmirror.

    Args:
        partitions: How many.
        rate: Records a second, spread over all of them.
        rss_gib_max: How much memory it may use, GiB.
        name: Its name, where the rate is none.
    """

    partitions: int
    rate: int
    rss_gib_max: float
    name: str = ""

    @property
    def label(self) -> str:
        """Its name, short."""
        return self.name or f"{self.partitions}@{self.rate}"


CASES = (
    Case(partitions=1_000, rate=20_000, rss_gib_max=2.5),
    Case(partitions=1_000, rate=50_000, rss_gib_max=2.0),
    Case(partitions=10_000, rate=50_000, rss_gib_max=4.0),
)
TAKEN = replace(CASES[-1], name="10000@taken")
"""As much as the source takes, which is measured first: its rate is what is offered for that."""


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
    def taken_per_s(self) -> float:
        """How many records a second the source took."""
        return self.age_ms.count / self.seconds

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
    for case in cases:
        yield _run_case(folder, case, _SECONDS, scale=scale, clock=clock, tell=tell)


def run_taken(
    folder: Path, *, scale: float, clock: Clock, tell: Callable[[str], None]
) -> PartitionsRun:
    """
    Offer more than the source takes, and measure kmirror at the rate that it took.

    With one partition in each request of the producer, brokers and producer have all of a small
    machine's processors before the source has taken what is offered.

    Args:
        folder: For clusters and logs.
        scale: The part of the partitions and of the time that is used.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    trial = _run_case(folder / "trial", TAKEN, _TRIAL_S, scale=scale, clock=clock, tell=tell)
    rate = max(_RATE_STEP, int(trial.taken_per_s) // _RATE_STEP * _RATE_STEP)
    case = replace(TAKEN, rate=rate)
    return _run_case(folder, case, _SECONDS, scale=scale, clock=clock, tell=tell)


def _run_case(
    folder: Path,
    case: Case,
    seconds: int,
    *,
    scale: float,
    clock: Clock,
    tell: Callable[[str], None],
) -> PartitionsRun:
    partitions = max(_PARTITIONS_MIN, int(case.partitions * scale))
    tell(f"{partitions:,} partitions at {case.rate:,} records/s: {KMIRROR_4_SLOTS.label}")
    place = folder / f"partitions-{case.label}"
    with (
        Arena(place, config=SMALL_INDEXES) as arena,
        flowing(
            arena, KMIRROR_4_SLOTS, partitions=partitions, folder=place / "logs", clock=clock
        ) as stream,
    ):
        warm_up_s, measured_s = (
            max(_SECONDS_MIN, int(each * scale)) for each in (_WARM_UP_S, seconds)
        )
        return _measure(stream, case, warm_up_s, measured_s)


def _measure(stream: Stream, case: Case, warm_up_s: int, seconds: int) -> PartitionsRun:
    load = stream.load(
        rate=case.rate,
        # A little more, so that the last moment of the measurement is like the others.
        records=case.rate * (warm_up_s + seconds + 1),
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
        peak_rss_bytes=passage.usage.peak_rss_bytes,
        age_ms=quantiles(ages_ms(arrivals, warm_up_s=warm_up_s, seconds=seconds)),
        lag=lag_series(arrivals, warm_up_s=warm_up_s, seconds=seconds),
    )
