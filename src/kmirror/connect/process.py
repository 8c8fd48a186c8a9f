"""A Connect worker as a process: Spark from its start, and flows that come by requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.group_kind import read_group_kind
from kmirror.admin.group_seat import GroupSeat
from kmirror.clock import Clock
from kmirror.config.connector_file import ConnectorFile
from kmirror.config.worker import WorkerConfig
from kmirror.connect.connector_offsets import ConnectorOffsets
from kmirror.connect.distributed import DistributedHerder
from kmirror.connect.herder import Herder
from kmirror.connect.loggers import Loggers
from kmirror.connect.model import TargetState
from kmirror.connect.standalone import StandaloneHerder
from kmirror.connect.store import ConnectStore
from kmirror.connect.store_topics import StoreTopics
from kmirror.connect.worker_face import HerderParts
from kmirror.connect.worker_file import WorkerFile
from kmirror.connect.zero_offsets import MemoryOffsets, ZeroOffsets
from kmirror.control.caller import Caller, Role
from kmirror.errors import EnvironmentProblem
from kmirror.events.connect import WORKERS_UNGUARDED
from kmirror.events.emit import emit
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.runtime.flow_host import FlowHost
from kmirror.runtime.group_channel import GroupChannel, GroupNames
from kmirror.runtime.handover import Handover
from kmirror.runtime.host_launch import HostLaunch
from kmirror.runtime.host_options import HostOptions, process_name
from kmirror.runtime.pulse import Pulse
from kmirror.runtime.reloads import refuse_all
from kmirror.runtime.supervisor import Outcome
from kmirror.runtime.worker import Worker
from kmirror.state.status import FlowStatus
from kmirror.wire.connect_configs import ConfigRecord
from kmirror.wire.control_orders import Reloaded, ReloadOrder
from kmirror.wire.worker_group import workers_topic

_TIMEOUT_S = 30.0
_HERDER_END_S_MAX = 1.0
_WHY_NO_RELOAD = "its flows are connectors, which are changed over REST"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectOptions:
    """
    What the command line says, and where others find the worker.

    Args:
        worker_id: `host:port`, as others see it.
        master: A Spark master URL; `None` runs everything in this process.
    """

    worker_id: str
    master: str | None = None


class ConnectProcess:
    """
    A worker. Make it in the main thread; see `FlowHost`.

    Args:
        config: The worker's file.
        options: What else it is told.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: Java or the jars are missing, or a topic of the workers is not as it
            has to be.
        MirrorError: The workers' cluster does not answer, or refuses.
    """

    def __init__(self, config: WorkerConfig, options: ConnectOptions, clock: Clock) -> None:
        self._config = config
        self._options = options
        self._clock = clock
        self._channel: GroupChannel | None = None
        self._join: Callable[[], None] = lambda: None
        self._hear: Callable[[ConfigRecord], object] = lambda _: None
        with ExitStack() as undo:
            # First of all: while its JVM starts, no other thread may take signals.
            self._host = undo.enter_context(self._open_host())
            pulse = Pulse(clock)
            self._host.undo(pulse.close)
            self._rdkafka = librdkafka_settings(config.client)
            self._admin = undo.enter_context(
                KafkaAdmin("the workers", self._rdkafka, timeout_s=_TIMEOUT_S, clock=clock)
            )
            cluster_id = self._admin.describe().cluster_id
            store = None if config.standalone else undo.enter_context(self._open_store(undo))
            zeros = ZeroOffsets(MemoryOffsets() if store is None else store, clock)
            parts = HerderParts(
                config=config,
                worker=Worker(self._host, pulse),
                worker_id=options.worker_id,
                cluster_id=cluster_id,
                loggers=Loggers(self._host.set_level, clock),
                offsets=ConnectorOffsets(config, zeros, self._host.clients, clock),
                clock=clock,
            )
            self._herder = self._make_herder(parts, store)
            self._undo = undo.pop_all()

    @property
    def herder(self) -> Herder:
        """Does what is asked of the worker."""
        return self._herder

    @property
    def worker_file(self) -> WorkerFile:
        """The worker's file, and what its connectors come to."""
        return WorkerFile(self._config, self._herder)

    @property
    def host(self) -> FlowHost:
        """Spark, and the flows."""
        return self._host

    def create(self, connectors: Sequence[ConnectorFile]) -> None:
        """
        Make the connectors of files.

        Raises:
            RequestRefused: One is not possible.
        """
        caller = Caller(name="the command line", role=Role.ADMIN, address="here")
        for each in connectors:
            state = TargetState(each.initial_state)
            self._herder.create(each.name, each.config, state, caller)

    def status(self) -> tuple[FlowStatus, ...]:
        """Every flow at this moment."""
        return self._host.status()

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run until *stop* is set, or Spark is lost; may be called once.

        Raises:
            EnvironmentProblem: The master offers too few cores.
            JvmLost: Spark's JVM ended before it was there; later it is an outcome.
        """
        with self._undo:
            self._host.begin()
            if not self._host.open(stop):
                return Outcome.STOPPED
            over, end = threading.Event(), threading.Event()
            if self._channel is not None:
                self._seat.start()
                self._join()
                self._channel.join()
            herding = threading.Thread(target=self._herder.run, args=(over,), daemon=True)
            herding.start()
            handover = Handover(self._host, lambda: self._channel, over=over, clock=self._clock)
            handover.begin_with(stop, end)
            try:
                return self._host.run(end)
            finally:
                over.set()
                herding.join(_HERDER_END_S_MAX)
                if self._channel is not None:
                    self._channel.close()

    def _open_host(self) -> FlowHost:
        config, options = self._config, self._options
        launch = HostLaunch(
            HostOptions(
                app=f"kmirror connect {options.worker_id}",
                slots=config.slots,
                master=options.master,
                spark=dict(config.spark),
                stays=True,
            )
        )
        return FlowHost(launch, reload=self._refuse_reload, clock=self._clock)

    def _open_store(self, undo: ExitStack) -> ConnectStore:
        config = self._config
        topics = (config.config_storage, config.offset_storage, config.status_storage)
        assert None not in topics, "a worker of a group has its topics"
        settings, offsets, statuses = (each for each in topics if each is not None)
        store = ConnectStore(
            StoreTopics(config=settings, offset=offsets, status=statuses),
            group_id=config.group_id,
            admin=self._admin,
            rdkafka=self._rdkafka,
            clock=self._clock,
            listen=self._listen,
        )
        self._require_no_others()
        store.start()
        self._seat = undo.enter_context(
            GroupSeat(
                self._rdkafka,
                config.group_id,
                settings.name,
                refused=lambda error: emit(WORKERS_UNGUARDED, group=config.group_id, error=error),
                clock=self._clock,
            )
        )
        return store

    def _require_no_others(self) -> None:
        """Refuse a group of Kafka's own workers: what both have would be on the target twice."""
        group_id = self._config.group_id
        kind = read_group_kind(self._rdkafka, group_id, timeout_s=_TIMEOUT_S)
        if kind.protocol == "connect":
            raise EnvironmentProblem(
                f"group {group_id} has {kind.members} workers of Kafka Connect",
                hint="stop them first: workers of both kinds would copy the same records",
            )

    def _listen(self, record: ConfigRecord) -> None:
        self._hear(record)

    def _make_herder(
        self, parts: HerderParts, store: ConnectStore | None
    ) -> StandaloneHerder | DistributedHerder:
        if store is None:
            return StandaloneHerder(parts)
        storage = self._config.config_storage
        assert storage is not None, "a worker of a group has its topics"
        self._channel = GroupChannel(
            GroupNames(
                group=f"group {self._config.group_id}",
                topic=workers_topic(self._config.group_id),
                cluster="the workers' cluster",
                member=self._options.worker_id,
            ),
            admin=self._admin,
            rdkafka=self._rdkafka,
            replication_factor=storage.replication_factor,
            held=self._host.held,
            clock=self._clock,
        )
        herder = DistributedHerder(parts, store, self._channel)
        self._hear = herder.listen
        self._join = partial(self._channel.start, herder.shared)
        return herder

    def _refuse_reload(self, order: ReloadOrder) -> Reloaded:
        return refuse_all(
            order, driver=process_name(), file=str(self._config.path), why=_WHY_NO_RELOAD
        )
