"""
Drivers that find Spark started already.

A warm driver is `kmirror run` to the letter, with its command line, signals, log and exit code, but
in a process that has run others before and has kept Spark's JVM: a start of it takes 8 s of two
cores, of which a test of what is copied learns nothing. Tests of starts and kills, of Spark's
settings, masters and environment variables take processes of their own (`run_driver`).

This file is also the program of such a process.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kmirror.cli.verbs import program
from kmirror.clock import Clock, SystemClock
from kmirror.config.secret import Secret
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess
from kmirror.runtime import flow_host, host_launch
from tests.support.driver import Driver, start_guarded, unused

# All verbs are loaded before one is wanted.
_APP = program()
_SLOTS = 16
_END_S_MAX = 30.0


class WarmDrivers:
    """
    Starts drivers in processes that are free, and others when none is.

    Args:
        folder: For what the processes say and write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._servers: list[_Server] = []

    def start(
        self,
        file: Path,
        *arguments: str,
        folder: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Driver:
        """Start `kmirror run`; see `DriverFactory`."""
        assert not environ, "a process that runs already has its environment"
        self._servers = [server for server in self._servers if server.alive]
        free = [server for server in self._servers if server.free]
        if not free:
            free = [_Server(self._folder)]
            self._servers += free
        log = unused((folder or file.parent) / "driver.log")
        return WarmDriver(free[0].run(log, ["run", str(file), *arguments]), log, self._folder)

    def close(self) -> None:
        """End the processes."""
        for server in self._servers:
            server.close()


class WarmDriver(Driver):
    """A driver whose process goes on after its end."""

    def kill(self) -> None:
        """Kill the process, unless the driver has ended: then it is another's."""
        if self.exit_code is None:
            super().kill()


class _Server:
    """A process for one driver after another; what its JVM says is in `spark.log`."""

    def __init__(self, folder: Path) -> None:
        with unused(folder / "spark.log").open("wb") as log:
            self.process = start_guarded(
                [sys.executable, "-m", __name__],
                folder,
                cwd=Path(__file__).parents[2],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self._job: _Job | None = None

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def free(self) -> bool:
        return self._job is None or self._job.poll() is not None

    def run(self, log: Path, arguments: list[str]) -> _Job:
        assert self.free
        log.touch()
        print(json.dumps([str(log), *arguments]), file=self.process.stdin, flush=True)
        self._job = _Job(self.process)
        return self._job

    def close(self) -> None:
        if self.free and self.alive:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(_END_S_MAX)
        else:
            self.process.kill()


class _Job:
    """One driver in its process; see `driver.Process`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._code: int | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        return self._answer(0.0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._answer(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self._process.args, timeout or 0.0)
        return code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            self._process.send_signal(sig)

    def _answer(self, timeout_s: float | None) -> int | None:
        answers = self._process.stdout
        if self._code is None and select.select([answers], [], [], timeout_s)[0]:
            assert answers is not None
            line = answers.readline()
            self._code = int(line) if line else self._process.wait(_END_S_MAX)
        return self._code


class _KeptSpark(SparkProcess):
    """Spark for all drivers of this process."""

    _session: SparkSession | None = None
    folder: Path

    def launch(
        self, *, slots: int, master: str | None, settings: Mapping[str, Secret], **_: Any
    ) -> Any:
        """Give it to a driver that would have launched a JVM of its own."""
        assert slots <= _SLOTS
        assert master is None, "a master is for `run_driver`"
        assert not settings, "Spark's settings are for `run_driver`"
        self.folder = Path(tempfile.mkdtemp(dir=self._launch.folder))
        return self

    def take(self, launch: Any, *_: Any, **__: Any) -> Any:
        """Give it to a driver that would have connected to it."""
        assert launch is self
        return self

    def open(self, clock: Clock, stop: threading.Event) -> SparkSession | None:
        self._session = self._session or super().open(clock, stop)
        return self._session

    def close(self) -> None:
        """Stay."""

    def close_at_last(self) -> None:
        """End the JVM."""
        super().close()


def _serve() -> None:
    """Run one driver for each line of standard input, and answer with its exit code."""
    answers = os.dup(1)
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        launch = SparkLaunch(app="warm", slots=_SLOTS, folder=Path(folder))
        spark = _KeptSpark(launch, SystemClock())
        host_launch.SparkLaunch, flow_host.SparkProcess = spark.launch, spark.take
        for line in sys.stdin:
            log, *arguments = json.loads(line)
            with Path(log).open("ab") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            code = _run(arguments)
            sys.stdout.flush()
            os.write(answers, f"{code}\n".encode())
        spark.close_at_last()


def _run(arguments: list[str]) -> int:
    try:
        _APP(arguments, standalone_mode=False)
    except SystemExit as end:
        return int(end.code or 0)
    raise AssertionError("`kmirror run` ends with an exit code")


if __name__ == "__main__":
    _serve()
