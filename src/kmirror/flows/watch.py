"""Looks at both clusters beside a running flow, so that a slow answer never holds the flow up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.flows.discovery import Discovery, Mirrored
from kmirror.model import TopicPartition

_ENDS_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """
    What was seen last.

    Args:
        mirrored: What can be mirrored; `None` until it has been looked up.
        ends: The source's ends, as the flow's consumers see them.
        trouble: Why a cluster could not be asked; empty when both answered.
    """

    mirrored: tuple[Mirrored, ...] | None = None
    ends: Mapping[TopicPartition, int] | None = None
    trouble: str = ""


class Watch:
    """
    A thread that keeps looking until `close`.

    Args:
        discovery: For topics and partitions.
        source: The source's control plane.
        ends_of: Which partitions' ends are wanted now.
        isolation: Whether an end is the last stable offset or the high watermark.
        interval_s: Time between two discoveries, seconds; `None` switches them off.
        clock: Where time comes from.
    """

    def __init__(
        self,
        discovery: Discovery,
        source: ClusterAdmin,
        *,
        ends_of: Callable[[], tuple[TopicPartition, ...]],
        isolation: Isolation,
        interval_s: float | None,
        clock: Clock,
    ) -> None:
        self._discovery = discovery
        self._source = source
        self._ends_of = ends_of
        self._isolation = isolation
        self._interval_s = interval_s
        self._clock = clock
        self._closed = threading.Event()
        self.sight = Sight()
        self._thread = threading.Thread(target=self._run, name="kmirror-watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop looking; an answer that is still on its way is not waited for."""
        self._closed.set()

    def _run(self) -> None:
        discovered_s = self._clock.monotonic_s()
        while not self._closed.is_set():
            try:
                ends = self._ends()
                mirrored = self.sight.mirrored
                now_s = self._clock.monotonic_s()
                if self._interval_s is not None and now_s - discovered_s >= self._interval_s:
                    mirrored, discovered_s = self._discovery.discover(), now_s
                self.sight = Sight(mirrored=mirrored, ends=ends)
            except ClusterError as error:
                self.sight = Sight(mirrored=self.sight.mirrored, trouble=str(error))
            self._clock.wait(self._closed, _ENDS_INTERVAL_S)

    def _ends(self) -> Mapping[TopicPartition, int]:
        if not (wanted := self._ends_of()):
            return {}
        return self._source.offsets(wanted, "latest", isolation=self._isolation)
