"""One generation of a flow: its query runs, and somebody looks after it."""

from __future__ import annotations

import threading
from functools import partial

from kmirror.admin.owner_entry import lost_to
from kmirror.ends.discovery import Discovered, Mirrored
from kmirror.errors import ClusterError, PipelineError
from kmirror.events.emit import emit
from kmirror.events.starts import START_STEP
from kmirror.events.table import FLOW_ABORTED, PLAN_POSTPONED
from kmirror.flows.answers import Answers
from kmirror.flows.broker_certificates import BrokerCertificates
from kmirror.flows.kept_offsets import KEEP_INTERVAL_S, KeptOffsets
from kmirror.flows.limits import FlowLimits
from kmirror.flows.log_findings import LogFindings
from kmirror.flows.obedience import Obedience
from kmirror.flows.parts import Parts
from kmirror.flows.second_copies import SecondCopies
from kmirror.flows.showing import Showing
from kmirror.flows.unfinished import unfinished, unreadable
from kmirror.flows.watch import Snapshot, Watch
from kmirror.groups.consumers import Consumers
from kmirror.pipeline.desk import FaultCode, LaneFault, LaneReport
from kmirror.pipeline.engine import Engine
from kmirror.pipeline.query import FlowQuery, QueryStart
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.state.status import FlowState
from kmirror.wire.control_orders import Scope

_TICK_S = 0.1
_COPY_INTERVAL_S = 60.0
_OWNER_CHECK_INTERVAL_S = 5.0
_CERTIFICATES_INTERVAL_S = 60.0
_LEFT_OUT_INTERVAL_S = 1.0
# Parked partitions get another chance so often; what was wrong may have been mended.
_PARKED_RETRY_S = 300.0
# What lanes found out about a log is decided at once, but no more often than this.
_DECIDE_INTERVAL_S = 1.0
_EXECUTORS_INTERVAL_S = 1.0
# A look at all that moves or lags, and what is shown of it, have this part of the flow's time
# together: with ten thousand partitions it is a tenth of a second's work.
_SHOW_SHARE = 0.02
# SIGTERM promises an end within 10 s; the rest is for the second copy and for Spark.
_DRAIN_S_MAX = 5.0
_CONSUMERS_S_MAX = 2.0
# A bounded copy has time: its consumers' offsets are part of what was copied.
_CONSUMERS_BOUNDED_S_MAX = 60.0


class Generation:
    """
    A flow between one claim on the target and the next.

    Args:
        number: The generation, as the claim gave it.
        parts: What it works with.
        engine: Spark, which runs its query.
        consumers: Its consumers' part; whoever made it closes it.
        offsets_partitions: How many partitions MM2's offsets topic has.
    """

    def __init__(
        self,
        number: int,
        parts: Parts,
        engine: Engine,
        consumers: Consumers,
        *,
        offsets_partitions: int,
    ) -> None:
        self._number = number
        self._parts = parts
        self._engine = engine
        self._consumers = consumers
        self._flow = str(parts.config.flow)
        self._planned = partial(parts.desk.planned, self._flow, number)
        self._copies = SecondCopies(
            parts.config.flow,
            partial(parts.positions.copy_to_mm2, partitions=offsets_partitions, generation=number),
            check=parts.ownership.check,
            clock=parts.clock,
        )
        self._kept = KeptOffsets(
            parts.planner, parts.ownership, planned=self._planned, clock=parts.clock
        )
        self._followed = 0
        self._has_copied = False
        self._discovered: Discovered
        self._shortage = ""
        self._limits = FlowLimits(
            parts.config, parts.planner, parts.progress, parts.desk, parts.clock
        )
        self._showing = Showing(parts)
        self._show = PeriodicTask(parts.clock, 0.0, self._show_all, share=_SHOW_SHARE)
        self._is_limited = False
        # The last plan could not be made: whatever it was for is still to be done.
        self._is_postponed = False
        self._answers = Answers(
            parts.config.flow,
            parts.clients,
            parts.progress,
            parts.board,
            of_jvm=parts.desk.silence,
            clock=parts.clock,
        )
        self._watch = Watch(
            parts.clients.source,
            parts.progress,
            isolation=parts.config.isolation_level,
            clock=parts.clock,
        )
        self._snapshot = Snapshot()
        self._orders_looks = 0
        self._findings = LogFindings()

    def run(self, begun: QueryStart, discovered: Discovered, stop: threading.Event) -> FlowState:
        """
        Run the query until *stop* is set, it is complete, or it fails; or until a copy is to begin
        a new generation, which only another query can write.

        Args:
            begun: The query, which waits for its plan.
            discovered: What the plan was made of.
            stop: Ends the generation in good order.

        Returns:
            STOPPED or COMPLETE.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            PipelineError: Spark lost the query.
        """
        parts, spec = self._parts, begun.spec
        self._discovered = discovered
        self._cover()
        self._hand_out()
        parts.live.follow(self._limits.follow)
        self._limits.look()
        # The lanes' orders are there: now the query may have its plan.
        spec.plan.symlink_to(parts.planner.file)
        query = begun.query()
        emit(START_STEP, flow=self._flow, step="the query is started")
        self._start_watch(bounded=spec.bounded)
        self._answers.start()
        parts.orders.start()
        self._consumers.start(parts.planner.mirrored, cut=parts.planner.cut)
        parts.board.set_state(FlowState.RUNNING, "copying")
        try:
            ended = self._look_after(query, stop, bounded=spec.bounded)
            if ended is FlowState.COMPLETE:
                parts.desk.stop(self._flow, self._number)  # other flows may go on for hours
            else:
                self._drain(query)
            self._take_reports()
            self._showing.show("")
            self._copies.write_last(parts.progress.positions)
            self._consumers.close(_CONSUMERS_BOUNDED_S_MAX if spec.bounded else _CONSUMERS_S_MAX)
            return ended
        finally:
            self._watch.close()
            self._answers.close()
            if query.active:
                query.stop(self._number, 0)
            parts.left_out.write_last(parts.gaps)

    def _start_watch(self, *, bounded: bool) -> None:
        parts, watch, copies = self._parts, self._watch, self._copies
        config, clock = parts.config, parts.clock
        if not bounded:
            watch.discover_by(config, parts.discovery)
            parts.live.follow(watch.follow)
        certificates = BrokerCertificates(config.flow, parts.clients, parts.meter, clock)
        watch.also(
            # An idle flow commits nothing, so nothing would tell it that it has been taken over.
            PeriodicTask(clock, _OWNER_CHECK_INTERVAL_S, parts.ownership.check),
            PeriodicTask(clock, KEEP_INTERVAL_S, self._kept.keep_entry),
            PeriodicTask(clock, _COPY_INTERVAL_S, lambda: copies.write(parts.progress.positions)),
            PeriodicTask(clock, _LEFT_OUT_INTERVAL_S, lambda: parts.left_out.write(parts.gaps)),
            PeriodicTask(clock, _CERTIFICATES_INTERVAL_S, certificates.look, at_once=True),
        )
        watch.start()

    def _look_after(self, query: FlowQuery, stop: threading.Event, *, bounded: bool) -> FlowState:
        parts = self._parts
        retry_parked = PeriodicTask(parts.clock, _PARKED_RETRY_S, self._retry_parked)
        decide = PeriodicTask(parts.clock, _DECIDE_INTERVAL_S, self._decide_found)
        count_cores = PeriodicTask(parts.clock, _EXECUTORS_INTERVAL_S, self._count_cores)
        obedience = self._obedience()
        while not stop.is_set() and not parts.planner.renewed:
            parts.clock.wait(stop, _TICK_S)
            if not bounded:
                obedience.confirm(self._number)
            self._take_reports()
            self._take_snapshot()
            self._answers.check()
            count_cores.run_if_due()
            self._is_limited = self._limits.look()
            self._show.run_if_due()
            if not query.active:
                return self._ended(query, bounded=bounded)
            self._follow(self._snapshot)
            if not bounded:
                if parts.live.pass_on():
                    # What was parked may be allowed to go on now.
                    self._retry_parked()
                # A bounded copy has one plan: lanes that yield to another one would end it.
                retry_parked.run_if_due()
                decide.run_if_due()
                self._settle()
                obedience.run(self._number)
                self._kept.keep_positions()
        return FlowState.STOPPED

    def _take_snapshot(self) -> None:
        """Take over what the watch has seen; raises what it has failed with."""
        before, self._snapshot = self._snapshot, self._watch.snapshot
        if self._snapshot.error is not None:
            raise self._snapshot.error
        if self._snapshot.ends_ms != before.ends_ms:
            self._answers.heard_source()
        if self._snapshot.silent != before.silent:
            self._cover()
        looks_before, self._orders_looks = self._orders_looks, self._parts.orders.looks
        if self._orders_looks != looks_before:
            self._answers.heard_target()

    def _show_all(self) -> None:
        """Take over where the source ends, and show how far the flow is."""
        snapshot = self._snapshot
        if snapshot.ends is not None:
            seen_ms = snapshot.ends_ms
            self._parts.progress.set_ends(snapshot.ends, snapshot.starts, seen_ms=seen_ms)
        # Silence is of now; the watch's last trouble may be of before it began to wait.
        trouble = self._answers.silence() or snapshot.trouble or self._shortage
        self._showing.show(trouble, is_limited=self._is_limited)

    def _obedience(self) -> Obedience:
        parts = self._parts
        return Obedience(
            parts.orders,
            parts.planner,
            parts.positions,
            parts.ownership,
            planned=self._planned,
            replan=self._replan,
            retry=self._retry_parked,
            clock=parts.clock,
        )

    def _ended(self, query: FlowQuery, *, bounded: bool) -> FlowState:
        """Decide whether the query was fenced or failed, from the lanes' reports."""
        self._take_reports()
        if failure := query.failure():
            raise PipelineError(f"{self._flow}: {failure}")
        if not bounded:
            raise PipelineError(f"{self._flow}: the query ended by itself")
        self._park_unfinished()
        if why := unreadable(self._parts.planner, self._parts.clients.target, self._parts.clock):
            self._showing.warn(why)
        return FlowState.COMPLETE

    def _park_unfinished(self) -> None:
        """Park partitions that a bounded copy has not finished, by the target's positions."""
        parts = self._parts
        for parked in unfinished(parts.planner, parts.progress, parts.clients.target):
            parts.progress.park(parked)
        parts.planner.tell_parked()

    def _drain(self, query: FlowQuery) -> None:
        """Let the lanes finish; says so if they did not come to rest in time."""
        renewed = self._parts.planner.renewed
        state = FlowState.RESTARTING if renewed else FlowState.STOPPING
        self._parts.board.set_state(state, "finishing the open transactions")
        if not query.stop(self._number, _DRAIN_S_MAX):
            reason = query.failure() or f"within {_DRAIN_S_MAX:g} s"
            emit(FLOW_ABORTED, flow=self._flow, reason=reason)

    def _follow(self, snapshot: Snapshot) -> None:
        """Act on each discovery once: a plan that had to be put off waits for the next one."""
        if snapshot.discovered is None or snapshot.discoveries == self._followed:
            return
        self._followed = snapshot.discoveries
        self._discovered = snapshot.discovered
        planner, mirrored = self._parts.planner, snapshot.discovered.mirrored
        changed = mirrored is not planner.mirrored and set(mirrored) != set(planner.mirrored)
        if changed or self._is_postponed or self._can_decide():
            self._replan(mirrored)
        self._cover()

    def _can_decide(self) -> bool:
        """Whether clusters tell by now what they did not when the plan was made."""
        planner, positions = self._parts.planner, self._parts.positions
        try:
            return bool(planner.undecided) and positions.can_decide(planner.undecided)
        except ClusterError as error:
            self._showing.warn(str(error))
            return False

    def _cover(self) -> None:
        self._showing.cover(self._discovered, self._snapshot.silent)

    def _retry_parked(self, scope: Scope | None = None) -> bool:
        """Try what is parked again, if it is part of *scope*; tell whether a plan could be made."""
        self._findings.forget()
        scope = scope or Scope()
        if not any(scope.covers(parked.partition) for parked in self._parts.progress.parked):
            return True
        self._watch.discover_soon()
        return self._replan(self._parts.planner.mirrored)

    def _decide_found(self) -> None:
        """
        Have a loss that a lane has met decided by the rules that a start has; once each time.

        And what could not be decided before, as soon as its leaders answer.
        """
        mirrored = self._parts.planner.mirrored
        if (self._findings or self._can_decide()) and self._replan(mirrored):
            self._findings.decided()
            self._cover()

    def _settle(self) -> None:
        """Plan what had to wait until the lanes that had it have let go."""
        planner = self._parts.planner
        if planner.is_unsettled and not self._is_postponed and self._planned() >= planner.version:
            self._replan(planner.mirrored)

    def _replan(self, mirrored: tuple[Mirrored, ...]) -> bool:
        """Hand the lanes a new plan; tell whether one could be made, or it has to wait."""
        parts = self._parts
        self._is_postponed = True
        try:
            parts.planner.plan(
                mirrored,
                parts.positions,
                parts.clients,
                generation=self._number,
                anew=False,
                planned=self._planned(),
                rest=parts.orders.rest(mirrored),
            )
        except ClusterError as error:
            if not parts.ownership.is_claimed:
                raise  # only another claim lets this flow write positions again
            if self._showing.may_warn():
                emit(PLAN_POSTPONED, flow=self._flow, error=error)
            self._watch.discover_soon()
            return False
        self._is_postponed = False
        if not parts.progress.knows_ends:
            self._watch.look_soon()
        self._consumers.follow(parts.planner.mirrored, cut=parts.planner.cut)
        self._hand_out()
        return True

    def _hand_out(self) -> None:
        """Have the lanes take the newest plan, and show it soon."""
        self._show.wake()
        self._parts.planner.hand_out(self._parts.desk, self._number)

    def _take_reports(self) -> None:
        progress = self._parts.progress
        for message in self._parts.desk.collect(self._flow):
            if message.generation != self._number:
                continue
            if isinstance(message, LaneFault):
                assert message.code is FaultCode.FENCED, message.code
                raise lost_to(self._flow, self._parts.ownership.read_owner())
            self._note_first(message)
            before = progress.parked
            for entry, left_out in progress.add(message):
                self._parts.left_out.add(entry.source, entry.target, left_out)
            self._consumers.add(message)
            self._parts.meter.add(message, self._parts.clock.wall_ms())
            self._findings.note(progress.parked, before)
            for entry in message.partitions:
                if entry.copied is not None and entry.parked is None:
                    self._parts.planner.parked_lines.forget(entry.source)
        self._parts.planner.tell_parked()

    def _note_first(self, report: LaneReport) -> None:
        if not self._has_copied and any(entry.copied for entry in report.partitions):
            self._has_copied = True
            emit(START_STEP, flow=self._flow, step="records are committed")

    def _count_cores(self) -> None:
        self._shortage = self._engine.executors.shortage()
