"""
What the threads of this process wait for: noted where the waiting is, read where it is told.

A registry of the whole process, as `logging` is one: a call into a library that nobody can
interrupt, in whatever thread, is no reason to leave people without a word.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_numbers = itertools.count()
_waits: dict[int, Wait] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """
    A wait of one thread.

    Args:
        what: What for, as in "waiting <what>": `for cluster B (host:9092)`, `until …`.
        doing: What shall be done there; may be empty.
        why: Asks what keeps it, if that is known by then; empty otherwise.
        since_s: When it began, on the system's monotonic clock.
    """

    what: str
    doing: str
    why: Callable[[], str]
    since_s: float

    def __str__(self) -> str:
        doing = f": {self.doing}" if self.doing else ""
        why = f" ({why})" if (why := self.why()) else ""
        return f"waiting {self.what}{doing}{why}"


@contextmanager
def waiting(what: str, doing: str = "", *, why: Callable[[], str] = str) -> Iterator[None]:
    """
    Note that this thread waits as long as the block lasts.

    Args:
        what, doing, why: See `Wait`.
    """
    number = next(_numbers)
    _waits[number] = Wait(what=what, doing=doing, why=why, since_s=time.monotonic())
    try:
        yield
    finally:
        del _waits[number]


def long_waits(after_s: float) -> tuple[Wait, ...]:
    """
    Return what has been waited for since long, the longest first.

    Args:
        after_s: How long is long, seconds.
    """
    before_s = time.monotonic() - after_s
    return tuple(wait for wait in list(_waits.values()) if wait.since_s <= before_s)
