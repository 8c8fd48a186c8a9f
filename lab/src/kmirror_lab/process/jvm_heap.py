"""What of a JVM's heap is in use when everything else was collected."""

from __future__ import annotations

import subprocess

from kmirror.jvm import find_java


def live_bytes(pid: int, *, timeout_s: float) -> int:
    """
    Have a JVM collect everything, and give what is left. It stands still meanwhile.

    Args:
        pid: Its process.
        timeout_s: One that is frozen does not answer.

    Raises:
        subprocess.SubprocessError: It did not answer.
    """
    done = subprocess.run(
        [find_java().tool("jcmd"), str(pid), "GC.class_histogram"],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=True,
    )
    # The last line: `Total`, objects, bytes.
    return int(done.stdout.splitlines()[-1].split()[2])
