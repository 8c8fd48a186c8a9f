"""
A process in the background: its pid file, its log file, and who waits until it has begun.

The one who starts it locks the pid file (flock) and hands the lock on. The kernel lets go of it
however the process ends, so a pid file that was left behind keeps nobody from starting, and a
process number that somebody else has by now is not taken for ours.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror.pipeline.work_folder import is_same

# What the child finds its lock and its starter by.
_VARIABLE = "KMIRROR_DAEMON"
_BEGUN = b"1"
_PROGRAM = ("-c", "from kmirror.cli.main import main; main()")
_FILE_MODE = 0o644
_LOG_MODE = 0o640
_PID_CHARS_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonFiles:
    """
    Where a process in the background is found.

    Args:
        pid: The file with its number.
        log: The file with its log; lines are added.
    """

    pid: Path
    log: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """
    A process that was started in the background.

    Args:
        pid: Its number.
        exit_code: How it ended before it had begun; `None` when it has begun.
    """

    pid: int
    exit_code: int | None


class DaemonRuns(EnvironmentProblem):
    """The one that was started first still lives."""


def launch(
    arguments: Sequence[str], files: DaemonFiles, *, program: Sequence[str] = _PROGRAM
) -> Launched:
    """
    Start this program again, in the background, and wait until it has begun or ended.

    Args:
        arguments: Its command line; it will call `adopt`.
        files: Its files.
        program: What Python runs.

    Raises:
        DaemonRuns: One with this pid file lives.
        EnvironmentProblem: A file cannot be written.
    """
    files = DaemonFiles(pid=files.pid.absolute(), log=files.log.absolute())
    lock = _lock(files.pid)
    try:
        log = _open(files.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _LOG_MODE)
        ours, theirs = os.pipe()
        try:
            process = _spawn((*program, *arguments), files.pid, lock=lock, log=log, begun=theirs)
        finally:
            os.close(log)
            os.close(theirs)
        _write(lock, process.pid)
        with os.fdopen(ours, "rb") as begun:
            # Empty when the other end was closed without a word: it has ended.
            has_begun = begun.read(1) == _BEGUN
        return Launched(pid=process.pid, exit_code=None if has_begun else process.wait())
    finally:
        os.close(lock)


def _spawn(
    command: Sequence[str], pid_file: Path, *, lock: int, log: int, begun: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=(lock, begun),
        start_new_session=True,
        env={**os.environ, _VARIABLE: f"{lock},{begun},{pid_file}"},
    )


class Adopted:
    """
    This process as one in the background.

    Args:
        pid_file: Its pid file, which goes with it.
        begun: Where its starter waits.
    """

    def __init__(self, pid_file: Path, begun: int) -> None:
        self._pid_file = pid_file
        self._begun = begun

    def has_begun(self) -> None:
        """Let the starter go; what comes now stands in the log alone."""
        with suppress(BrokenPipeError):
            os.write(self._begun, _BEGUN)
        os.close(self._begun)

    def end(self) -> None:
        """Take the pid file away; the lock goes with the process."""
        self._pid_file.unlink(missing_ok=True)


def adopt() -> Adopted | None:
    """Return this process as the one that `launch` started; `None` if it is another."""
    told = os.environ.pop(_VARIABLE, None)
    if told is None:
        return None
    lock, begun, path = told.split(",", 2)
    for inherited in (int(lock), int(begun)):
        # The JVM, which may live a moment longer, has nothing to do with them.
        os.set_inheritable(inherited, False)
    return Adopted(Path(path), int(begun))


def _lock(path: Path) -> int:
    """Lock the pid file, which may be new."""
    while True:
        lock = _open(path, os.O_RDWR | os.O_CREAT, _FILE_MODE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = os.read(lock, _PID_CHARS_MAX).decode(errors="replace").strip()
            os.close(lock)
            raise DaemonRuns(
                f"process {pid} runs already, and has {path}",
                hint=f"stop it with kill {pid}, or name another file with --pid-file",
            ) from error
        if is_same(path, lock):
            return lock
        os.close(lock)  # its owner has just ended, and taken it away


def _open(path: Path, flags: int, mode: int) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, mode)
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} cannot be written: {error.strerror}",
            hint="name another place with --pid-file and --log-file",
        ) from error


def _write(lock: int, pid: int) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{pid}\n".encode(), 0)
