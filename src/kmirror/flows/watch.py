"""Looks at both clusters beside a running flow, so that a slow answer never holds the flow up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.flows.chores import Chore
from kmirror.flows.discovery import Discovery, Mirrored
from kmirror.flows.progress import Progress
from kmirror.model import TopicPartition

_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """
    What was seen last.

    Args:
        mirrored: What can be mirrored; `None` until it has been looked up.
        discoveries: How often that was looked up.
        ends: The source's ends, as the flow's consumers see them.
        trouble: Why a cluster could not be asked; empty when both answered.
        error: What ends the flow: it was fenced, or the watch itself failed.
    """

    mirrored: tuple[Mirrored, ...] | None = None
    discoveries: int = 0
    ends: Mapping[TopicPartition, int] | None = None
    trouble: str = ""
    error: Exception | None = None


class Watch:
    """
    A thread that keeps looking until `close`.

    Args:
        source: The source's control plane.
        progress: Says which partitions' ends are wanted.
        isolation: Whether an end is the last stable offset or the high watermark.
        clock: Where time comes from.
    """

    def __init__(
        self, source: ClusterAdmin, progress: Progress, *, isolation: Isolation, clock: Clock
    ) -> None:
        self._source = source
        self._progress = progress
        self._isolation = isolation
        self._clock = clock
        self._chores: list[Chore] = []
        self._closed = threading.Event()
        self.sight = Sight()
        self._thread = threading.Thread(target=self._run, name="kmirror-watch", daemon=True)

    def discover_every(self, interval_s: float, discovery: Discovery) -> None:
        """Look for topics and partitions every *interval_s* seconds."""

        def discover() -> None:
            mirrored = discovery.discover()
            count = self.sight.discoveries + 1
            self.sight = replace(self.sight, mirrored=mirrored, discoveries=count)

        self.also(Chore(self._clock, interval_s, discover))

    def also(self, *chores: Chore) -> None:
        """Do these too; one that raises `ClusterError` is done again when its time has come."""
        self._chores.extend(chores)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop looking; an answer that is still on its way is not waited for."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                trouble = self._look((self._look_at_ends, *(c.run_if_due for c in self._chores)))
            except Exception as error:  # noqa: BLE001 - the flow's own thread raises it again
                self.sight = replace(self.sight, error=error)
                return
            self.sight = replace(self.sight, trouble=trouble)
            self._clock.wait(self._closed, _INTERVAL_S)

    def _look(self, things: Sequence[Callable[[], object]]) -> str:
        """Do one thing after the other; give the first trouble."""
        trouble = ""
        for thing in things:
            try:
                thing()
            except ClusterError as error:
                trouble = trouble or str(error)
        return trouble

    def _look_at_ends(self) -> None:
        if wanted := tuple(self._progress.positions):
            ends = self._source.offsets(wanted, "latest", isolation=self._isolation)
            self.sight = replace(self.sight, ends=ends)
