"""
`kmirror run` as a real process, for tests that look at it from outside.

Test modules write `from driver import Driver, write_properties`: pytest puts the folder of
`tests/conftest.py` on the path. The fixture `run_driver` starts drivers and leaves none behind;
`warm_driver` gives the same, sooner (see `warm`).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process import guardian
from kmirror_lab.process.waiting import wait_until

from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow
from tests.support.copy_watch import CopyWatch

A_TO_B = Flow("A", "B")
KMIRROR = Path(sys.executable).with_name("kmirror")
"""The command."""
RUNNING = r"plan \d+: "
"""The log line after which lanes begin to copy."""

_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) +\S")

# Spark needs 6 to 30 s to start on a machine that has other work.
_START_S_MAX = 120.0


class Process(Protocol):
    """What a driver needs of `subprocess.Popen`."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...

    def poll(self) -> int | None:
        """Give its exit code; None while it runs."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its exit code."""
        ...

    def send_signal(self, sig: int) -> None:
        """Send it a signal."""
        ...


class Driver:
    """
    A running `kmirror run`, with Spark's JVMs in a session of their own.

    Args:
        process: The process.
        log: Where its output goes.
        temporary: The folder of its temporary files; what it wrote there stays after a kill.
    """

    def __init__(self, process: Process, log: Path, temporary: Path) -> None:
        self._process = process
        self.log = log
        self.temporary = temporary

    @property
    def pid(self) -> int:
        """The Python process; the JVMs are in its process group."""
        return self._process.pid

    @property
    def text(self) -> str:
        """What it has said so far."""
        return self.log.read_text(errors="replace")

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs, negative when a signal ended it."""
        return self._process.poll()

    def lines(self, pattern: str) -> list[str]:
        """Return the log lines in which *pattern* is found."""
        return [line for line in self.text.splitlines() if re.search(pattern, line)]

    def events(self) -> list[dict[str, Any]]:
        """Read the log of a driver that writes JSON; a line that is no object fails."""
        events = [json.loads(line) for line in self.text.splitlines()]
        assert all(event.keys() >= {"time", "level", "event", "message"} for event in events)
        return events

    def check_log(self) -> None:
        """See that every line of it has our form: no traces, no words of another program."""
        for line in self.text.splitlines():
            assert _LOG_LINE.match(line), f"{line}\n\n{self.text}"

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float) -> None:
        """Wait until *condition* holds; fails at once when the driver ends before."""

        def holds() -> bool:
            if condition():
                return True
            if self.exit_code is not None and not condition():
                raise AssertionError(f"{what}: exit {self.exit_code} before\n{self._last_words()}")
            return False

        try:
            wait_until(holds, what, timeout_s=timeout_s, pause_s=0.1)
        except ClusterUnavailable as error:
            raise AssertionError(f"{error}\n{self._last_words()}") from error

    def wait_for_line(
        self, pattern: str, *, timeout_s: float = _START_S_MAX, count: int = 1
    ) -> str:
        """Wait until *pattern* is found in *count* log lines, and give the last of them."""
        self.wait_until(
            lambda: len(self.lines(pattern)) >= count, f"/{pattern}/ x {count}", timeout_s
        )
        return self.lines(pattern)[count - 1]

    def wait_running(self, *, timeout_s: float = _START_S_MAX) -> None:
        """Wait until its first plan is handed to the lanes."""
        self.wait_for_line(RUNNING, timeout_s=timeout_s)

    def wait_for_address(self, words: str, *, timeout_s: float = _START_S_MAX) -> str:
        """Wait until it says behind *words* where it serves, and give that."""
        line = self.wait_for_line(f"{words} http://", timeout_s=timeout_s)
        found = re.search(r"http://\S+", line)
        assert found is not None
        return found[0]

    def wait_until_caught_up(
        self,
        source: Cluster,
        target: Cluster,
        topics: Mapping[str, str],
        *,
        flow: Flow = A_TO_B,
        timeout_s: float = _START_S_MAX,
    ) -> None:
        """
        Wait until everything that is in the source now is committed and readable on the target.

        Args:
            source, target: The clusters.
            topics: Source topic to target topic.
            flow: Whose positions count.
            timeout_s: How long it may take.
        """
        copy = CopyWatch(source.bootstrap, target.bootstrap, topics, flow)
        self.wait_until(copy.begin, f"the ends of {flow} are known", timeout_s)
        self.wait_until(copy.copied, f"{flow} has caught up", timeout_s)
        self.wait_until(copy.readable, f"{flow} is readable on the target", timeout_s)

    def wait_exit(self, *, timeout_s: float = 60) -> int:
        """Wait until it has ended by itself, and give its exit code."""
        wait_until(lambda: self.exit_code is not None, f"{self.log} ends", timeout_s=timeout_s)
        assert self.exit_code is not None
        return self.exit_code

    def stop(self, *, timeout_s: float = 60) -> int:
        """Ask it to end (SIGTERM), and give its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait_exit(timeout_s=timeout_s)

    def kill(self) -> None:
        """Kill Python and JVMs without notice (SIGKILL), and return when all are gone."""
        self._signal(signal.SIGKILL)
        self._process.wait(30)
        self.wait_until_gone(timeout_s=30)

    def wait_until_gone(self, *, timeout_s: float) -> None:
        """Wait until no process of its session is left."""
        wait_until(lambda: not self.members(), f"group {self.pid} is gone", timeout_s=timeout_s)

    def freeze(self) -> None:
        """Freeze Python and JVMs (SIGSTOP): connections stay open and silent."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on after `freeze`."""
        self._signal(signal.SIGCONT)

    def members(self, program: str = "") -> list[int]:
        """Return its session's living processes whose command line contains *program*."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat[3]) == self.pid and stat[0] not in "ZX" and program in command:
                found.append(int(entry.name))
        return found

    def _signal(self, number: signal.Signals) -> None:
        # Every process of the session: executors of a local cluster may lead groups of their own.
        for pid in self.members():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _last_words(self) -> str:
        return "\n".join(self.text.splitlines()[-40:])


def start_driver(
    file: Path,
    *arguments: str,
    folder: Path | None = None,
    environ: Mapping[str, str] | None = None,
    verb: str = "run",
) -> Driver:
    """Start `kmirror run`, or another service of that command line; see `DriverFactory`."""
    folder = folder or file.parent
    log = unused(folder / "driver.log")
    return start_logged([KMIRROR, verb, file, *arguments], log, folder / "tmp", environ=environ)


@contextmanager
def serving(verb: str, file: Path, *arguments: str) -> Iterator[str]:
    """Run a command that serves, at a free port, and give its address; it ends in good order."""
    served = start_driver(file, *arguments, "--listen", "127.0.0.1:0", verb=verb)
    try:
        yield served.wait_for_address("at", timeout_s=60)
    finally:
        assert served.stop(timeout_s=30) == 0, served.text


def start_logged(
    command: Sequence[str | Path],
    log: Path,
    temporary: Path,
    *,
    environ: Mapping[str, str] | None = None,
) -> Driver:
    """
    Start a process that does not outlive the tests, and writes all that it says into a file.

    Args:
        command: The command line.
        log: The file.
        temporary: For its temporary files; made if need be.
        environ: More environment variables.
    """
    with log.open("wb") as output:
        process = start_guarded(
            command,
            temporary,
            environ=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return Driver(process, log, temporary)


def start_guarded(
    command: Sequence[str | Path],
    temporary: Path,
    *,
    environ: Mapping[str, str] | None = None,
    **options: object,
) -> subprocess.Popen[str]:
    """
    Start a process that leads a session of its own and does not outlive the tests.

    Args:
        command: The command line.
        temporary: For its temporary files; made if need be.
        environ: More environment variables.
        options: `subprocess.Popen`'s, such as standard input and output.
    """
    temporary.mkdir(parents=True, exist_ok=True)
    places = {"TMPDIR": str(temporary), "SPARK_LOCAL_DIRS": str(temporary)}
    process = subprocess.Popen(
        command,
        env={**os.environ, **places, **(environ or {})},
        start_new_session=True,
        text=True,
        **options,
    )
    started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    guardian.guard(process.pid, int(started))
    return process


def write_properties(
    folder: Path, a: Cluster | str, b: Cluster | str, *extra_lines: str, topics: str = ".*"
) -> Path:
    """
    Write an `mm2.properties` with the flow A->B.

    Args:
        folder: Where; made if need be.
        a, b: The clusters, or their `bootstrap.servers`; A and B in the file whatever their names.
        extra_lines: More lines; the last of two with the same key counts.
        topics: What the flow mirrors.
    """
    folder.mkdir(parents=True, exist_ok=True)
    addresses = [cluster if isinstance(cluster, str) else cluster.bootstrap for cluster in (a, b)]
    size = str(min(3, 1 + addresses[1].count(",")))
    lines = [
        "clusters = A, B",
        f"A.bootstrap.servers = {addresses[0]}",
        f"B.bootstrap.servers = {addresses[1]}",
        "A->B.enabled = true",
        f"A->B.topics = {topics}",
        f"replication.factor = {size}",
        f"offset.storage.replication.factor = {size}",
        *extra_lines,
    ]
    path = folder / "mm2.properties"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


class DriverFactory(Protocol):
    """Starts a driver that lives at most as long as the test."""

    def __call__(
        self,
        file: Path,
        *arguments: str,
        folder: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Driver:
        """
        Start `kmirror run FILE ARGUMENTS`.

        Args:
            file: The properties file.
            arguments: More of the command line.
            folder: For its log and its temporary files; without it they are beside FILE.
            environ: More environment variables.
        """
        ...


def unused(path: Path) -> Path:
    """Give *path*, or with a number in its name when it exists: each start has its own log."""
    number, candidate = 1, path
    while candidate.exists():
        number += 1
        candidate = path.with_stem(f"{path.stem}-{number}")
    return candidate
