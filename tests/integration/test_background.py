"""`kmirror run --daemon`: in the background, once."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from kmirror_lab.process import guardian
from kmirror_lab.process.waiting import wait_until

from kmirror.cli.exits import Exit
from tests.support.driver import KMIRROR, write_properties

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_START_S_MAX = 240
_END_S_MAX = 30


@pytest.fixture
def pid_file(tmp_path: Path) -> Iterator[Path]:
    """Give the pid file; who is in it after the test is killed."""
    file = tmp_path / "mm2.pid"
    yield file
    with suppress(FileNotFoundError, ProcessLookupError):
        os.killpg(int(file.read_text()), signal.SIGKILL)


def _run(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    temporary = file.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        [KMIRROR, "run", file, *options],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=_START_S_MAX,
        check=False,
    )


def test_in_the_background(pid_file: Path, tmp_path: Path) -> None:
    """It lives on when its starter has ended; a second start is refused; SIGTERM ends it."""
    file = write_properties(tmp_path, "127.0.0.1:9", "127.0.0.1:9")
    started = _run(file, "--daemon")
    assert started.returncode == Exit.OK, started.stderr
    pid = int(pid_file.read_text())
    began = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    guardian.guard(pid, int(began))
    assert f"process {pid} runs in the background" in started.stdout
    log = tmp_path / "mm2.log"
    assert "starting Spark" in log.read_text()

    again = _run(file, "--daemon")
    assert again.returncode == Exit.START_FAILED
    assert f"process {pid} runs already" in again.stderr
    assert int(pid_file.read_text()) == pid

    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not pid_file.exists(), "it ends", timeout_s=_END_S_MAX)
    assert "Traceback" not in log.read_text()
    assert not list((tmp_path / "tmp").glob("kmirror-*")), "an ordered end leaves nothing behind"


def test_a_wrong_file(pid_file: Path, tmp_path: Path) -> None:
    """It is said where the command was typed, and nothing is started."""
    file = write_properties(tmp_path, "127.0.0.1:9", "127.0.0.1:9", "A->B.enabled = maybe")
    refused = _run(file, "--daemon")
    assert refused.returncode == Exit.CONFIG
    assert "expected true or false" in refused.stderr
    assert not pid_file.exists()
