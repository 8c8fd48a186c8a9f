"""The mirror that a scenario is done to: a process on one side of the link."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from kmirror.lab import process
from kmirror.lab.duplicates.result import Peer
from kmirror.lab.host import Host, tool
from kmirror.lab.peer import MirrorMakerPeer
from kmirror.lab.process import ProcessId

SOURCE, TARGET = "us-east-1", "us-east-2"
TOPIC = "orders"
COPY = f"{SOURCE}.{TOPIC}"
_KMIRROR = "from kmirror.cli.main import main; main()"
_STOP_S_MAX = 20.0
_LAST_LINES = 15
_DEAD_TASK = "Task is being killed and will not recover"
# Kafka's own words, of the producer that writes the records.
_GIVEN_UP = re.compile(r"MirrorSourceConnector\S*\] Cancelled in-flight PRODUCE request")
_SENT_AGAIN = re.compile(rf"on topic-partition {re.escape(COPY)}-\d+, retrying")
# One broker each: nothing can have more copies.
_ONE_COPY = (
    "replication.factor",
    "checkpoints.topic.replication.factor",
    "heartbeats.topic.replication.factor",
    "offset-syncs.topic.replication.factor",
    "offset.storage.replication.factor",
    "status.storage.replication.factor",
    "config.storage.replication.factor",
)
CLIENT_IDS = {
    Peer.MIRROR_MAKER: "connector-producer-MirrorSourceConnector-0",
    Peer.KMIRROR: f"{SOURCE}->{TARGET}|kmirror",
}


def mirror_file(source: str, target: str, more: Iterable[tuple[str, str]]) -> str:
    """
    Write the `mm2.properties` that every mirror is given.

    Args:
        source: `bootstrap.servers` of the source.
        target: The same of the target.
        more: A scenario's lines.
    """
    lines = [
        ("clusters", f"{SOURCE}, {TARGET}"),
        (f"{SOURCE}.bootstrap.servers", source),
        (f"{TARGET}.bootstrap.servers", target),
        (f"{SOURCE}->{TARGET}.enabled", "true"),
        (f"{SOURCE}->{TARGET}.topics", TOPIC),
        *((key, "1") for key in _ONE_COPY),
        *more,
    ]
    return "".join(f"{key} = {value}\n" for key, value in lines)


class Mirror:
    """
    A mirror's process, with all that it starts.

    Args:
        peer: Which program.
        text: Its `mm2.properties`.
        folder: For that file, its log and its temporary files.
        host: Where it runs.
    """

    def __init__(self, peer: Peer, text: str, folder: Path, host: Host) -> None:
        self.peer = peer
        self._text = text
        self._folder = folder
        self._host = host
        self._maker = MirrorMakerPeer(text, folder, level="info", host=host)
        self._process: ProcessId | None = None

    @property
    def log(self) -> Path:
        """What it logs; starts append."""
        return self._maker.log if self.peer is Peer.MIRROR_MAKER else self._folder / "kmirror.log"

    def start(self) -> None:
        """Start it, also again."""
        if self.peer is Peer.MIRROR_MAKER:
            self._maker.start()
            self._process = self._maker.process
            return
        file, temporary = self._folder / "mm2.properties", self._folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        file.write_text(self._text)
        places = [f"{name}={temporary}" for name in ("TMPDIR", "SPARK_LOCAL_DIRS")]
        places.append(f"SPARK_SUBMIT_OPTS=-Djava.io.tmpdir={temporary}")
        command = [tool("env", package="coreutils"), *places]
        command += [sys.executable, "-c", _KMIRROR, "run", str(file)]
        self._process = process.start(self._host.command(command), log=self.log)

    def died(self) -> bool:
        """Tell whether the process, or the task in it that copies, has ended by itself."""
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

    def given_up(self) -> int | None:
        """Say how many requests its producer did not wait for any longer; `None` is not known."""
        return len(_GIVEN_UP.findall(self._said())) if self._tells else None

    def sent_again(self) -> int | None:
        """Say how many batches its producer sent again; `None` is not known."""
        return len(_SENT_AGAIN.findall(self._said())) if self._tells else None

    def last_words(self) -> str:
        """Give the end of its log."""
        return "\n".join(self._said().splitlines()[-_LAST_LINES:])

    @property
    def _tells(self) -> bool:
        # kmirror has its clients log errors only.
        return self.peer is Peer.MIRROR_MAKER

    def _said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""
