"""
A small process that cleans up after us when we are gone, however we went.

It holds the reading end of a pipe; the kernel closes the writing end when this process ends,
even by SIGKILL. A parent-death signal would not do: it fires when the starting *thread* ends.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from kmirror_lab.process.pidfd import pidfd_of
from kmirror_lab.process.waiting import wait_until

_RELEASED = "released"
# Not `-m`: the module that is run would be there twice.
_PROGRAM = "from kmirror_lab.process.guardian import main; main()"
_LEAVE_S_MAX = 30.0
_lock = threading.Lock()
_killers: dict[int, Guardian] = {}


class Guardian:
    """
    The owner's end.

    Args:
        clean_up: Called in the other process when this one is gone, once for each thing noted: a
            function of a module, which that process imports now.
        log: Where its errors are appended; nowhere else than ours without.
    """

    def __init__(self, clean_up: Callable[[str], object], *, log: Path | None = None) -> None:
        action = f"{clean_up.__module__}:{clean_up.__name__}"
        with contextlib.ExitStack() as files:
            errors = None if log is None else files.enter_context(log.open("ab"))
            process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, action],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        assert process.stdin is not None
        # Not waited for by its object, which would complain: it ends after us.
        process.returncode = 0
        self._pid = process.pid
        self._pipe = process.stdin

    def note(self, thing: str) -> None:
        """Have *thing*, one line, cleaned up when this process is gone."""
        self._pipe.write(f"{thing}\n".encode())
        self._pipe.flush()

    def release(self) -> None:
        """
        Have nothing cleaned up: it shall stay, or is gone already.

        Raises:
            ClusterUnavailable: The other process does not end.
        """
        with contextlib.suppress(BrokenPipeError):
            self.note(_RELEASED)
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        wait_until(self._has_ended, "the guardian has ended", timeout_s=_LEAVE_S_MAX)

    def _has_ended(self) -> bool:
        try:
            return os.waitpid(self._pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True


def guard(pid: int, started: int) -> None:
    """
    Have a process killed when this one ends.

    Args:
        pid: Its number.
        started: Its start, in clock ticks since boot, so that no successor is killed for it.
    """
    with _lock:
        # Keyed by our own number: a forked child must not write into its parent's pipe.
        killer = _killers.get(os.getpid())
        if killer is None:
            killer = _killers[os.getpid()] = Guardian(kill)
        killer.note(f"{pid} {started}")


def kill(process: str) -> None:
    """Kill a process, written as `PID STARTED`, if it still runs."""
    pid, started = process.split()
    handle = pidfd_of(int(pid))
    if handle is None:
        return
    try:
        # The handle holds whoever has the number now; the start time tells whether it is the one.
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if stat[19] == started:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except (ProcessLookupError, FileNotFoundError):
        return
    finally:
        os.close(handle)


def main() -> None:
    """Read until the pipe is closed, then do `MODULE:FUNCTION` with each line, if not released."""
    module, _, name = sys.argv[1].partition(":")
    clean_up: Callable[[str], object] = getattr(importlib.import_module(module), name)
    things = sys.stdin.read().splitlines()
    if things[-1:] == [_RELEASED]:
        return
    for thing in things:
        clean_up(thing)
