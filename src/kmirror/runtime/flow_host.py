"""Spark, and the flows that run on it: they come, change and go while it stays."""

from __future__ import annotations

import itertools
import random
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from kmirror.admin.bounded_call import call_within
from kmirror.admin.owner_entry import this_process
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.errors import JvmLost, MirrorError, Problem
from kmirror.events.emit import emit
from kmirror.events.starts import START_STEP
from kmirror.flows.transform import flow_transform
from kmirror.model import Flow
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.engine import Engine, EngineStart
from kmirror.pipeline.executors import Executors
from kmirror.pipeline.figures import SparkFigures
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.pipeline.jvm_loggers import set_jvm_level
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.transform import transform_problems
from kmirror.pipeline.warm_up import warm_up
from kmirror.runtime.client_problems import flow_problems
from kmirror.runtime.host_launch import HostLaunch
from kmirror.runtime.host_options import slot_count, slots_of
from kmirror.runtime.supervisor import Outcome, Supervisor
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import ENDED, FlowState, FlowStatus, StatusBoard

if TYPE_CHECKING:
    from kmirror.flows.mirror_flow import MirrorFlow, MirrorOptions
    from kmirror.flows.orders import AskReload

# Whoever wants them wants much else, too, and does not wait for a JVM that hangs.
_JVM_FIGURES_S_MAX = 2.0
_PULSE_S = 1.0


@dataclass(slots=True, kw_only=True)
class _Hosted:
    """A flow of the process; until Spark is there, only what is known of it."""

    config: FlowConfig
    observed: ObservedFlow
    folder: Path | None = None
    flow: MirrorFlow | None = None

    @property
    def board(self) -> StatusBoard:
        """Where its status hangs."""
        return self.observed.board


class FlowHost:
    """
    Flows may be added from then on.

    Raises:
        EnvironmentProblem: The JVM does not start.

    Args:
        launch: Its JVM on its way, which ends with it.
        reload: Hands on an order to read the flows' file again; returns its answer, once there is
            one.
        clock: Where time comes from.
    """

    def __init__(self, launch: HostLaunch, *, reload: AskReload, clock: Clock) -> None:
        self._options = launch.options
        self._reload = reload
        self._clock = clock
        self._hosted: dict[Flow, _Hosted] = {}
        self._lock = threading.Lock()
        self._start_of_spark = EngineStart(clock)
        self._supervisor: Supervisor
        self._runs = False
        self._numbers = itertools.count(1)
        with ExitStack() as undo:
            undo.callback(launch.spark.close)
            self._folder = launch.spark.folder
            _load_flows()
            self._spark = SparkProcess(launch.spark, clock)
            undo.callback(self._spark.close)
            emit(START_STEP, flow=None, step="the JVM answers")
            from kmirror.runtime.canaries import Canaries  # noqa: PLC0415 - see `_load_flows`

            self._canaries = Canaries(clock)
            undo.callback(self._canaries.close)
            self._undo = undo.pop_all()

    def __enter__(self) -> FlowHost:
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    @property
    def may_begin_early(self) -> bool:
        """
        Whether flows may take their places while Spark starts. On a cluster they may not: its
        executors may be long in coming, and whoever had the flows would copy meanwhile.
        """
        return self._spark.is_one_process

    def begin(self) -> None:
        """
        Have Spark start; `open` waits for it.

        Raises:
            JvmLost: Its JVM has ended.
        """
        with calling_jvm():
            self._desk = Desk(self._spark.gateway.jvm, self._clock)
        # Whoever looks after a flow may wait for the JVM elsewhere, where nobody counts the time.
        pulse = PeriodicThread("kmirror-jvm", self._clock, lambda _: False, interval_s=_PULSE_S)
        pulse.also(PeriodicTask(self._clock, 0.0, self._desk.listen))
        self._undo.callback(pulse.close)
        pulse.start()
        self._supervisor = Supervisor(
            (),
            clock=self._clock,
            rng=random.Random(),
            jvm_end=self._spark.end,
            bounded=self._options.bounded,
            stays=self._options.stays,
        )
        self._spark.begin()

    def open(self, stop: threading.Event) -> bool:
        """
        Wait for Spark; tells whether it is there, since *stop* ends the waiting. `begin` before.

        Raises:
            EnvironmentProblem: Spark does not start, or the master offers too few cores.
            JvmLost: Its JVM has ended.
        """
        try:
            with calling_jvm():
                session = self._spark.open(self._clock, stop)
                if session is None:
                    return False
                executors = Executors(session, self._options.slots)
                emit(START_STEP, flow=None, step="Spark is there")
                if not self._all():
                    self._warm_up(session, stop)
        except MirrorError:
            self._end_flows()
            raise
        self._start_of_spark.finish(Engine(spark=session, executors=executors))
        return True

    def _warm_up(self, session: SparkSession, stop: threading.Event) -> None:
        """Flows are still to come, perhaps another node's that has died: they should not wait."""
        with tempfile.TemporaryDirectory(prefix="warm-up-", dir=self._folder) as folder:
            warm_up(session, self._desk, Path(folder), self._clock, stop)
        emit(START_STEP, flow=None, step="Spark is warm")

    def check(self, flows: Sequence[FlowConfig]) -> tuple[Problem, ...]:
        """Return what Spark and the clients do not take of settings that are right otherwise."""
        return (*self.client_problems(flows), *self.sql_problems(flows))

    def sql_problems(self, flows: Sequence[FlowConfig]) -> tuple[Problem, ...]:
        """Return what Spark does not take of their SQL; Spark is needed only if there is any."""
        inside = [flow for flow in flows if flow.looks_inside_records]
        if not inside:
            return ()
        session = self._engine.spark
        with calling_jvm():
            found = [transform_problems(session, flow_transform(flow)) for flow in inside]
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    def lack_for(self, flows: Iterable[FlowConfig]) -> str:
        """Say what these flows, and no others, would lack here; empty when there is room."""
        return self._engine.executors.lack_for(slot_count(flows))

    def status(self) -> tuple[FlowStatus, ...]:
        """Every flow at this moment."""
        return tuple(hosted.board.status for hosted in self._all())

    def held(self) -> tuple[str, ...]:
        """Return the flows that have not come to their ends here, as `S->T`."""
        # In this order: a flow that is left behind is there before it counts as ended.
        runs = [str(each.flow) for each in self.status() if each.state not in ENDED]
        left = self._supervisor.left() if self._runs else ()
        return (*runs, *left)

    def observed(self) -> tuple[ObservedFlow, ...]:
        """Return all that is known of every flow at this moment."""
        return tuple(hosted.observed for hosted in self._all())

    def jvm(self) -> SparkFigures | None:
        """Return what Spark's JVM and its executors' use; `None` without one, and if it hangs."""
        if self._start_of_spark.engine is None or self._desk.silence():
            return None
        try:
            return call_within(_JVM_FIGURES_S_MAX, self._desk.jvm)
        except (JvmLost, TimeoutError):
            return None

    def find(self, flow: Flow) -> FlowStatus | None:
        """Return what a flow does; `None` for one that is not here."""
        hosted = self._hosted.get(flow)
        return None if hosted is None else hosted.board.status

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run the flows until *stop* is set, or every flow has ended and it does not stay; may be
        called once, after `open`.
        """
        with calling_jvm():
            self.start()
            return self._supervisor.run(stop)

    def start(self) -> None:
        """Have the flows begin, also before Spark is there: they wait for it. `begin` before."""
        with self._lock:
            if not self._runs:
                self._runs = True
                for hosted in self._hosted.values():
                    self._start(hosted)

    def add(self, config: FlowConfig) -> None:
        """Run one more flow, at once or as soon as `run` runs."""
        observed = ObservedFlow.of(config.flow, slots=slots_of(config))
        hosted = _Hosted(config=config, observed=observed)
        with self._lock:
            assert config.flow not in self._hosted, "a flow runs once"
            if self._runs:
                self._start(hosted)
            self._hosted[config.flow] = hosted

    def remove(self, flow: Flow) -> None:
        """End a flow in good order, as far as there is time, and forget it."""
        self._canaries.end(flow)
        if self._runs:
            self._supervisor.remove(str(flow))
        with self._lock:
            del self._hosted[flow]

    def change(self, config: FlowConfig, *, live: bool) -> bool:
        """
        Give a flow other settings.

        Args:
            config: They.
            live: They take effect while it copies; otherwise it is started again.

        Returns:
            Whether it has them: another driver has the flow and keeps it, if not.
        """
        hosted = self._hosted[config.flow]
        state = hosted.board.status.state
        if state is FlowState.FENCED:
            hosted.config = config  # for when somebody wants it back
            return False
        if state is FlowState.FAILED or hosted.flow is None:
            # It has ended for good, perhaps because of what was changed.
            self.remove(config.flow)
            self.add(config)
            return True
        hosted.config = config
        if not live:
            hosted.observed = replace(hosted.observed, slots=slots_of(config))
        hosted.flow.configure(config, self._flow_options(hosted), live=live)
        self._start_canary(hosted)
        if not live:
            self._supervisor.restart(str(config.flow))
        return True

    def restart(self, flow: Flow) -> None:
        """Begin a flow anew, whatever has become of it."""
        hosted = self._hosted[flow]
        if hosted.board.status.state in ENDED:
            self.remove(flow)
            self.add(hosted.config)
        else:
            self._supervisor.restart(str(flow))

    def hand_over(self) -> None:
        """Expect other drivers to take the flows over from now on."""
        if self._runs:
            self._supervisor.hand_over()

    def need(self, flows: Iterable[FlowConfig]) -> None:
        """Have room for these flows, and no others, from now on."""
        self._engine.executors.need(slot_count(flows))

    def set_level(self, logger: str, level: str) -> None:
        """Have a logger of the JVM, and those below it, write from *level* on."""
        if self._start_of_spark.engine is not None:
            set_jvm_level(self._spark.gateway.jvm, logger, level)

    def undo(self, callback: Callable[[], object]) -> None:
        """Have *callback* called before Spark ends."""
        self._undo.callback(callback)

    @property
    def _engine(self) -> Engine:
        engine = self._start_of_spark.engine
        assert engine is not None, "open it first"
        return engine

    def _end_flows(self) -> None:
        """End what has begun already: there will be no Spark."""
        over = threading.Event()
        over.set()
        if self._runs:
            self._supervisor.run(over)

    def _all(self) -> tuple[_Hosted, ...]:
        with self._lock:
            return tuple(self._hosted.values())

    def _start(self, hosted: _Hosted) -> None:
        from kmirror.flows.mirror_flow import MirrorFlow  # noqa: PLC0415 - see `_load_flows`

        # Not called after the flow, whose aliases may have characters that a folder's name may not.
        hosted.folder = self._folder / f"flow-{next(self._numbers)}"
        hosted.flow = MirrorFlow(
            hosted.config,
            self._flow_options(hosted),
            spark=self._start_of_spark,
            desk=self._desk,
            observed=hosted.observed,
            jvm_clients=self.clients,
            reload=self._reload,
            clock=self._clock,
        )
        self._start_canary(hosted)
        self._supervisor.add(hosted.flow)

    def _start_canary(self, hosted: _Hosted) -> None:
        """Run its canary; a bounded copy would never come to its end with one."""
        if not self._options.bounded:
            self._canaries.start(hosted.config, hosted.observed)

    def _flow_options(self, hosted: _Hosted) -> MirrorOptions:
        from kmirror.flows.mirror_flow import MirrorOptions  # noqa: PLC0415 - see `_load_flows`

        assert hosted.folder is not None, "a flow has a folder"
        slots = hosted.observed.slots
        return MirrorOptions(
            owner=this_process(self._clock, hosted.config.flow, slots=slots),
            slots=slots,
            folder=hosted.folder,
            bounded=self._options.bounded,
        )

    @calling_jvm()
    def client_problems(self, flows: Sequence[FlowConfig]) -> tuple[Problem, ...]:
        """Check the clients' settings that need classes and files of the JVM, but not Spark."""
        is_here = self._options.master is None
        return flow_problems(self._spark.gateway.jvm, flows, lanes_are_here=is_here)

    @property
    def clients(self) -> JvmClients:
        """Kafka's own clients, in Spark's JVM."""
        return JvmClients(self._spark.gateway.jvm)


def _load_flows() -> None:
    """
    Load what flows and canaries are made of, which takes a third of a processor's second.

    The JVM starts meanwhile; whoever has this module on its list of imports would wait for it
    before.
    """
    import_module("kmirror.flows.mirror_flow")
    import_module("kmirror.runtime.canaries")
