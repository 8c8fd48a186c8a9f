"""Whether memory, open files and threads grow, within the life of each process."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from tests.soak.result import Finding, ProcessSample, Result

_MIB = 1024 * 1024
# A process is warm after this; what it needs until then is no trend.
_WARM_S = 120.0
_LIFE_S_MIN = 300.0
# What the last quarter of a life may have more than its first, by kind.
_FILES_MORE, _THREADS_MORE, _MIB_MORE = 40, 20, 128


def lives(samples: Sequence[ProcessSample]) -> dict[tuple[str, int], list[ProcessSample]]:
    """Give the samples of each process, by name and number."""
    found: dict[tuple[str, int], list[ProcessSample]] = defaultdict(list)
    for sample in samples:
        found[sample.name, sample.pid].append(sample)
    return found


def trends(result: Result) -> Iterator[Finding]:
    """Say for memory, files and threads which process has grown most."""
    kinds: tuple[tuple[str, Callable[[ProcessSample], float], float], ...] = (
        ("memory (MiB)", lambda sample: sample.rss_bytes / _MIB, _MIB_MORE),
        ("open files", lambda sample: float(sample.files), _FILES_MORE),
        ("threads", lambda sample: float(sample.threads), _THREADS_MORE),
    )
    long = {
        who: samples
        for who, samples in lives(result.processes).items()
        if samples[-1].at_s - samples[0].at_s >= _LIFE_S_MIN + _WARM_S
    }
    for what, value, more in kinds:
        grown = []
        for (name, _), samples in long.items():
            warm = [each for each in samples if each.at_s - samples[0].at_s >= _WARM_S]
            quarter = max(1, len(warm) // 4)
            first, last = (
                statistics.median(map(value, part)) for part in (warm[:quarter], warm[-quarter:])
            )
            minutes = (samples[-1].at_s - samples[0].at_s) / 60
            grown.append((last - first, f"{name}: {first:.0f} to {last:.0f} in {minutes:.0f} min"))
        grown.sort(reverse=True)
        if grown:
            answer = f"most: {grown[0][1]}; {len(grown)} lives of more than 7 min compared"
        else:
            answer = "no process has lived long enough to say"
        yield Finding(
            good=not grown or grown[0][0] <= more,
            question=f"Do {what} stay flat (at most {more:g} more in the last quarter of a life)?",
            answer=answer,
        )
