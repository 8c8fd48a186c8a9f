"""Signals that the threads and processes that a thread starts do not take."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Set
from contextlib import contextmanager


@contextmanager
def blocked(numbers: Set[signal.Signals]) -> Iterator[None]:
    """
    Keep signals from this thread, and from what it starts in the block: they inherit that.

    What comes meanwhile is handled by another thread, or when the block ends.

    Args:
        numbers: Which signals.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
