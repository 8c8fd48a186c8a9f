"""Whether memory, open files and threads grow, within the life of each process."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.soak.result import Finding, ProcessSample, Result

_MIB = 1024 * 1024
# A process is warm after this; what it needs until then is no trend.
WARM_S = 120.0
_LIFE_S_MIN = 300.0
DRIVER = "driver"
"""What the names of kmirror's own processes begin with; the others belong to Kafka."""
DRIVER_PYTHON, DRIVER_JVM = f"{DRIVER}, Python", f"{DRIVER}, JVM"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """
    What may grow.

    Args:
        name: In words, with its unit.
        of: Its value in a sample, where it was asked for.
        more: What the last quarter of a life may have more than its first.
    """

    name: str
    of: Callable[[ProcessSample], float | None]
    more: float


def _others(sample: ProcessSample) -> float | None:
    if sample.live_bytes is None or sample.array_bytes is None:
        return None
    return (sample.live_bytes - sample.array_bytes) / _MIB


_FIGURES = (
    _Figure(name="memory (MiB)", of=lambda sample: sample.rss_bytes / _MIB, more=128),
    # How much of its heap a JVM keeps is its collector's choice; what it needs of it is not.
    _Figure(name="heap in use besides arrays of bytes (MiB)", of=_others, more=16),
    # A lane keeps memory for answers and batches, and uses it again: the slower a link and the
    # larger the records, the more of what it may keep it has needed once.
    _Figure(
        name="arrays of bytes in use (MiB)",
        of=lambda sample: None if sample.array_bytes is None else sample.array_bytes / _MIB,
        more=96,
    ),
    _Figure(name="open files", of=lambda sample: float(sample.files), more=40),
    _Figure(name="threads", of=lambda sample: float(sample.threads), more=20),
)


def lives(samples: Sequence[ProcessSample]) -> dict[tuple[str, int], list[ProcessSample]]:
    """Give the samples of each process, by name and number."""
    found: dict[tuple[str, int], list[ProcessSample]] = defaultdict(list)
    for sample in samples:
        found[sample.name, sample.pid].append(sample)
    return found


def trends(result: Result) -> Iterator[Finding]:
    """
    Say for memory, heap, files and threads which process has grown most.

    Drivers are judged. Brokers are Kafka's, and a broker that was killed starts with caches and
    logs that it has yet to open: what they did is told, for whoever compares.
    """
    long = [
        life
        for life in lives(result.processes).values()
        if life[-1].at_s - life[0].at_s >= _LIFE_S_MIN + WARM_S
    ]
    drivers = [life for life in long if life[0].name.startswith(DRIVER)]
    brokers = [life for life in long if not life[0].name.startswith(DRIVER)]
    for figure in _FIGURES:
        grown = _most(drivers, figure)
        yield Finding(
            good=grown is None or grown[0] <= figure.more,
            question=f"Do {figure.name} of the drivers stay flat "
            f"(at most {figure.more:g} more in the last quarter of a life)?",
            answer="no driver has lived long enough to say" if grown is None else grown[1],
        )
    told = [(figure.name, _most(brokers, figure)) for figure in _FIGURES]
    yield Finding(
        good=True,
        question="And those of the brokers (told, not judged)?",
        answer="; ".join(f"{name}: {grown[1]}" for name, grown in told if grown is not None)
        or "no broker has lived long enough to say",
    )


def _most(of: Sequence[Sequence[ProcessSample]], figure: _Figure) -> tuple[float, str] | None:
    """Give the growth of the life that has grown most, and the same in words."""
    grown = []
    for life in of:
        values = (figure.of(each) for each in life if each.at_s - life[0].at_s >= WARM_S)
        warm = [value for value in values if value is not None]
        if not warm:
            continue
        quarter = max(1, len(warm) // 4)
        first, last = statistics.median(warm[:quarter]), statistics.median(warm[-quarter:])
        minutes = (life[-1].at_s - life[0].at_s) / 60
        said = f"{life[0].name}, {first:.0f} to {last:.0f} in {minutes:.0f} min"
        grown.append((last - first, f"most: {said}; {len(of)} lives compared"))
    return max(grown, default=None)
