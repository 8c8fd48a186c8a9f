"""What a process has noted is cleaned up when it is gone, and only then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kmirror_lab.process import process
from kmirror_lab.process.guardian import Guardian, kill
from kmirror_lab.process.waiting import wait_until

_GONE_S_MAX = 30.0
# Notes two files, says so, and waits.
_OWNER = """
import os, sys
from pathlib import Path
from kmirror_lab.process.guardian import Guardian
guardian = Guardian(os.unlink, log=Path(sys.argv[1]))
for name in sys.argv[2:]:
    guardian.note(name)
print("noted", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, None])
def test_what_was_noted_goes_with_its_owner(tmp_path: Path, number: signal.Signals | None) -> None:
    """Killed, asked to end, or at its end without a word."""
    things = [tmp_path / "one", tmp_path / "two"]
    for thing in things:
        thing.touch()
    log = tmp_path / "log"
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER, log, *things],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "noted\n"
        assert all(thing.exists() for thing in things)
        if number is not None:
            owner.send_signal(number)
    wait_until(
        lambda: not any(thing.exists() for thing in things),
        "both files are removed",
        timeout_s=_GONE_S_MAX,
    )
    assert log.read_text() == ""


def test_released_it_leaves_everything(tmp_path: Path) -> None:
    """It has ended when `release` returns; no child is left to wait for."""
    thing = tmp_path / "thing"
    thing.touch()
    guardian = Guardian(os.unlink)
    guardian.note(str(thing))
    guardian.release()
    assert thing.exists()


def test_a_guardian_that_died_can_be_released(tmp_path: Path) -> None:
    """What it wrote before is in its log."""
    log = tmp_path / "log"
    guardian = Guardian(_fail, log=log)
    wait_until(lambda: b"no attribute" in log.read_bytes(), "it failed", timeout_s=_GONE_S_MAX)
    guardian.release()


def test_only_the_very_process_is_killed(tmp_path: Path) -> None:
    """Another one that has the number now stays; one that is gone is no trouble."""
    other = process.start([sys.executable, "-c", "input()"], log=tmp_path / "log", outlive=True)
    third = process.start(["/bin/sleep", "60"], log=tmp_path / "log", outlive=True)
    try:
        kill(f"{third.pid} {third.started - 1}")
        assert process.alive(third)
        kill(f"{third.pid} {third.started}")
        assert process.wait_end(third, timeout_s=_GONE_S_MAX)
        assert process.wait_end(other, timeout_s=_GONE_S_MAX)
        kill(f"{other.pid} {other.started}")
    finally:
        process.kill(third)
        process.kill(other)


def _fail(thing: str) -> None:
    raise AssertionError(thing)


# As of a module that has changed meanwhile: the other process does not find it.
_fail.__module__ = "os"
