"""A mirror as processes: MirrorMaker 2, or a kmirror that has a process to itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from kmirror.errors import EnvironmentProblem
from kmirror_lab.process import process, session
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.jvm_command import kafka_command
from kmirror_lab.process.process import ProcessId, Usage

Command = Sequence[str | Path]

# With one broker in each cluster nothing can have more copies: all of these are 1 then.
ONE_COPY = (
    "replication.factor",
    "checkpoints.topic.replication.factor",
    "heartbeats.topic.replication.factor",
    "offset-syncs.topic.replication.factor",
    "offset.storage.replication.factor",
    "status.storage.replication.factor",
    "config.storage.replication.factor",
)


KMIRROR_PROGRAM: Command = (sys.executable, "-c", "from kmirror.cli.main import main; main()")
_STOP_S_MAX = 60.0
_LAST_LINES = 15


class Mirror:
    """
    The processes of a mirror; leaving the context kills what is left of them.

    Args:
        name: What messages call it.
        command: Writes the files that it needs, and gives its command; asked at each start.
        log: Where its output is appended.
        environ: More environment variables.
        host: Where it runs.
    """

    def __init__(
        self,
        name: str,
        command: Callable[[], Command],
        *,
        log: Path,
        environ: Mapping[str, str] | None = None,
        host: Host = HERE,
    ) -> None:
        self.log = log
        self._name = name
        self._command = command
        self._environ = dict(environ or {})
        self._host = host
        self._process: ProcessId | None = None

    @property
    def process(self) -> ProcessId:
        """The first of its processes, which leads the others' session."""
        assert self._process is not None, f"{self._name} was not started"
        return self._process

    def start(self) -> None:
        """
        Start it, also again, and go on with its log; some seconds later it copies.

        Raises:
            EnvironmentProblem: It runs already.
        """
        if self.running():
            raise EnvironmentProblem(f"{self._name} runs already: kill it before it starts again")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        command = self._host.command(self._command())
        self._process = process.start(command, log=self.log, environ=self._environ)

    def running(self) -> bool:
        """Tell whether the first of its processes is there."""
        return self._process is not None and process.alive(self._process)

    def has_ended(self) -> bool:
        """Tell whether it has ended by itself, neither stopped nor killed by this object."""
        return self._process is not None and not self.running()

    def check(self) -> None:
        """
        Make sure that it still runs.

        Raises:
            EnvironmentProblem: It has ended; the message quotes its log.
        """
        if not self.running():
            raise EnvironmentProblem(f"{self._name} ended:\n{self.end_of_log()}")

    def stop(self, *, timeout_s: float = _STOP_S_MAX) -> None:
        """Shut it down in order (SIGTERM); what is left after *timeout_s* is killed."""
        if self._process is not None:
            process.end(self._process, timeout_s=timeout_s)
            self.kill()

    def kill(self) -> None:
        """Kill all of its processes without notice, and return when they are gone."""
        if self._process is not None:
            leader, self._process = self._process, None
            session.kill(leader, timeout_s=_STOP_S_MAX)

    def usage(self) -> Usage:
        """
        Give processor time and memory of the first of its processes.

        Raises:
            ProcessLookupError: It has ended.
        """
        return process.usage(self.process)

    def log_text(self) -> str:
        """Give its whole log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def end_of_log(self) -> str:
        """Give the last lines of its log."""
        return "\n".join(self.log_text().splitlines()[-_LAST_LINES:])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()


def mirror_maker_2(
    properties: str, folder: Path, *, heap_mb: int = 1024, level: str = "warn", host: Host = HERE
) -> Mirror:
    """
    Give MirrorMaker 2 in dedicated mode.

    Args:
        properties: The text of its `mm2.properties`.
        folder: For that file and its log.
        heap_mb: The JVM's largest heap, MiB.
        level: What it logs; at `info` it tells of its connectors' states.
        host: Where it runs.
    """

    def command() -> Command:
        return kafka_command(
            "org.apache.kafka.connect.mirror.MirrorMaker",
            str(_written(folder, properties)),
            folder=folder,
            heap_mb=heap_mb,
            level=level,
        )

    return Mirror("MirrorMaker 2", command, log=folder / "mirror-maker.log", host=host)


def kmirror_run(
    properties: str,
    folder: Path,
    *,
    program: Command = KMIRROR_PROGRAM,
    options: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    host: Host = HERE,
) -> Mirror:
    """
    Give a `kmirror run`.

    Args:
        properties: The text of its `mm2.properties`.
        folder: For that file, its log and its temporary files, Spark's too: what a killed process
            leaves behind goes with it.
        program: What takes kmirror's command line.
        options: More of the command line.
        environ: More environment variables.
        host: Where it runs.
    """
    temporary = folder / "tmp"
    places = {
        "TMPDIR": str(temporary),
        "SPARK_LOCAL_DIRS": str(temporary),
        "SPARK_SUBMIT_OPTS": f"-Djava.io.tmpdir={temporary}",
    }

    def command() -> Command:
        temporary.mkdir(parents=True, exist_ok=True)
        return [*program, "run", _written(folder, properties), *options]

    return Mirror(
        "kmirror",
        command,
        log=folder / "kmirror.log",
        environ=places | dict(environ or {}),
        host=host,
    )


def _written(folder: Path, properties: str) -> Path:
    file = folder / "mm2.properties"
    file.write_text(properties)
    return file
