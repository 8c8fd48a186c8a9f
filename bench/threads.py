"""Which threads of a contestant use the processor."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.session import members

from bench.usage import TICKS_PER_S
from kmirror.clock import Clock

# How Linux shows the JVM's threads, 15 characters of their names, and what they do.
_KINDS = (
    (r"C[12] Compiler", "the JVM's compilers"),
    (r"GC Thread|G1|VM Thread", "the JVM's collector"),
    (r"Executor task", "the lane: fetch, Spark's rows, send"),
    (r"kafka-producer", "the producer's network thread"),
    (r"kmirror-commit", "commits"),
)
_OTHERS = "everything else, Python included"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadTimes:
    """
    One look at all threads.

    Args:
        at_s: When, on the monotonic clock.
        user_s: Processor seconds in programs, by what the threads do.
        system_s: Processor seconds in the kernel.
    """

    at_s: float
    user_s: Mapping[str, float]
    system_s: Mapping[str, float]


def thread_times(leader: ProcessId, clock: Clock) -> ThreadTimes:
    """Look at all threads of the session that *leader* leads."""
    user: Counter[str] = Counter()
    system: Counter[str] = Counter()
    for pid in members(leader):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for thread in os.scandir(f"/proc/{pid}/task"):
                name, _, rest = Path(thread.path, "stat").read_text().rpartition(")")
                fields = rest.split()
                kind = _kind(name.partition("(")[2])
                user[kind] += int(fields[11])
                system[kind] += int(fields[12])
    return ThreadTimes(
        at_s=clock.monotonic_s(),
        user_s={kind: ticks / TICKS_PER_S for kind, ticks in user.items()},
        system_s={kind: ticks / TICKS_PER_S for kind, ticks in system.items()},
    )


def _kind(name: str) -> str:
    return next((kind for pattern, kind in _KINDS if re.match(pattern, name)), _OTHERS)
