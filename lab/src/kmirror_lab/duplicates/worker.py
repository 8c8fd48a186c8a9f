"""The mirror that a scenario is done to, and what its log tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kmirror_lab.cluster.mirror import Command, Mirror, kmirror_run, mirror_maker_2
from kmirror_lab.duplicates.duplicated_batch import Retry, retries_in
from kmirror_lab.duplicates.files import TOPIC, Lines, consumer_file, mirror_file, producer_file
from kmirror_lab.duplicates.result import Peer
from kmirror_lab.jars import KAFKA_2_8
from kmirror_lab.process.host import Host
from kmirror_lab.process.jvm_command import kafka_command

_STOP_S_MAX = 20.0
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


class Worker:
    """
    A mirror, and what its log tells of its producer.

    Args:
        peer: Which program.
        work: What it shall do.
        folder: For its files, its log and its temporary files.
        host: Where it runs.
    """

    def __init__(self, peer: Peer, work: Work, folder: Path, host: Host) -> None:
        self.peer = peer
        self.folder = folder
        self.mirror = _mirror(peer, work, folder, host)

    def died(self) -> bool:
        """Tell whether the process, or the task in it that copies, has ended by itself."""
        if self.mirror.has_ended():
            return True
        return self.peer is Peer.MIRROR_MAKER and _DEAD_TASK in self.mirror.log_text()

    def stop(self) -> None:
        """Shut it down in order; what is left after a while is killed."""
        self.mirror.stop(timeout_s=_STOP_S_MAX)

    def timed_out(self) -> int | None:
        """Say how often its producer did not wait for an answer any longer; `None` is not known."""
        if self.peer is not Peer.MIRROR_MAKER:
            return None
        return len(_TIMED_OUT.findall(self.mirror.log_text()))

    def retry_count(self) -> int | None:
        """Say how many batches its producer sent again; `None` is not known."""
        if self.peer is Peer.KMIRROR:
            return None  # it has its clients log errors only
        return len(_SENT_AGAIN.findall(self.mirror.log_text()))

    def retries(self) -> list[Retry]:
        """Tell what is known of the batches that its producer sent again."""
        return retries_in(self.mirror.log_text()) if self.peer is Peer.MIRROR_MAKER else []


def _mirror(peer: Peer, work: Work, folder: Path, host: Host) -> Mirror:
    match peer:
        case Peer.MIRROR_MAKER:
            return mirror_maker_2(_file_of(work), folder, level="info", host=host)
        case Peer.MIRROR_MAKER_1:
            command = partial(_mirror_maker_1, work, folder)
            return Mirror("MirrorMaker 1", command, log=folder / "mirror.log", host=host)
        case Peer.KMIRROR:
            return kmirror_run(_file_of(work), folder, host=host)


def _file_of(work: Work) -> str:
    return mirror_file(work.source, work.target, work.lines)


def _mirror_maker_1(work: Work, folder: Path) -> Command:
    """Write its command; it left Kafka with 4.0, and comes from 2.8.2."""
    reads, writes = folder / "consumer.properties", folder / "producer.properties"
    reads.write_text(consumer_file(work.source, work.lines))
    writes.write_text(producer_file(work.target, work.lines))
    return kafka_command(
        "kafka.tools.MirrorMaker",
        *("--consumer.config", str(reads), "--producer.config", str(writes)),
        *("--whitelist", TOPIC),
        folder=folder,
        level="info",
        jars=KAFKA_2_8,
    )
