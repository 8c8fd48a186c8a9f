"""The real MirrorMaker 2 as a process: what kmirror is compared with."""

from __future__ import annotations

from pathlib import Path

from kmirror_lab.process import process
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.jvm_command import kafka_command
from kmirror_lab.process.process import ProcessId, Usage

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


def places_of(temporary: Path) -> dict[str, str]:
    """Return the environment with which a kmirror writes its temporary files there, Spark's too."""
    return {
        "TMPDIR": str(temporary),
        "SPARK_LOCAL_DIRS": str(temporary),
        "SPARK_SUBMIT_OPTS": f"-Djava.io.tmpdir={temporary}",
    }


class MirrorMakerPeer:
    """
    MirrorMaker 2 in dedicated mode.

    Args:
        properties: The text of its `mm2.properties`.
        folder: For that file and its log.
        heap_mb: The JVM's largest heap, MiB.
        level: What it logs; at `info` it tells of its connectors' states.
        host: Where it runs.
    """

    def __init__(
        self,
        properties: str,
        folder: Path,
        *,
        heap_mb: int = 1024,
        level: str = "warn",
        host: Host = HERE,
    ) -> None:
        self.properties = properties
        self.folder = folder
        self.log = folder / "mirror-maker.log"
        self.process: ProcessId | None = None
        self._heap_mb = heap_mb
        self._level = level
        self._host = host

    def start(self) -> None:
        """Start it; it has begun to work when its first record arrives, some 10 s later."""
        assert not self.running(), "MirrorMaker 2 runs already"
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "mm2.properties"
        file.write_text(self.properties)
        command = kafka_command(
            "org.apache.kafka.connect.mirror.MirrorMaker",
            str(file),
            folder=self.folder,
            heap_mb=self._heap_mb,
            level=self._level,
        )
        self.process = process.start(self._host.command(command), log=self.log)

    def running(self) -> bool:
        """Return whether the process is there."""
        return self.process is not None and process.alive(self.process)

    def stop(self, *, timeout_s: float = 60) -> None:
        """Shut it down in order (SIGTERM); after *timeout_s* kill it."""
        if self.process is not None:
            process.end(self.process, timeout_s=timeout_s)

    def kill(self) -> None:
        """Kill it without notice."""
        if self.process is not None:
            process.kill(self.process)

    def usage(self) -> Usage:
        """Return its processor time and memory."""
        assert self.process is not None, "MirrorMaker 2 was never started"
        return process.usage(self.process)
