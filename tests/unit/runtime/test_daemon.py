"""A process in the background: one for each pid file; its starter learns whether it has begun."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.errors import EnvironmentProblem
from kmirror.runtime.daemon import DaemonFiles, DaemonRuns, Launched, adopt, launch

_END_S_MAX = 30
# Its part of what `kmirror` does: begins, lives until a signal, takes its pid file away.
_SERVICE = """
import signal, sys
from kmirror.runtime.daemon import adopt
adopted = adopt()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("says something", flush=True)
try:
    adopted.has_begun()
    signal.pause()
finally:
    adopted.end()
"""
_FAILS = "import sys; print('no Java'); sys.exit(3)"


@pytest.fixture
def files(tmp_path: Path) -> Iterator[DaemonFiles]:
    """Give places for both files; who has the pid file after the test is killed."""
    files = DaemonFiles(pid=tmp_path / "mm2.pid", log=tmp_path / "mm2.log")
    yield files
    with suppress(FileNotFoundError, ProcessLookupError, ValueError):
        os.kill(int(files.pid.read_text()), signal.SIGKILL)


def _launch(files: DaemonFiles, script: str = _SERVICE) -> Launched:
    return launch((), files, program=("-c", script))


def _wait_ended(pid: int) -> None:
    wait_until(lambda: os.waitpid(pid, os.WNOHANG)[0] == pid, f"{pid} ends", timeout_s=_END_S_MAX)


def test_it_lives_on(files: DaemonFiles) -> None:
    """It has its number in the file, and its words in the log."""
    launched = _launch(files)
    assert launched.exit_code is None
    assert files.pid.read_text() == f"{launched.pid}\n"
    assert files.log.read_text() == "says something\n"
    assert os.getsid(launched.pid) == launched.pid, "no terminal can end it"
    os.kill(launched.pid, signal.SIGTERM)
    _wait_ended(launched.pid)
    assert not files.pid.exists()


def test_a_second_one_is_refused(files: DaemonFiles) -> None:
    """While the first lives; and not any more when it was killed, whatever it left behind."""
    first = _launch(files)
    with pytest.raises(DaemonRuns, match=f"process {first.pid} runs already"):
        _launch(files)
    assert files.pid.read_text() == f"{first.pid}\n", "the refused one has changed nothing"
    os.kill(first.pid, signal.SIGKILL)
    _wait_ended(first.pid)
    assert files.pid.exists()
    second = _launch(files)
    assert second.exit_code is None
    assert files.log.read_text() == "says something\n" * 2, "lines are added"


def test_one_that_cannot_begin(files: DaemonFiles) -> None:
    """Its starter learns how it ended; the next one may try."""
    assert _launch(files, _FAILS).exit_code == 3
    assert files.log.read_text() == "no Java\n"
    assert _launch(files).exit_code is None


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """It is named, with what to do."""
    files = DaemonFiles(pid=tmp_path / "none" / "mm2.pid", log=tmp_path / "mm2.log")
    with pytest.raises(EnvironmentProblem, match=r"none/mm2.pid.*--pid-file"):
        _launch(files)


def test_in_the_foreground(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has started this process in the background."""
    monkeypatch.delenv("KMIRROR_DAEMON", raising=False)
    assert adopt() is None
