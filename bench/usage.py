"""What a contestant or broker costs: processor time and memory of its processes, Python and JVM."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kmirror_lab.process import session
from kmirror_lab.process.process import ProcessId

from bench.sampler import Sampler
from kmirror.clock import Clock

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSample:
    """
    One look at trees of processes.

    Args:
        at_s: When, on the monotonic clock.
        cpu_s: Processor seconds since the start, user and system, ended children included.
        rss_bytes: Memory resident now, the sum of the processes'.
    """

    at_s: float
    cpu_s: float
    rss_bytes: int


def sample(leaders: Collection[ProcessId], clock: Clock) -> UsageSample:
    """Look at all processes of the sessions of *leaders*."""
    cpu_ticks = rss_pages = 0
    for _, stat in session.stats(leaders):
        # User, system, and both of the children that have been waited for.
        cpu_ticks += sum(map(int, stat[11:15]))
        rss_pages += int(stat[21])
    return UsageSample(
        at_s=clock.monotonic_s(),
        cpu_s=cpu_ticks / TICKS_PER_S,
        rss_bytes=rss_pages * _PAGE_BYTES,
    )


def thread_count(leaders: Collection[ProcessId]) -> int:
    """Count the threads of all processes of the sessions of *leaders*."""
    return sum(int(stat[17]) for _, stat in session.stats(leaders))


def cpu_between_s(samples: Sequence[UsageSample], begin_s: float, end_s: float) -> float:
    """
    Give the processor seconds used between two moments, straight lines between the samples.

    Args:
        samples: In the order of time, not empty.
        begin_s: The first moment, on the samples' clock.
        end_s: The second.
    """
    return _cpu_at_s(samples, end_s) - _cpu_at_s(samples, begin_s)


class UsageMeter(Sampler[UsageSample]):
    """
    Looks at a contestant, or at brokers, four times a second while its context lasts.

    Args:
        leaders: The first process of each.
        clock: Where time comes from.
    """

    def __init__(self, leaders: Collection[ProcessId], clock: Clock) -> None:
        super().__init__(lambda: sample(leaders, clock), clock)

    @property
    def peak_rss_bytes(self) -> int:
        """The most memory that was resident at one moment."""
        return max(each.rss_bytes for each in self.samples)


def _cpu_at_s(samples: Sequence[UsageSample], at_s: float) -> float:
    after = bisect_left(samples, at_s, key=lambda each: each.at_s)
    if after == 0:
        return samples[0].cpu_s
    if after == len(samples):
        return samples[-1].cpu_s
    low, high = samples[after - 1], samples[after]
    part = (at_s - low.at_s) / (high.at_s - low.at_s)
    return low.cpu_s + part * (high.cpu_s - low.cpu_s)
