"""One contestant at work."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from kmirror_lab.cluster.peer import MirrorMakerPeer, places_of
from kmirror_lab.process import process
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until

from bench.contestant import Contestant, Program
from bench.usage import members
from kmirror.errors import EnvironmentProblem

# What `connect-mirror-maker.sh` gives the JVM.
_MM2_HEAP_MB = 2048
_STOP_S_MAX = 60.0
_LAST_LINES = 15


class Mirror:
    """
    The processes of a contestant; leaving the context kills what is left of them.

    Args:
        contestant: Which program.
        properties: The text of its `mm2.properties`.
        folder: For that file, its log and its temporary files.
        environ: More environment variables for kmirror.
        host: Where it runs.
    """

    def __init__(
        self,
        contestant: Contestant,
        properties: str,
        folder: Path,
        *,
        environ: Mapping[str, str] | None = None,
        host: Host = HERE,
    ) -> None:
        self._host = host
        self._environ = dict(environ or {})
        self._contestant = contestant
        self._properties = properties
        self._folder = folder
        self._log = folder / "kmirror.log"
        self._process: ProcessId | None = None

    @property
    def process(self) -> ProcessId:
        """The first of its processes, which leads the others' session."""
        assert self._process is not None, "it was never started"
        return self._process

    @property
    def log(self) -> Path:
        """What it logs."""
        return self._log

    def start(self) -> None:
        """Start it, also again; some seconds later its first record arrives."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._contestant.program is Program.MIRROR_MAKER:
            peer = MirrorMakerPeer(
                self._properties, self._folder, heap_mb=_MM2_HEAP_MB, host=self._host
            )
            peer.start()
            self._process, self._log = peer.process, peer.log
        else:
            self._process = self._start_kmirror()

    def check(self) -> None:
        """
        Make sure that it still runs.

        Raises:
            EnvironmentProblem: It has ended; the message quotes its log.
        """
        if not process.alive(self.process):
            words = self._log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
            raise EnvironmentProblem(f"{self._contestant.label} ended:\n" + "\n".join(words))

    def stop(self) -> None:
        """Shut it down in order (SIGTERM)."""
        process.end(self.process, timeout_s=_STOP_S_MAX)
        self.kill()

    def kill(self) -> None:
        """Kill all of its processes at once, and return when they are gone."""
        leader = self.process
        if members(leader):
            os.killpg(leader.pid, signal.SIGKILL)
            process.wait_end(leader, timeout_s=_STOP_S_MAX)
            wait_until(
                lambda: not members(leader),
                f"all processes of {self._contestant.label} are gone",
                timeout_s=_STOP_S_MAX,
                pause_s=0.005,
            )

    def _start_kmirror(self) -> ProcessId:
        file = self._folder / "mm2.properties"
        file.write_text(self._properties)
        # What a killed process leaves behind goes with the folder.
        temporary = self._folder / "tmp"
        temporary.mkdir(exist_ok=True)
        places = places_of(temporary) | self._environ
        command: list[str | Path] = [*self._program(), "run", file, *self._contestant.options]
        there = self._host.command(command)
        return process.start(there, log=self._log, environ=os.environ | places)

    def _program(self) -> list[str | Path]:
        if self._contestant.program is Program.BARE_COPIER:
            return [sys.executable, "-m", "bench.bare_copier"]
        return [Path(sys.executable).with_name("kmirror")]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self.kill()
