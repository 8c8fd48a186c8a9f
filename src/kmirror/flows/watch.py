"""Looks at both clusters beside a running flow, so that a slow answer never holds the flow up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.clock import Clock
from kmirror.flows.chores import Chore
from kmirror.flows.discovery import Discovered, Discovery
from kmirror.flows.loop import Loop
from kmirror.flows.progress import Progress
from kmirror.model import TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """
    What was seen last.

    Args:
        discovered: What can be mirrored, and what not; `None` until it has been looked up.
        discoveries: How often that was looked up.
        ends: The source's ends, as the flow's consumers see them.
        starts: Where partitions begin that are selected and in no plan.
        trouble: Why a cluster could not be asked; empty when both answered.
        error: What ends the flow: it was fenced, or the watch itself failed.
    """

    discovered: Discovered | None = None
    discoveries: int = 0
    ends: Mapping[TopicPartition, int] | None = None
    starts: Mapping[TopicPartition, int] = field(default_factory=dict)
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
        self._loop = Loop("kmirror-watch", clock, self._failed)
        self._sight = Sight()
        self.also(Chore(clock, 0.0, self._look_at_ends))

    @property
    def sight(self) -> Sight:
        """What was seen last."""
        return replace(self._sight, trouble=self._loop.trouble)

    def discover_every(self, interval_s: float, discovery: Discovery) -> None:
        """Look for topics and partitions every *interval_s* seconds."""

        def discover() -> None:
            discovered = discovery.discover()
            count = self._sight.discoveries + 1
            self._sight = replace(self._sight, discovered=discovered, discoveries=count)

        self.also(Chore(self._clock, interval_s, discover))

    def also(self, *chores: Chore) -> None:
        """Do these too; one that raises `ClusterError` is done again when its time has come."""
        self._loop.also(*chores)

    def start(self) -> None:
        """Begin to look."""
        self._loop.start()

    def close(self) -> None:
        """Stop looking; an answer that is still on its way is not waited for."""
        self._loop.close()

    def _failed(self, error: Exception) -> bool:
        """Leave it to the flow's own thread, which raises it again."""
        self._sight = replace(self._sight, error=error)
        return False

    def _look_at_ends(self) -> None:
        waiting = self._progress.waiting
        if wanted := (*self._progress.positions, *waiting):
            ends = self._source.offsets(wanted, "latest", isolation=self._isolation)
            starts = self._source.offsets(waiting, "earliest") if waiting else {}
            self._sight = replace(self._sight, ends=ends, starts=starts)
