"""Looks at both clusters beside a running flow, so that a slow answer never holds the flow up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.discovery import Discovered, Discovery
from kmirror.model import TopicPartition
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.state.progress import Progress

# With ten thousand partitions a look at their ends is a tenth of a second's work, and another one
# of the client library's threads.
_ENDS_SHARE, _ENDS_REST_S_MAX = 0.02, 3.0
# Where nothing is copied and nothing lags, nobody waits for another look.
_IDLE_SHARE, _IDLE_REST_S_MAX = 0.006, 15.0
# Ten thousand topics on two clusters are a quarter of a second's work, and twice that of the client
# library's threads.
_DISCOVERY_SHARE = 0.006


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """
    What was seen last.

    Args:
        discovered: What can be mirrored, and what not; `None` until it has been looked up.
        discoveries: How often that was looked up.
        ends: The source's ends, as the flow's consumers see them.
        ends_ms: When the source told them, milliseconds since the epoch.
        silent: Partitions whose ends it did not tell; *ends* has what it told last.
        starts: Where partitions begin that are selected and in no plan.
        trouble: Why a cluster could not be asked; empty when both answered.
        error: What ends the flow: it was fenced, or the watch itself failed.
    """

    discovered: Discovered | None = None
    discoveries: int = 0
    ends: Mapping[TopicPartition, int] | None = None
    ends_ms: int = 0
    silent: frozenset[TopicPartition] = frozenset()
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
        self._thread = PeriodicThread("kmirror-watch", clock, self._failed)
        self._snapshot = Snapshot()
        self._records = -1
        self._ends = PeriodicTask(clock, 0.0, self._look_at_ends)
        self._discover: PeriodicTask | None = None
        self.also(PeriodicTask(clock, 0.0, self._pace), self._ends)

    @property
    def snapshot(self) -> Snapshot:
        """What was seen last."""
        return replace(self._snapshot, trouble=self._thread.trouble)

    def discover_by(self, config: FlowConfig, discovery: Discovery) -> None:
        """
        Look for topics and partitions, too.

        Args:
            config: Says how often.
            discovery: How.
        """

        def discover() -> None:
            discovered = discovery.discover()
            count = self._snapshot.discoveries + 1
            self._snapshot = replace(self._snapshot, discovered=discovered, discoveries=count)

        task = PeriodicTask(
            self._clock,
            _discovery_interval_s(config),
            discover,
            share=_DISCOVERY_SHARE,
            rest_s_max=config.refresh_topics_rest_s_max,
        )
        self._discover = task
        self.also(task)

    def follow(self, config: FlowConfig) -> None:
        """Look for topics as often as *config* says, and at once."""
        if self._discover is not None:
            self._discover.rest(_DISCOVERY_SHARE, config.refresh_topics_rest_s_max)
            self._discover.change(_discovery_interval_s(config))

    def look_soon(self) -> None:
        """Look at ends without a rest: there are more partitions."""
        self._ends.wake()

    def discover_soon(self) -> None:
        """Look for topics without a rest, when the interval is over: a plan waits for it."""
        if self._discover is not None:
            self._discover.wake()

    def also(self, *tasks: PeriodicTask) -> None:
        """Do these too; one that raises `ClusterError` is done again when its time has come."""
        self._thread.also(*tasks)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop looking; an answer that is still on its way is not waited for."""
        self._thread.close()

    def _failed(self, error: Exception) -> bool:
        """Leave it to the flow's own thread, which raises it again."""
        self._snapshot = replace(self._snapshot, error=error)
        return False

    def _pace(self) -> None:
        """Look at ends less often while nothing moves."""
        moves = self._progress.is_behind or self._progress.records != self._records
        share = (_ENDS_SHARE, _ENDS_REST_S_MAX) if moves else (_IDLE_SHARE, _IDLE_REST_S_MAX)
        self._ends.rest(*share)

    def _look_at_ends(self) -> None:
        self._records = self._progress.records
        waiting = self._progress.waiting
        if wanted := (*self._progress.positions, *waiting):
            told = self._source.offsets(wanted, "latest", isolation=self._isolation, partial=True)
            starts = self._source.offsets(waiting, "earliest", partial=True) if waiting else {}
            silent = frozenset(wanted) - told.keys() if len(told) < len(wanted) else frozenset()
            self._snapshot = replace(
                self._snapshot,
                ends=self._with_last(told, silent) if silent else told,
                starts=starts,
                silent=silent,
                ends_ms=self._clock.wall_ms(),
            )

    def _with_last(
        self, told: Mapping[TopicPartition, int], silent: Iterable[TopicPartition]
    ) -> Mapping[TopicPartition, int]:
        """Nobody writes to a partition without a leader: what it ended with still says most."""
        last = self._snapshot.ends or {}
        return {**told, **{tp: last[tp] for tp in silent if tp in last}}


def _discovery_interval_s(config: FlowConfig) -> float:
    return config.refresh_topics_interval_s if config.refresh_topics_enabled else math.inf
