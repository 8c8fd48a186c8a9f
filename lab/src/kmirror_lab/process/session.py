"""All processes of a session: those that a process has started, and it itself."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Collection
from pathlib import Path

from kmirror_lab.process import process
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until


def members(leader: ProcessId) -> tuple[int, ...]:
    """Give the numbers of all processes of the session that *leader* leads or has led."""
    return tuple(pid for pid, _ in stats([leader]))


def stats(leaders: Collection[ProcessId]) -> list[tuple[int, list[str]]]:
    """
    Look at the sessions of *leaders*.

    Returns:
        Of each process that still runs its number, and `/proc/PID/stat` from its third field on.
    """
    sessions = {leader.pid for leader in leaders}
    found: list[tuple[int, list[str]]] = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # The second field may contain anything.
            text = Path(entry.path, "stat").read_text(errors="replace")
            stat = text.rpartition(")")[2].split()
            if int(stat[3]) in sessions and stat[0] not in ("Z", "X"):
                found.append((int(entry.name), stat))
    return found


def kill(leader: ProcessId, *, timeout_s: float) -> None:
    """
    Kill all processes that *leader* leads, and return when they are gone.

    Args:
        leader: It may have ended already.
        timeout_s: How long that may take.

    Raises:
        ClusterUnavailable: They were not gone in time.
    """
    if not members(leader):
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader.pid, signal.SIGKILL)
    process.wait_end(leader, timeout_s=timeout_s)
    wait_until(
        lambda: not members(leader),
        f"all processes of session {leader.pid} are gone",
        timeout_s=timeout_s,
        pause_s=0.005,
    )
