"""A flow: connects, claims the target, and starts one generation after another."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from kmirror.admin.group_admin import OpenGroups
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.admin.ownership import Ownership, lost_to
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients, open_clients, open_ownership
from kmirror.ends.discovery import Discovery, Mirrored
from kmirror.ends.log_checks import LogChecks, OpenLogs
from kmirror.ends.positions import Positions
from kmirror.errors import Held, NotAuthorized
from kmirror.events.emit import emit
from kmirror.events.table import OFFSET_MAP_REFUSED
from kmirror.flows.generation import Generation, Parts
from kmirror.flows.obedience import move_where_ordered
from kmirror.flows.orders import FlowOrders
from kmirror.flows.planner import Planner
from kmirror.groups.consumers import Consumers
from kmirror.parity.parity import Parity
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.executors import Executors
from kmirror.pipeline.query import QuerySpec
from kmirror.pipeline.transform import Transform
from kmirror.schedule.throttle import Throttle
from kmirror.state.progress import Progress
from kmirror.state.status import FlowState, StatusBoard
from kmirror.wire.flow_names import offset_map_topic
from kmirror.wire.position import Owner

# So long a bounded copy waits for partitions whose offsets a cluster does not tell.
_DECIDED_S_MAX = 15.0
_DECIDED_PAUSE_S = 0.5
# A bounded copy has time: settings are part of what it makes equal.
_PARITY_BOUNDED_S_MAX = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorOptions:
    """
    What a flow needs besides its configuration.

    Args:
        owner: This process, as other drivers will see it.
        slots: Spark tasks side by side.
        folder: A folder of the flow's own, for the plan file and Spark's checkpoints.
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
        spark: The process's session.
        executors: Its executors.
        desk: The lanes' desk.
        board: Where the flow's status is shown.
        open_groups: Opens the consumer groups of a cluster.
        open_logs: Opens its logs.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: FlowConfig,
        options: MirrorOptions,
        *,
        spark: SparkSession,
        executors: Executors,
        desk: Desk,
        board: StatusBoard,
        open_groups: OpenGroups,
        open_logs: OpenLogs,
        clock: Clock,
    ) -> None:
        self.config = config
        self.board = board
        self.throttle = Throttle(clock)
        self._options = options
        self._spark = spark
        self._executors = executors
        self._desk = desk
        self._open_groups = open_groups
        self._open_logs = open_logs
        self._clock = clock
        self._progress = Progress()
        self._planner = Planner(
            config,
            self._progress,
            options.owner,
            slots=options.slots,
            file=options.folder / "plan.json",
            bounded=options.bounded,
        )
        self._generation = 0

    @property
    def name(self) -> str:
        """The flow, as `S->T`."""
        return str(self.config.flow)

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
        """
        clients = open_clients(self.config, self._clock)
        ownership = open_ownership(self.config, clients, self._clock)
        try:
            return self._run(clients, ownership, stop)
        except Held as held:
            # Its end writes the next one; after that the flow is another driver's.
            self._generation = held.generation + 1
            raise
        finally:
            ownership.close()
            clients.close()

    def _run(self, clients: FlowClients, ownership: Ownership, stop: threading.Event) -> FlowState:
        clients.source.describe()
        clients.target.describe()
        parts = self._parts(clients, ownership)
        try:
            return self._run_parts(parts, stop)
        finally:
            parts.orders.close()

    def _run_parts(self, parts: Parts, stop: threading.Event) -> FlowState:
        clients, ownership = parts.clients, parts.ownership
        discovered = parts.discovery.discover()
        offsets_partitions = self._claim(clients, ownership)
        self._planner.offset_map_topic = self._offset_map_topic(clients)
        parts.orders.open()
        move_where_ordered(parts.orders, self._planner, parts.positions, discovered.mirrored)
        self._plan(parts, discovered.mirrored, stop)
        if stop.is_set():
            return FlowState.STOPPED
        consumers = self._consumers(clients, parts.throttle)
        parity = Parity(self.config, clients, parts.throttle, self._clock)
        generation = Generation(
            self._generation, parts, consumers, offsets_partitions=offsets_partitions
        )
        parity.start()
        try:
            return generation.run(self._query_spec(), discovered, stop)
        finally:
            is_complete = self._options.bounded and not stop.is_set()
            parity.close(_PARITY_BOUNDED_S_MAX if is_complete else 0)
            consumers.close(0)

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
                generation=self._generation,
                anew=True,
                rest=parts.orders.rest(mirrored),
            )
            late = self._clock.monotonic_s() > deadline_s
            if not (self._options.bounded and self._planner.undecided) or late or stop.is_set():
                return
            self._clock.wait(stop, _DECIDED_PAUSE_S)

    def _parts(self, clients: FlowClients, ownership: Ownership) -> Parts:
        return Parts(
            config=self.config,
            clients=clients,
            ownership=ownership,
            discovery=Discovery(self.config, clients.source, clients.target, self._clock),
            positions=Positions(
                self.config,
                clients,
                LogChecks(self.config, clients, self._open_logs, self._clock),
            ),
            planner=self._planner,
            orders=FlowOrders(self.config, clients, self._clock),
            progress=self._progress,
            board=self.board,
            throttle=Throttle(self._clock),
            desk=self._desk,
            spark=self._spark,
            executors=self._executors,
            clock=self._clock,
        )

    def _consumers(self, clients: FlowClients, throttle: Throttle) -> Consumers:
        return Consumers(
            self.config,
            clients,
            self._progress,
            offset_map_topic=self._planner.offset_map_topic,
            open_groups=self._open_groups,
            throttle=throttle,
            clock=self._clock,
        )

    def _claim(self, clients: FlowClients, ownership: Ownership) -> int:
        """
        Own the flow. Only a process's first claim may take it from somebody else: one that was
        fenced while it was restarting must not fight back.

        Returns:
            How many partitions the flow's offsets topic has.
        """
        topic = self.config.offset_storage_topic
        create_internal_topic(
            clients.target,
            topic,
            partitions=self.config.offset_storage_partitions,
            replication_factor=self.config.offset_storage_replication_factor,
        )
        current = ownership.read_owner()
        is_other = current is None or current.generation != self._generation
        if self._generation and is_other:
            raise lost_to(self.name, current)
        self._generation = ownership.claim(self._options.owner)
        self.board.update(generation=self._generation)
        return clients.target.topics()[topic].partitions

    def _offset_map_topic(self, clients: FlowClients) -> str:
        """Return the topic of the exact offset map; empty if the target refuses it."""
        if self.config.policy.merges:
            return ""  # nobody goes over from one topic of a cluster to another
        topic = offset_map_topic(self.config.flow)
        try:
            create_internal_topic(
                clients.target,
                topic,
                partitions=1,
                replication_factor=self.config.offset_storage_replication_factor,
            )
        except NotAuthorized as error:
            emit(OFFSET_MAP_REFUSED, flow=self.name, error=error)
            return ""
        return topic

    def _query_spec(self) -> QuerySpec:
        return QuerySpec(
            flow=str(self.config.flow),
            generation=self._generation,
            plan=self._planner.file,
            checkpoint=self._options.folder / f"checkpoint-{self._generation}",
            transform=flow_transform(self.config),
            bounded=self._options.bounded,
            batch_duration_s=self.config.batch_duration_s,
        )


def flow_transform(config: FlowConfig) -> Transform:
    """Return how a flow changes its records."""
    return Transform(
        target_topic=_target_topic_sql(config), where=config.where, select=config.select
    )


def _target_topic_sql(config: FlowConfig) -> str:
    """Return the replication policy as a SQL expression over the column `topic`."""
    if config.policy.merges:
        return _literal(config.policy.format_remote_topic(config.flow.source, ""))
    heartbeats = config.policy.format_remote_topic(config.flow.source, "heartbeats")
    renamed = f"concat({_literal(heartbeats.removesuffix('heartbeats'))}, topic)"
    if config.policy.names_carry_source:
        return renamed
    # Identity keeps names, except of heartbeats: see IdentityReplicationPolicy.
    return f"case when endswith(topic, 'heartbeats') then {renamed} else topic end"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
