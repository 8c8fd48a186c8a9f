"""
A small process that kills what we started when we are gone, however we went.

It holds the reading end of a pipe; the kernel closes the writing end when this process ends,
even by SIGKILL. A parent-death signal would not do: it fires when the starting *thread* ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

_lock = threading.Lock()
_guardians: dict[int, IO[bytes]] = {}


def guard(pid: int, started: int) -> None:
    """
    Have a process killed when this one ends.

    Args:
        pid: Its number.
        started: Its start, in clock ticks since boot, so that no successor is killed for it.
    """
    with _lock:
        # Keyed by our own number: a forked child must not write into its parent's pipe.
        pipe = _guardians.get(os.getpid())
        if pipe is None:
            pipe = _guardians[os.getpid()] = _start()
        pipe.write(f"{pid} {started}\n".encode())
        pipe.flush()


def _start() -> IO[bytes]:
    read_end, write_end = os.pipe()
    # Not waited for: it ends after us.
    subprocess.Popen(
        [sys.executable, "-m", "kmirror_lab.process.guardian"],
        stdin=read_end,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ).returncode = 0
    os.close(read_end)
    return os.fdopen(write_end, "wb")


def main() -> None:
    """Read `PID STARTED` lines until the pipe is closed, then kill those that still run."""
    for pid, started in [line.split() for line in sys.stdin]:
        try:
            handle = os.pidfd_open(int(pid))
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (ProcessLookupError, FileNotFoundError):
            continue
        if stat[19] == started:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)


if __name__ == "__main__":
    main()
