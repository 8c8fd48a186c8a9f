"""One process of this machine: started, stopped, frozen and measured, never mistaken."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.process import guardian
from kmirror_lab.process.pidfd import pidfd_of

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessId:
    """
    A process that cannot be confused with a later one of the same number.

    Args:
        pid: Its number.
        started: When it started, in clock ticks since boot (field 22 of `/proc/PID/stat`).
    """

    pid: int
    started: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """
    What a process has used.

    Args:
        cpu_s: Processor seconds since its start, user and system.
        rss_bytes: Memory resident now.
    """

    cpu_s: float
    rss_bytes: int


def start(
    command: Sequence[str | Path],
    *,
    log: Path,
    outlive: bool = False,
    environ: Mapping[str, str] | None = None,
) -> ProcessId:
    """
    Start *command* in a session of its own, so that Ctrl-C here does not reach it.

    Args:
        command: Program, by its full path, and arguments.
        log: Where its output is appended.
        outlive: Let it run when this process ends; otherwise it is killed then, even if this
            process is killed itself.
        environ: What its environment has besides ours, or instead.
    """
    words = [str(word) for word in command]
    log.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    pid = os.posix_spawn(
        words[0],
        words,
        os.environ | dict(environ or {}),
        setsid=True,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
    )
    # Nobody has waited for the child yet, so its entry exists even if it is dead already.
    identity = ProcessId(pid=pid, started=int(_stat(pid)[19]))
    if not outlive:
        guardian.guard(identity.pid, identity.started)
    return identity


def identify(pid: int) -> ProcessId | None:
    """Return the process that has a number now; None when nobody has it."""
    try:
        return ProcessId(pid=pid, started=int(_stat(pid)[19]))
    except (FileNotFoundError, ProcessLookupError):
        return None


def alive(process: ProcessId) -> bool:
    """Return whether *process* still runs; frozen counts, dead but not buried does not."""
    _bury(process)
    try:
        stat = _stat(process.pid)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return int(stat[19]) == process.started and stat[0] not in ("Z", "X")


def send(process: ProcessId, number: signal.Signals) -> bool:
    """Send a signal to *process*, surely not to another; tell whether it was there."""
    handle = pidfd_of(process.pid)
    if handle is None:
        return False
    try:
        # The handle holds whoever has the number now; the start time tells whether it is ours.
        if not alive(process):
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def wait_end(process: ProcessId, *, timeout_s: float) -> bool:
    """Wait until *process* has ended; tell whether it has."""
    handle = pidfd_of(process.pid)
    if handle is None:
        return True
    try:
        if alive(process):
            end = select.poll()
            end.register(handle, select.POLLIN)
            end.poll(timeout_s * 1000)
    finally:
        os.close(handle)
    return not alive(process)


def end(process: ProcessId, *, timeout_s: float) -> bool:
    """
    Ask *process* to end, and kill it when it has not after *timeout_s*.

    Returns:
        Whether it went by itself.
    """
    # A frozen process would keep the request for later.
    send(process, signal.SIGTERM)
    send(process, signal.SIGCONT)
    if wait_end(process, timeout_s=timeout_s):
        return True
    kill(process)
    return False


def kill(process: ProcessId) -> None:
    """Kill *process* without notice, and return when it is gone."""
    send(process, signal.SIGKILL)
    wait_end(process, timeout_s=30)


def usage(process: ProcessId) -> Usage:
    """
    Measure *process*.

    Raises:
        ProcessLookupError: It has ended.
    """
    if not alive(process):
        raise ProcessLookupError(process.pid)
    stat = _stat(process.pid)
    return Usage(
        cpu_s=(int(stat[11]) + int(stat[12])) / _TICKS_PER_S,
        rss_bytes=int(stat[21]) * _PAGE_BYTES,
    )


def _stat(pid: int) -> list[str]:
    """Return `/proc/PID/stat` from its third field on: the second may contain anything."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _bury(process: ProcessId) -> None:
    # Not our child when it was found by its state file: its parent buries it.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)
