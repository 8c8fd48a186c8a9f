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
from contextlib import AbstractContextManager

from kmirror.signal_mask import blocked

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


def no_signals_for_children() -> AbstractContextManager[None]:
    """Keep signals from processes that are started in the block, until they ignore them."""
    return blocked(_SIGNALS)
