"""Processes of the benchmark's own, so that none shares an interpreter with what it measures."""

from __future__ import annotations

import json
import signal
import sys
import threading
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

from kmirror_lab.process import process
from kmirror_lab.process.process import ProcessId

from kmirror.errors import EnvironmentProblem

_ROOT = Path(__file__).parents[1]


def start_worker(module: str, spec: Mapping[str, object], log: Path) -> ProcessId:
    """
    Run a module's `main` in a process that dies with this one.

    Args:
        module: `bench.load` or `bench.probe`.
        spec: What `read_spec` gives there.
        log: Where its complaints go.
    """
    command = [sys.executable, "-m", module, json.dumps(spec)]
    return process.start(command, log=log, environ={"PYTHONPATH": str(_ROOT)})


def read_spec() -> dict[str, object]:
    """Give, inside the process, what it was started with."""
    found: dict[str, object] = json.loads(sys.argv[1])
    return found


def stop_event() -> threading.Event:
    """Give, inside the process, what is set when it shall end."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop


def read_pairs(file: Path) -> Iterator[tuple[int, int]]:
    """Give what a worker noted, pairs of 64-bit numbers in one row."""
    numbers = array("q")
    numbers.frombytes(file.read_bytes())
    return zip(numbers[::2], numbers[1::2], strict=True)


def wait_worker(worker: ProcessId, log: Path, *, timeout_s: float) -> None:
    """
    Wait until a worker has done its work.

    Raises:
        EnvironmentProblem: It did not in time, or complained; the message quotes its log.
    """
    ended = process.wait_end(worker, timeout_s=timeout_s)
    words = log.read_text(errors="replace")
    if not ended or words:
        process.kill(worker)
        state = "complained" if ended else f"did not end within {timeout_s:g} s"
        raise EnvironmentProblem(f"{log.stem} {state}:\n{words}")
