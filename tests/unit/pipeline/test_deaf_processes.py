"""Processes that signals do not reach, and what reaches whoever starts them meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kmirror.pipeline.deaf_processes import deaf_to_signals, no_signals_for_children

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.fixture
def came() -> Iterator[list[int]]:
    """Give the signals that this process has handled."""
    numbers: list[int] = []
    before = {
        each: signal.signal(each, lambda number, _: numbers.append(number)) for each in SIGNALS
    }
    yield numbers
    for each, handler in before.items():
        signal.signal(each, handler)


def test_it_ignores_them_and_gets_its_arguments() -> None:
    shell = deaf_to_signals("cat", "/dev/null")
    told = subprocess.run(
        ["/bin/sh", "-c", shell, "/proc/self/status", "/dev/null"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (ignored,) = (line.split()[1] for line in told.splitlines() if line.startswith("SigIgn:"))
    assert all(int(ignored, 16) >> (each - 1) & 1 for each in SIGNALS)


def test_a_program_whose_path_has_blanks(tmp_path: Path) -> None:
    program = tmp_path / "a program's"
    program.symlink_to("/bin/echo")
    answer = subprocess.check_output(["/bin/sh", "-c", deaf_to_signals(str(program)), "1 2", "3"])
    assert answer == b"1 2 3\n"


@pytest.mark.parametrize("number", SIGNALS)
def test_what_comes_meanwhile_is_handled(came: list[int], number: signal.Signals) -> None:
    """At no moment is it ignored here: what is pending then would be thrown away."""
    with no_signals_for_children():
        os.kill(os.getpid(), number)
        assert signal.getsignal(number) not in {signal.SIG_IGN, signal.SIG_DFL}
        subprocess.run(["/bin/sh", "-c", deaf_to_signals("true"), ""], check=True)
    assert came == [number]
