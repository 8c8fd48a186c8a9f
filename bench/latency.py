"""How old records are when a consumer of the target gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from bench.arena import Arena
from bench.arrival import ages_ms
from bench.contestant import KMIRROR, MM2_DEFAULT, MM2_EXACTLY_ONCE, Contestant
from bench.quantiles import QUANTILES, Quantiles, quantiles
from bench.stream import Stream, flowing, warm_brokers
from kmirror.admin.base import Isolation
from kmirror.clock import Clock

RATES = (100, 5_000)
ISOLATIONS: tuple[Isolation, ...] = ("read_uncommitted", "read_committed")
_CONTESTANTS = (MM2_DEFAULT, MM2_EXACTLY_ONCE, KMIRROR)
_PARTITIONS = 4
_MINUTE_S = 60
_WARM_UP_S, _SHORT_WARM_UP_S = 60.0, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRun:
    """
    One contestant mirrored a steady stream.

    Args:
        contestant: Its name.
        rate: Records a second.
        isolation: How the consumer read.
        seconds: How long was measured.
        warm_up_s: How long the stream had been running before.
        latency_ms: From before the record was given to the producer until the consumer had it.
        first_minute_ms: The same of what was written in the stream's first minute.
        peak_rss_bytes: The most memory of all the contestant's processes at one moment.
    """

    contestant: str
    rate: int
    isolation: Isolation
    seconds: int
    warm_up_s: float
    latency_ms: Quantiles
    first_minute_ms: Quantiles
    peak_rss_bytes: int


def _at_last(of: Callable[[Quantiles], float]) -> Callable[[LatencyRun], float]:
    return lambda run: of(run.latency_ms)


def _at_first(of: Callable[[Quantiles], float]) -> Callable[[LatencyRun], float]:
    return lambda run: of(run.first_minute_ms)


LATENCIES: Mapping[str, Callable[[LatencyRun], float]] = {
    **{label: _at_last(of) for label, of in QUANTILES},
    # Of the first minute its slowest records are told.
    **{f"first minute: {label}": _at_first(of) for label, of in QUANTILES[-2:]},
}
"""What is told of a stream, and where it is found."""


def warm_up_s(seconds: int) -> float:
    """Say how long a stream runs before *seconds* of it are measured."""
    return _SHORT_WARM_UP_S if seconds < _MINUTE_S else _WARM_UP_S


def run_latency(
    folder: Path,
    rates: Sequence[int],
    *,
    runs: int,
    seconds: int,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[LatencyRun]:
    """
    Measure MM2 with its defaults and tuned for exactly once, and kmirror, at each rate, in turn.

    Args:
        folder: For clusters and logs.
        rates: Records a second.
        runs: How often each.
        seconds: How long is measured.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("latency: starting clusters")
    with Arena(folder / "latency") as arena:
        tell("latency: warming the brokers")
        warm_brokers(
            arena,
            _CONTESTANTS[0],
            rate=max(rates),
            partitions=_PARTITIONS,
            folder=folder / "latency-warm",
            clock=clock,
        )
        for rate, number, contestant in product(rates, range(runs), _CONTESTANTS):
            tell(f"latency at {rate:,}/s, run {number + 1} of {runs}: {contestant.label}")
            logs = folder / f"latency-{contestant.name}-{rate}-{number + 1}"
            with flowing(
                arena, contestant, partitions=_PARTITIONS, folder=logs, clock=clock
            ) as stream:
                yield from _measure(stream, contestant, rate=rate, seconds=seconds)


def steps(rates: Sequence[int], *, runs: int) -> int:
    """Say how many results there will be."""
    return len(rates) * len(_CONTESTANTS) * len(ISOLATIONS) * runs


def _measure(
    stream: Stream, contestant: Contestant, *, rate: int, seconds: int
) -> Iterator[LatencyRun]:
    warm_s = warm_up_s(seconds)
    load = stream.load(rate=rate, records=int((warm_s + seconds + 1) * rate))
    passage = stream.send(load, ISOLATIONS)
    for isolation, arrivals in passage.arrivals.items():
        yield LatencyRun(
            contestant=contestant.name,
            rate=rate,
            isolation=isolation,
            seconds=seconds,
            warm_up_s=warm_s,
            latency_ms=quantiles(ages_ms(arrivals, warm_up_s=warm_s, seconds=seconds)),
            first_minute_ms=quantiles(ages_ms(arrivals, warm_up_s=0.0, seconds=_MINUTE_S)),
            peak_rss_bytes=passage.usage.peak_rss_bytes,
        )
