"""What of a JVM's heap is in use when everything else was collected."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from kmirror.jvm import find_java


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveHeap:
    """
    What is in use of a heap.

    Args:
        all_bytes: All of it.
        array_bytes: What arrays of bytes have of that: texts, and memory for records.
    """

    all_bytes: int
    array_bytes: int


def live_heap(pid: int, *, timeout_s: float) -> LiveHeap:
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
    return read_histogram(done.stdout)


def read_histogram(text: str) -> LiveHeap:
    """
    Read what the JVM prints.

    Args:
        text: A line for each class: number, objects, bytes, name; the last one: `Total`, objects,
            bytes.
    """
    lines = [line.split() for line in text.splitlines()]
    arrays = [int(line[2]) for line in lines if len(line) > 3 and line[3] == "[B"]
    return LiveHeap(all_bytes=int(lines[-1][2]), array_bytes=sum(arrays))
