"""The mirror that a scenario is done to: a process on one side of the link."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.cluster.peer import MirrorMakerPeer, places_of
from kmirror_lab.duplicates.duplicated_batch import Retry, retries_in
from kmirror_lab.duplicates.files import TOPIC, Lines, consumer_file, mirror_file, producer_file
from kmirror_lab.duplicates.result import Peer
from kmirror_lab.jars import KAFKA_2_8
from kmirror_lab.process import process
from kmirror_lab.process.host import Host, tool
from kmirror_lab.process.jvm_command import kafka_command
from kmirror_lab.process.process import ProcessId

_KMIRROR = "from kmirror.cli.main import main; main()"
_STOP_S_MAX = 20.0
_LAST_LINES = 15
# Kafka's own words.
_DEAD_TASK = "Task is being killed and will not recover"
_TIMED_OUT = re.compile(
    r"Producer clientId=connector-producer-MirrorSourceConnector-\d+\S*\] "
    r"Disconnecting from node \S+ due to request timeout"
)
_SENT_AGAIN = re.compile(r"on topic-partition (?:us-east-1\.)?orders-\d+, (?:splitting and )?retry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """
    What a mirror shall do.

    Args:
        source: `bootstrap.servers` of the source.
        target: The same of the target.
        lines: More lines of its file.
    """

    source: str
    target: str
    lines: Lines


class Mirror:
    """
    A mirror's process, with all that it starts.

    Args:
        peer: Which program.
        work: What it shall do.
        folder: For its files, its log and its temporary files.
        host: Where it runs.
    """

    def __init__(self, peer: Peer, work: Work, folder: Path, host: Host) -> None:
        self.peer = peer
        self.folder = folder
        self.log = folder / "mirror.log"
        self._work = work
        self._host = host
        self._process: ProcessId | None = None

    def start(self) -> None:
        """Start it, also again; its log goes on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        match self.peer:
            case Peer.MIRROR_MAKER:
                maker = MirrorMakerPeer(self._text, self.folder, level="info", host=self._host)
                self.log = maker.log
                maker.start()
                self._process = maker.process
            case Peer.MIRROR_MAKER_1:
                self._launch(self._mirror_maker_1())
            case Peer.KMIRROR:
                self._launch(self._kmirror())

    def died(self) -> bool:
        """Return whether the process, or the task in it that copies, has ended by itself."""
        if self._process is not None and not process.alive(self._process):
            return True
        return self.peer is Peer.MIRROR_MAKER and _DEAD_TASK in self._said()

    def kill(self) -> None:
        """Kill it without notice, all of its processes."""
        if self._process is None:
            return
        leader, self._process = self._process, None
        if process.alive(leader):
            # It leads a session of its own, and its children belong to that.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(leader.pid, signal.SIGKILL)
            process.kill(leader)

    def stop(self) -> None:
        """Shut it down in order; what is left after a while is killed."""
        if self._process is not None:
            process.send(self._process, signal.SIGTERM)
            process.wait_end(self._process, timeout_s=_STOP_S_MAX)
        self.kill()

    def timed_out(self) -> int | None:
        """Say how often its producer did not wait for an answer any longer; `None` is not known."""
        if self.peer is not Peer.MIRROR_MAKER:
            return None
        return len(_TIMED_OUT.findall(self._said()))

    def retry_count(self) -> int | None:
        """Say how many batches its producer sent again; `None` is not known."""
        # kmirror has its clients log errors only.
        return None if self.peer is Peer.KMIRROR else len(_SENT_AGAIN.findall(self._said()))

    def retries(self) -> list[Retry]:
        """Tell what is known of the batches that its producer sent again."""
        return retries_in(self._said()) if self.peer is Peer.MIRROR_MAKER else []

    def last_words(self) -> str:
        """Return the end of its log."""
        return "\n".join(self._said().splitlines()[-_LAST_LINES:])

    @property
    def _text(self) -> str:
        return mirror_file(self._work.source, self._work.target, self._work.lines)

    def _said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def _launch(self, command: list[str]) -> None:
        self._process = process.start(self._host.command(command), log=self.log)

    def _kmirror(self) -> list[str]:
        file, temporary = self.folder / "mm2.properties", self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        file.write_text(self._text)
        places = [f"{name}={place}" for name, place in places_of(temporary).items()]
        program = [sys.executable, "-c", _KMIRROR, "run", str(file)]
        return [tool("env", package="coreutils"), *places, *program]

    def _mirror_maker_1(self) -> list[str]:
        """Write its command; it left Kafka with 4.0, and comes from 2.8.2."""
        reads, writes = self.folder / "consumer.properties", self.folder / "producer.properties"
        reads.write_text(consumer_file(self._work.source, self._work.lines))
        writes.write_text(producer_file(self._work.target, self._work.lines))
        return kafka_command(
            "kafka.tools.MirrorMaker",
            *("--consumer.config", str(reads), "--producer.config", str(writes)),
            *("--whitelist", TOPIC),
            folder=self.folder,
            level="info",
            jars=KAFKA_2_8,
        )
