"""What the age of records at a consumer of the target has to keep to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from bench.contestant import KMIRROR, MM2_DEFAULT, MM2_EXACTLY_ONCE, Contestant
from bench.latency import ISOLATIONS, LATENCIES, RATES
from bench.results import Results
from bench.target import Measure, Target, ratio_target
from kmirror.admin.base import Isolation

# So long has to be measured for the slowest record of a thousand to be told by many.
_LONG_S = 600
_MEASURES: dict[Isolation, Measure] = {
    "read_uncommitted": Measure.LATENCY,
    "read_committed": Measure.COMMITTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beside:
    """
    A limit beside what another contestant has.

    Args:
        rate: Records a second.
        isolation: How the consumer reads.
        what: Which of `LATENCIES`.
        limit: The largest ratio.
        other: Whose value it is compared with.
        whose: Which of the other's, where it is not the same.
    """

    rate: int
    isolation: Isolation
    what: str
    limit: float
    other: Contestant
    whose: str = ""


def _beside_default(rate: int, what: str, limit: float, whose: str = "") -> _Beside:
    return _Beside(
        rate=rate,
        isolation="read_uncommitted",
        what=what,
        limit=limit,
        other=MM2_DEFAULT,
        whose=whose,
    )


def _beside_exactly_once(rate: int, isolation: Isolation, what: str) -> _Beside:
    return _Beside(rate=rate, isolation=isolation, what=what, limit=1.0, other=MM2_EXACTLY_ONCE)


def _everywhere(*whats: str) -> tuple[_Beside, ...]:
    return tuple(
        _beside_exactly_once(rate, isolation, what)
        for what, rate, isolation in product(whats, RATES, ISOLATIONS)
    )


_ALWAYS = (
    _beside_default(100, "p50", 0.4),
    _beside_default(100, "p50", 0.35),
    _beside_default(100, "p99", 1.2),
    _beside_default(5_000, "p50", 0.4),
    _beside_default(5_000, "p99", 1.2),
    _beside_exactly_once(5_000, "read_committed", "p99"),
    *_everywhere("first minute: p99.9", "first minute: max"),
)
_LONG = (
    _beside_default(100, "p99.9", 1.0, "p99"),
    *_everywhere("p99.9", "max"),
)
# For readers of committed records.
_COMMITTED_MS_MAX = ((100, "p50", 5.0), (100, "p95", 12.0), (5_000, "p50", 12.0))


def latency_targets(results: Results) -> Iterator[Target]:
    """Compare steady streams with what was promised."""
    for limit in _ALWAYS:
        yield from _ratio(results, limit)
    if any(run.seconds >= _LONG_S for run in results.latency):
        for limit in _LONG:
            yield from _ratio(results, limit)
    for rate, what, limit_ms in _COMMITTED_MS_MAX:
        value = results.latency_median(KMIRROR.name, rate, "read_committed", LATENCIES[what])
        if value is not None:
            yield Target(
                measure=Measure.COMMITTED,
                of=f"{rate} {what}",
                limit=limit_ms,
                unit="ms",
                value=value,
            )


def _ratio(results: Results, limit: _Beside) -> Iterator[Target]:
    whose = limit.whose or limit.what
    ours, theirs = (
        results.latency_median(name, limit.rate, limit.isolation, LATENCIES[of])
        for name, of in ((KMIRROR.name, limit.what), (limit.other.name, whose))
    )
    yield from ratio_target(
        _MEASURES[limit.isolation],
        f"{limit.rate} {limit.what}",
        limit.limit,
        ours,
        theirs,
        than=f"{limit.other.label}'s {whose.rpartition(': ')[2]}",
    )
