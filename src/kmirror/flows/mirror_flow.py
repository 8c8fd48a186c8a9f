"""A flow: connects, claims the target, and starts one generation after another."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from kmirror.admin.ownership import Ownership
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.certificates import certificate_ends
from kmirror.ends.clients import FlowClients, open_clients, open_ownership
from kmirror.ends.copy_generations import begin_generations, with_generations
from kmirror.ends.discovery import Discovered, Discovery, Mirrored
from kmirror.ends.gap_journal import GapJournal
from kmirror.ends.gap_topic import GapTopic
from kmirror.ends.left_out_journal import LeftOutJournal
from kmirror.ends.log_checks import LogChecks
from kmirror.ends.offsets_topic import make_offsets_topic
from kmirror.ends.positions import Positions
from kmirror.ends.record_sizes import smaller_copies, tell_record_sizes
from kmirror.errors import Held
from kmirror.events.emit import emit
from kmirror.events.starts import START_STEP
from kmirror.flows.claims import Claims
from kmirror.flows.generation import Generation
from kmirror.flows.live_config import LiveConfig
from kmirror.flows.obedience import move_where_ordered
from kmirror.flows.orders import AskReload, FlowOrders
from kmirror.flows.parts import Parts
from kmirror.flows.planner import Planner
from kmirror.flows.side_tasks import SideTasks
from kmirror.flows.transform import flow_transform
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.engine import Engine, EngineStart
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.pipeline.private_file import make_private_folder
from kmirror.pipeline.query import QuerySpec, QueryStart
from kmirror.schedule.throttle import Throttle
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import FlowState
from kmirror.wire.position import Owner

# So long a bounded copy waits for partitions whose offsets a cluster does not tell.
_DECIDED_S_MAX = 15.0
_DECIDED_PAUSE_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorOptions:
    """
    What a flow needs besides its configuration.

    Args:
        owner: This process, as other drivers will see it.
        slots: Spark tasks side by side.
        folder: For a folder of the flow's own, which is made when it runs, with the plan file and
            Spark's checkpoints.
        bounded: Copy up to the source's present ends, then finish.
    """

    owner: Owner
    slots: int
    folder: Path
    bounded: bool = False


class MirrorFlow:
    """
    A flow `S->T`. `run` may be called again after it failed.

    Args:
        config: The flow.
        options: What else it needs.
        spark: The process's Spark, which may still be starting: only a query needs it.
        desk: The lanes' desk.
        observed: Takes what is known of the flow.
        jvm_clients: Opens Kafka's own clients.
        reload: Hands on an order to read the file again; returns its answer, once there is one.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: FlowConfig,
        options: MirrorOptions,
        *,
        spark: EngineStart,
        desk: Desk,
        observed: ObservedFlow,
        jvm_clients: JvmClients,
        reload: AskReload,
        clock: Clock,
    ) -> None:
        self.config = config
        self.board = observed.board
        self._meter = observed.meter
        self.throttle = Throttle(clock)
        self._options = options
        self._spark = spark
        self._desk = desk
        self._jvm_clients = jvm_clients
        self._reload = reload
        self._lock = threading.Lock()
        self._next = (config, options)
        self._live = LiveConfig(config)
        self._clock = clock
        self._progress = observed.progress
        self._left_out = LeftOutJournal(config.flow, clock)
        self._planner = Planner(
            config,
            self._progress,
            options.owner,
            slots=options.slots,
            file=options.folder / "plan.json",
            bounded=options.bounded,
        )
        self._claims = Claims(str(config.flow))
        self._queries = 0
        # With the generations that copies are in.
        self._current = config

    @property
    def name(self) -> str:
        """The flow, as `S->T`."""
        return str(self.config.flow)

    def configure(self, config: FlowConfig, options: MirrorOptions, *, live: bool) -> None:
        """
        Have other settings; from any thread.

        Args:
            config: They.
            options: What else the flow needs from its next `run` on.
            live: They take effect at once: `config.changes` says which can. Otherwise with the
                next `run`.
        """
        with self._lock:
            self._next = (config, options)
            if live:
                self._live.set(replace(config, generations=self._current.generations))
                # It is in effect now, and not when the flow is looked at next.
                self.board.update(slo=config.slo)

    def run(self, stop: threading.Event) -> FlowState:
        """
        Mirror until *stop* is set, or until a bounded copy is complete.

        Returns:
            How it ended: STOPPED or COMPLETE.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            ClusterError: A cluster cannot be reached, or refuses what the flow needs.
            PipelineError: Spark lost the query.
            EnvironmentProblem: There is no room for its files.
        """
        with self._lock:
            self.config, self._options = self._next
            self._live = LiveConfig(self.config)
            self.board.update(slo=self.config.slo)
        make_private_folder(self._options.folder)
        self._planner.restart(self.config, self._options.owner, slots=self._options.slots)
        clients = open_clients(self.config, self._clock)
        self._meter.certificates = certificate_ends(self.config.flow, clients)
        ownership = open_ownership(self.config, clients, self._jvm_clients, self._clock)
        ownership.connect()
        try:
            return self._run(clients, ownership, stop)
        except Held as held:
            # Its end writes the next one; after that the flow is another driver's.
            self._claims.generation = held.generation + 1
            raise
        finally:
            ownership.close()
            clients.close()
            # Its plan has the clients' secrets.
            shutil.rmtree(self._options.folder, ignore_errors=True)

    def _run(self, clients: FlowClients, ownership: Ownership, stop: threading.Event) -> FlowState:
        clients.source.describe()
        clients.target.describe()
        while True:
            self._take_generations(clients)
            parts = self._parts(clients, ownership)
            try:
                ended = self._run_parts(parts, stop)
            finally:
                parts.orders.close()
            if ended is not FlowState.RESTARTING:
                return ended
            if stop.is_set():
                return FlowState.STOPPED
            if self._planner.renewed:
                self._renew(clients, ownership)

    def _take_generations(self, clients: FlowClients) -> None:
        """Take over in which generations copies are: for as long as the query runs."""
        generations = with_generations(self.config, clients).generations
        with self._lock:
            self._current = replace(self._live.now, generations=generations)
            self._live = LiveConfig(self._current)
        self._planner.follow(self._current)

    def _renew(self, clients: FlowClients, ownership: Ownership) -> None:
        """Begin the next generation of copies, as the last plan found that the file wants it."""
        for state in (FlowState.RESTARTING, FlowState.STARTING):
            self.board.set_state(state, "a new generation of a copy begins")
        ownership.check()
        begin_generations(self._current, clients, sorted(self._planner.renewed))
        self._planner.renewed = frozenset()

    def _run_parts(self, parts: Parts, stop: threading.Event) -> FlowState:
        """Get ready while another driver may still copy; then claim the flow, and copy."""
        discovered = parts.discovery.discover()
        emit(START_STEP, flow=self.name, step="topics are there")
        if stop.is_set():
            return FlowState.STOPPED  # somebody else may have it already
        smaller = smaller_copies(parts.clients, discovered.mirrored)
        parts.orders.open()
        parts.ownership.check_hold()
        # Spark needs a while from here to where it waits for a plan.
        begun = QueryStart(self._spark, self._query_spec(), self._desk, self._clock)
        with closing(begun):
            side = SideTasks(parts, self._jvm_clients, bounded=self._options.bounded)
            ended = FlowState.STOPPED
            try:
                if not stop.is_set():
                    partitions = self._claim(parts.clients, parts.ownership)
                    emit(START_STEP, flow=self.name, step="the flow is claimed")
                    tell_record_sizes(self.config.flow, smaller)
                    ended = self._copy(
                        parts, side, begun, discovered, stop, offsets_partitions=partitions
                    )
                return ended
            finally:
                side.close(is_complete=ended is FlowState.COMPLETE and not stop.is_set())

    def _copy(
        self,
        parts: Parts,
        side: SideTasks,
        begun: QueryStart,
        discovered: Discovered,
        stop: threading.Event,
        *,
        offsets_partitions: int,
    ) -> FlowState:
        """Copy, as the flow's owner."""
        clients = parts.clients
        generations = with_generations(self.config, clients).generations
        if stop.is_set() or generations != self._current.generations:
            return FlowState.RESTARTING  # who had the flow before has begun one since
        self._planner.offset_map_topic = side.offset_map_topic
        self._planner.dlq_topic = side.dlq_topic
        parts.orders.catch_up()
        move_where_ordered(parts.orders, self._planner, parts.positions, discovered.mirrored)
        self._plan(parts, discovered.mirrored, stop)
        if stop.is_set():
            return FlowState.STOPPED
        if self._planner.renewed:
            return FlowState.RESTARTING
        emit(START_STEP, flow=self.name, step="positions are decided")
        engine = self._await_spark(parts.ownership, stop)
        if engine is None:
            return FlowState.STOPPED
        generation = Generation(
            self._claims.generation,
            parts,
            engine,
            side.consumers,
            offsets_partitions=offsets_partitions,
        )
        parts.live.follow(
            parts.discovery.follow,
            parts.positions.follow,
            parts.orders.follow,
            self._planner.follow,
        )
        side.start(engine, self._options.folder)
        ended = generation.run(begun, discovered, stop)
        return FlowState.RESTARTING if self._planner.renewed else ended

    def _plan(self, parts: Parts, mirrored: Sequence[Mirrored], stop: threading.Event) -> None:
        """
        Make the first plan. One that is to end has to have everything that is there: topics that
        were made this moment may be unknown to some broker yet.
        """
        deadline_s = self._clock.monotonic_s() + _DECIDED_S_MAX
        while True:
            self._planner.plan(
                mirrored,
                parts.positions,
                parts.clients,
                generation=self._claims.generation,
                anew=True,
                rest=parts.orders.rest(mirrored),
            )
            late = self._clock.monotonic_s() > deadline_s
            is_enough = not self._options.bounded or not self._planner.undecided
            if is_enough or self._planner.renewed or late or stop.is_set():
                return
            self._clock.wait(stop, _DECIDED_PAUSE_S)

    def _await_spark(self, ownership: Ownership, stop: threading.Event) -> Engine | None:
        """Return Spark when it is there; whoever has taken the flow over meanwhile keeps it."""
        was_there = self._spark.engine is not None
        engine = self._spark.wait(stop)
        if engine is not None and not was_there:
            ownership.check()
        return engine

    def _parts(self, clients: FlowClients, ownership: Ownership) -> Parts:
        gaps = GapTopic(self._current, clients.target, clients.target_rdkafka, self._clock)
        return Parts(
            config=self._current,
            clients=clients,
            ownership=ownership,
            discovery=Discovery(self._current, clients.source, clients.target, self._clock),
            positions=Positions(
                self._current,
                clients,
                LogChecks(self._current, clients, self._jvm_clients.open_logs, self._clock),
                GapJournal(self.name, gaps, self._clock),
                self._clock,
                ownership=ownership,
            ),
            planner=self._planner,
            gaps=gaps,
            left_out=self._left_out,
            orders=FlowOrders(self._current, clients, self._reload, self._clock),
            progress=self._progress,
            board=self.board,
            meter=self._meter,
            throttle=Throttle(self._clock),
            desk=self._desk,
            live=self._live,
            clock=self._clock,
        )

    def _claim(self, clients: FlowClients, ownership: Ownership) -> int:
        """Own the flow; return how many partitions its offsets topic has."""
        topic = self.config.offset_storage_topic
        partitions = make_offsets_topic(self.config, clients.target, topic)
        self.board.update(generation=self._claims.take(ownership, self._options.owner))
        return partitions

    def _query_spec(self) -> QuerySpec:
        self._queries += 1
        folder = self._options.folder
        return QuerySpec(
            flow=str(self.config.flow),
            number=self._queries,
            plan=folder / f"plan-{self._queries}.json",
            checkpoint=folder / f"checkpoint-{self._queries}",
            transform=flow_transform(self._current),
            whole_batches=self._current.whole_batches,
            bounded=self._options.bounded,
            batch_duration_s=self.config.batch_duration_s,
        )
