"""What it costs the brokers that records are committed soon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.arena import Arena
from bench.arrival import ages_ms
from bench.contestant import KMIRROR, Contestant, Program, in_turn
from bench.growth import Growth
from bench.latency import ISOLATIONS
from bench.quantiles import Quantiles, quantiles
from bench.stream import Stream, flowing, warm_brokers
from bench.usage import UsageMeter, cpu_between_s
from kmirror.clock import Clock

BY_THE_CLOCK = replace(
    KMIRROR,
    name="kmirror-by-the-clock",
    label="kmirror, commits by the clock",
    program=Program.BY_THE_CLOCK,
)
RULES = (BY_THE_CLOCK, KMIRROR)
_PARTITIONS = 4
_RATE = 5_000
_WARM_UP_S, _SECONDS = 60, 60
# The consumers' last records, and their end.
_END_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitsRun:
    """
    A steady stream, with commits when they pay or by the clock.

    Args:
        contestant: Which of them.
        rate: Records a second.
        partitions: They went to so many, in turn.
        brokers_cores: Processor seconds that both brokers used in a second.
        cores: And the contestant's processes.
        markers_per_s: How many of them the copy's partitions got.
        age_ms: Of the records, when a read_committed consumer of the target got them.
    """

    contestant: str
    rate: int
    partitions: int
    brokers_cores: float
    cores: float
    markers_per_s: float
    age_ms: Quantiles


def run_commits(
    folder: Path, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[CommitsRun]:
    """
    Copy the same stream by both rules, in turn.

    Args:
        folder: For clusters and logs.
        runs: How often each.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("commits: starting clusters")
    with Arena(folder / "commits") as arena:
        tell("commits: warming the brokers")
        warm = folder / "commits-warm"
        warm_brokers(
            arena, BY_THE_CLOCK, rate=_RATE, partitions=_PARTITIONS, folder=warm, clock=clock
        )
        for number in range(runs):
            for contestant in in_turn(RULES, number):
                tell(f"commits, run {number + 1} of {runs}: {contestant.label}")
                logs = folder / f"commits-{contestant.name}-{number + 1}"
                with flowing(
                    arena, contestant, partitions=_PARTITIONS, folder=logs, clock=clock
                ) as stream:
                    yield _measure(stream, contestant)


def steps(*, runs: int) -> int:
    """Say how many results there will be."""
    return len(RULES) * runs


def _measure(stream: Stream, contestant: Contestant) -> CommitsRun:
    arena, clock = stream.arena, stream.clock
    seconds = _WARM_UP_S + _SECONDS + 1
    load = stream.load(rate=_RATE, records=_RATE * seconds)
    with arena.target_admin() as admin:
        growth = Growth(admin, stream.copy, stream.partitions, clock)
        before = growth.written()
        with UsageMeter(arena.brokers(), clock) as brokers:
            passage = stream.send(load, ISOLATIONS)
        markers = growth.written() - before - load.records
    return CommitsRun(
        contestant=contestant.name,
        rate=_RATE,
        partitions=stream.partitions,
        brokers_cores=_cores(brokers),
        cores=_cores(passage.usage),
        markers_per_s=markers / seconds,
        age_ms=quantiles(
            ages_ms(passage.arrivals["read_committed"], warm_up_s=_WARM_UP_S, seconds=_SECONDS)
        ),
    )


def _cores(meter: UsageMeter) -> float:
    end_s = meter.samples[-1].at_s - _END_S
    return cpu_between_s(meter.samples, end_s - _SECONDS, end_s) / _SECONDS
