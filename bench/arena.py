"""Two fresh clusters, and one contest at a time between them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until

from bench.contestant import Contestant, mirror_of, properties
from kmirror.admin.client import KafkaAdmin
from kmirror.model import Flow

_HEAP_MB = 1024
_CONFIG = {
    # What one contest left on the disk is gone before the next one begins.
    "log.segment.delete.delay.ms": "500",
}
_DIRTY_KB_MAX = 64 * 1024
_SETTLE_S_MAX = 180.0
_REQUEST_S_MAX = 60.0


class Arena:
    """
    A source and a target cluster of one broker each, running while the context lasts.

    Every contest has aliases of its own, so that names, positions and internal topics are fresh,
    while both brokers stay warm for all contestants alike.

    Args:
        folder: For the clusters and for what the contestants write.
        config: More of the brokers' settings.
    """

    def __init__(self, folder: Path, *, config: Mapping[str, str] | None = None) -> None:
        ours = _CONFIG | dict(config or {})
        self.source = Cluster("source", folder, config=ours, heap_mb=_HEAP_MB)
        self.target = Cluster("target", folder, config=ours, heap_mb=_HEAP_MB)
        self._folder = folder
        self._contests = 0
        self._nodes = 0
        self._running = ExitStack()

    def __enter__(self) -> Self:
        self._running.enter_context(started(self.source, self.target))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._running.close()

    def enter(
        self, contestant: Contestant, *, environ: Mapping[str, str] | None = None
    ) -> tuple[Mirror, Flow]:
        """Give *contestant*, not started yet, and the aliases that it will use."""
        self._contests += 1
        self._nodes = 0
        return self.join(contestant, environ=environ), self.flow

    def join(self, contestant: Contestant, *, environ: Mapping[str, str] | None = None) -> Mirror:
        """Give one more node of the contestant that has entered last, not started yet."""
        self._nodes += 1
        text = self._text(contestant)
        node = f"-{self._nodes}" if self._nodes > 1 else ""
        folder = self._folder / f"{self._contests:02}-{contestant.name}{node}"
        return mirror_of(contestant, text, folder, environ=environ)

    def write_file(self, contestant: Contestant, folder: Path) -> Path:
        """Write the same file for commands as the contestant has that entered last."""
        file = folder / "mm2.properties"
        file.write_text(self._text(contestant), encoding="utf-8")
        return file

    def _text(self, contestant: Contestant) -> str:
        return properties(
            contestant,
            self.flow,
            source_bootstrap=self.source.bootstrap,
            target_bootstrap=self.target.bootstrap,
        )

    @property
    def flow(self) -> Flow:
        """The aliases of the contestant that has entered last."""
        return Flow(source=f"A{self._contests}", target=f"B{self._contests}")

    def brokers(self) -> list[ProcessId]:
        """Give the processes of both clusters."""
        brokers = [*self.source.brokers, *self.target.brokers]
        return [broker.process for broker in brokers if broker.process is not None]

    def source_admin(self) -> KafkaAdmin:
        """Give a new control plane of the source."""
        return admin_of(self.source)

    def target_admin(self) -> KafkaAdmin:
        """Give a new control plane of the target."""
        return admin_of(self.target)

    def clear(self, *, keep: str = "") -> None:
        """Delete all topics of both clusters, except Kafka's own and *keep* on the source."""
        _delete_topics(self.source, keep)
        _delete_topics(self.target, "")
        self.settle()

    def settle(self) -> None:
        """Wait until the machine has written everything to the disk."""
        os.sync()
        wait_until(
            lambda: _unwritten_kb() <= _DIRTY_KB_MAX,
            "the page cache is written to the disk",
            timeout_s=_SETTLE_S_MAX,
        )


def admin_of(cluster: Cluster) -> KafkaAdmin:
    """Give a new control plane of a cluster."""
    config = {"bootstrap.servers": cluster.bootstrap}
    return KafkaAdmin(cluster.name, config, timeout_s=_REQUEST_S_MAX)


def _delete_topics(cluster: Cluster, keep: str) -> None:
    admin = cluster.admin()

    def left() -> list[str]:
        topics = admin.list_topics(timeout=_REQUEST_S_MAX).topics
        return [name for name in topics if not name.startswith("__") and name != keep]

    names = left()
    if names:
        for future in admin.delete_topics(names, operation_timeout=_REQUEST_S_MAX).values():
            future.result()
        wait_until(lambda: not left(), "the topics are gone", timeout_s=_REQUEST_S_MAX)


def _unwritten_kb() -> int:
    """Give what `/proc/meminfo` calls dirty or being written, KiB."""
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    return sum(int(lines[name].split()[0]) for name in ("Dirty", "Writeback"))
