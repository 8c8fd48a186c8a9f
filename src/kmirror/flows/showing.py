"""What a running flow puts on its board, and when it warns."""

from __future__ import annotations

from collections.abc import Collection

from kmirror.admin.connection import cluster_name
from kmirror.ends.discovery import Discovered
from kmirror.events.emit import emit
from kmirror.events.table import FLOW_WAITING
from kmirror.flows.parts import Parts
from kmirror.model import TopicPartition
from kmirror.plans.coverage import NOT_PLANNED
from kmirror.plans.text import first_few
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.state.status import FlowState

_LOOK_INTERVAL_S = 1.0


class Showing:
    """
    Shows how a generation of a flow does; no RUNNING while nothing can move.

    Args:
        parts: What the generation works with.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._look = PeriodicTask(parts.clock, _LOOK_INTERVAL_S, self._look_at_lags, at_once=True)

    def show(self, trouble: str, *, is_limited: bool = False) -> None:
        """
        Put what is known on the board.

        Args:
            trouble: Why nothing moves, as far as that is known; lanes may know more.
            is_limited: The flow would go faster if it were allowed to.
        """
        progress, board = self._parts.progress, self._parts.board
        self._look.run_if_due()
        trouble = trouble or self._lanes_trouble()
        if trouble:
            self.warn(trouble)
        if board.status.state in {FlowState.RUNNING, FlowState.WAITING}:
            words = trouble or ("caught up" if progress.planned_lag == 0 else "copying")
            words += ", as fast as its limits allow" if is_limited and not trouble else ""
            if progress.parked:
                words += f"; {len(progress.parked)} partitions parked"
            if progress.paused:
                words += f"; {len(progress.paused)} partitions paused"
            if board.status.coverage is not None and (left := board.status.coverage.words):
                words += f"; {first_few(left)}"
            board.set_state(FlowState.WAITING if trouble else FlowState.RUNNING, words)
        board.update(
            topics=progress.topics(),
            parked=progress.parked,
            paused=progress.paused,
            lag_records=progress.lag_records,
            lag=progress.lags.flow,
            rpo_s=progress.lags.rpo_s,
            looked_ms=progress.lags.looked_ms,
            records=progress.records,
            bytes=progress.bytes,
            last_commit_ms=progress.last_commit_ms,
            caught_up_share=progress.caught_up_share,
            slots=self._parts.planner.shares,
        )

    def cover(self, discovered: Discovered, silent: Collection[TopicPartition]) -> None:
        """
        Show what of the selection is in no plan, which counts as lag, and what nobody leads.

        Args:
            discovered: What is selected, and why some of it is not mirrored.
            silent: Partitions of which the source does not tell the ends.
        """
        progress = self._parts.progress
        planned = {*progress.positions, *(parked.partition for parked in progress.parked)}
        left = [m.source for m in discovered.mirrored if m.source not in planned]
        coverage = discovered.coverage.without(left, NOT_PLANNED)
        progress.wait_for(coverage.waiting)
        unled = sorted(planned.intersection(silent))
        self._parts.board.update(coverage=coverage.with_silent(unled))

    def warn(self, trouble: str) -> None:
        """Log why nothing moves, once in a while."""
        if self.may_warn():
            emit(FLOW_WAITING, flow=self._parts.config.flow, reason=trouble)

    def may_warn(self) -> bool:
        """Trouble of a cluster that is away is one trouble, whoever meets it."""
        return self._parts.throttle.allows(FlowState.WAITING.value)

    def _look_at_lags(self) -> None:
        now_ms, progress = self._parts.clock.wall_ms(), self._parts.progress
        progress.look(now_ms, self._parts.live.now.slo)
        self._parts.meter.groups.look(now_ms, progress.ends_seen_ms, progress.ends)

    def _lanes_trouble(self) -> str:
        """Return why lanes had to start again; they know the cause, but not the address."""
        cause = self._parts.progress.last_failure
        if cause is None:
            return ""
        target = self._parts.config.flow.target
        name = cluster_name(target, self._parts.clients.target_rdkafka)
        return f"{name}: a transaction is repeated: {cause}"
