"""
Processes that no signal of a terminal or a service manager reaches.

A service manager signals every process of a service, and a JVM would end before the flows have
finished their transactions. It ends when this process does: its standard input closes.

A program ignores what was ignored when it was started. Ignoring it here for that moment would lose
what reaches this process then: the kernel throws pending signals away, blocked or not. So a shell
does it, which becomes the program.
"""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})


def deaf_to_signals(*program: str) -> str:
    """
    Return what a shell has to run to become a program that ignores them.

    Args:
        program: It, with its first arguments; what the shell is given besides follows them.
    """
    names = " ".join(sorted(number.name.removeprefix("SIG") for number in _SIGNALS))
    words = " ".join((*map(shlex.quote, program), '"$0" "$@"'))
    return f"trap '' {names}; exec {words}"


@contextmanager
def no_signals_for_children() -> Iterator[None]:
    """
    Keep signals from processes that are started in the block, until they ignore them themselves.

    What reaches this process meanwhile is handled by another thread, or when the block ends.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
