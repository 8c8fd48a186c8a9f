"""Folders of the living stay, those of the dead go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kmirror.pipeline.work_folder import work_folder

_HOLDER = """
import sys
from pathlib import Path
from kmirror.pipeline.work_folder import work_folder
with work_folder(Path(sys.argv[1])) as folder:
    (folder / "blockmgr").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


def _holder(place: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_the_dead_left_goes(tmp_path: Path) -> None:
    """Only that: what somebody holds stays, frozen or not, and so does what is no folder."""
    killed, left = _holder(tmp_path)
    alive, held = _holder(tmp_path)
    (tmp_path / "kmirror-run-file").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "kmirror-run-link").symlink_to(tmp_path / "elsewhere")
    try:
        killed.kill()
        killed.wait(10)
        alive.send_signal(signal.SIGSTOP)
        assert (left / "blockmgr").exists(), "the folder that this test is about"
        with work_folder(tmp_path) as own:
            assert not left.exists()
            assert (held / "blockmgr").exists()
            assert (tmp_path / "kmirror-run-file").exists()
            assert (tmp_path / "elsewhere").exists()
        assert not own.exists()
    finally:
        alive.send_signal(signal.SIGCONT)
        alive.communicate(timeout=10)
    assert alive.returncode == 0
    assert not held.exists(), "an ordered end leaves nothing behind"


def test_those_who_start_together_do_not_harm_each_other(tmp_path: Path) -> None:
    """Between making a folder and locking it, it looks like one that was left."""

    def use(number: int) -> None:
        for _ in range(50):
            with work_folder(tmp_path) as folder:
                (folder / "mine").write_text(str(number))
                assert (folder / "mine").read_text() == str(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_another_users_folder_stays(tmp_path: Path) -> None:
    """Whoever it belongs to removes it."""
    other = tmp_path / "kmirror-run-other"
    other.mkdir()
    os.chown(other, 12345, 12345)
    with work_folder(tmp_path):
        assert other.exists()
