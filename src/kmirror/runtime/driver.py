"""The driver: one process, one Spark session, all flows of a properties file."""

from __future__ import annotations

import os
import random
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path

from pyspark.sql import SparkSession

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.ownership import this_process
from kmirror.admin.settings import admin_problem
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.consumers import HeartbeatConfig
from kmirror.config.entry import by_line
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.ends.clients import lane_consumer, lane_producer
from kmirror.errors import ConfigError, Problem
from kmirror.events.emit import emit
from kmirror.events.table import SPARK_STARTING
from kmirror.flows.heartbeats import Heartbeats
from kmirror.flows.mirror_flow import MirrorFlow, MirrorOptions, flow_transform
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.pipeline.client_check import client_problems
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.executors import Executors
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.jvm_groups import JvmGroups
from kmirror.pipeline.jvm_logs import JvmLogs
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.transform import transform_problems
from kmirror.pipeline.work_folder import work_folder
from kmirror.runtime.supervisor import Outcome, Supervisor
from kmirror.state.status import FlowStatus, StatusBoard

_SLOTS_DEFAULT_MAX = 4
_TIMEOUT_S = 10.0
_FIRST_HEARTBEATS_S_MAX = 5.0
_LAST_HEARTBEATS_S_MAX = 0.5
_POLL_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverOptions:
    """
    What the command line says.

    Args:
        master: A Spark master URL; `None` runs everything in this process.
        until_caught_up: Copy what is there, then end.
    """

    master: str | None = None
    until_caught_up: bool = False


class Driver:
    """
    Runs the flows of a file. Make it in the main thread; see `SparkProcess`.

    Raises:
        EnvironmentProblem: Java or the jars are missing.

    Args:
        config: The file.
        options: What the command line says.
        clock: Where time comes from.
    """

    def __init__(self, config: MirrorConfig, options: DriverOptions, *, clock: Clock) -> None:
        self._config = config
        self._options = options
        self._clock = clock
        self._boards = tuple(StatusBoard(flow.flow) for flow in config.flows)
        self._slots = tuple(_slots(flow) for flow in config.flows)
        emit(SPARK_STARTING, master=options.master or "in this process")
        with ExitStack() as undo:
            self._folder = undo.enter_context(work_folder())
            self._spark = SparkProcess(
                app="kmirror " + " ".join(str(flow.flow) for flow in config.flows),
                slots=sum(self._slots),
                master=options.master,
                settings=dict(config.spark),
                folder=self._folder,
            )
            undo.callback(self._spark.close)
            self._undo = undo.pop_all()

    def check_sql(self) -> tuple[Problem, ...]:
        """
        Say what Spark does not take of the file's SQL, and end: for a file that is wrong elsewhere.

        Raises:
            EnvironmentProblem: Spark does not start.
        """
        with self._undo, calling_jvm():
            spark = self._spark.open(self._clock, threading.Event())
            return () if spark is None else self._sql_problems(spark)

    def _sql_problems(self, spark: SparkSession) -> tuple[Problem, ...]:
        flows = [flow for flow in self._config.flows if flow.looks_inside_records]
        found = [transform_problems(spark, flow_transform(flow)) for flow in flows]
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    def _client_problems(self) -> tuple[Problem, ...]:
        """Check the clients' settings that need classes and files of the JVM."""
        jvm = self._spark.gateway.jvm
        found: dict[Problem, None] = {}
        for flow in self._config.flows:
            # Executors elsewhere may have other classes and files.
            if self._options.master is None:
                found.update(dict.fromkeys(client_problems(jvm, "consumer", lane_consumer(flow))))
                found.update(dict.fromkeys(client_problems(jvm, "producer", lane_producer(flow))))
            for admin in (flow.source_admin, flow.target_admin):
                found.update(dict.fromkeys(client_problems(jvm, "admin", admin)))
                second = admin_problem(admin, librdkafka_settings(admin))
                if second is not None and second.where not in {problem.where for problem in found}:
                    found[second] = None
        return tuple(found)

    def status(self) -> tuple[FlowStatus, ...]:
        """Every flow at this moment."""
        return tuple(board.status for board in self._boards)

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run until *stop* is set or every flow has ended; may be called once.

        Raises:
            ConfigError: A filter or projection is not possible, or a client refuses its settings.
            EnvironmentProblem: The master offers too few cores.
            JvmLost: Spark's JVM ended before there were flows; later it is an outcome.
        """
        with self._undo, calling_jvm():
            spark = self._spark.open(self._clock, stop)
            if spark is None:
                return Outcome.INCOMPLETE if self._options.until_caught_up else Outcome.STOPPED
            problems = (*self._client_problems(), *self._sql_problems(spark))
            if problems:
                raise ConfigError(by_line(problems), self._config.warnings)
            self._start_heartbeats(stop)
            return Supervisor(
                self._flows(spark),
                clock=self._clock,
                rng=random.Random(),
                jvm_end=self._spark.end,
                bounded=self._options.until_caught_up,
            ).run(stop)

    def _start_heartbeats(self, stop: threading.Event) -> None:
        """
        Make them, and give them a moment: flows that find their topics at once need no second plan.

        A bounded copy says nothing of a flow that lives on.
        """
        if self._options.until_caught_up:
            return
        started: list[Heartbeats] = []
        pairs = sorted(self._config.heartbeats, key=_target_of)
        for target, group in groupby(pairs, key=_target_of):
            client = librdkafka_settings(self._config.cluster(target).admin)
            admin = KafkaAdmin(target, client, timeout_s=_TIMEOUT_S, clock=self._clock)
            has_flows = any(target in {f.flow.source, f.flow.target} for f in self._config.flows)
            heartbeats = Heartbeats(
                tuple(group), admin, client, has_flows=has_flows, clock=self._clock
            )
            heartbeats.start()
            started.append(heartbeats)
        self._undo.callback(self._end_heartbeats, started)
        until_s = self._clock.monotonic_s() + _FIRST_HEARTBEATS_S_MAX
        while not all(heartbeats.has_begun for heartbeats in started):
            if self._clock.monotonic_s() >= until_s or self._clock.wait(stop, _POLL_S):
                break

    def _end_heartbeats(self, started: Sequence[Heartbeats]) -> None:
        """Side by side: a target that is away makes its own wait."""
        until_s = self._clock.monotonic_s() + _LAST_HEARTBEATS_S_MAX
        for heartbeats in started:
            heartbeats.stop()
        for heartbeats in started:
            heartbeats.close(max(0.0, until_s - self._clock.monotonic_s()))

    def _open_groups(self, alias: str, properties: ClientProperties, timeout_s: float) -> JvmGroups:
        return JvmGroups(self._spark.gateway.jvm, alias, properties, timeout_s=timeout_s)

    def _open_logs(self, alias: str, properties: ClientProperties) -> JvmLogs:
        return JvmLogs(self._spark.gateway.jvm, alias, properties, timeout_s=_TIMEOUT_S)

    def _flows(self, spark: SparkSession) -> list[MirrorFlow]:
        desk = Desk(self._spark.gateway.jvm)
        executors = Executors(spark, sum(self._slots))
        return [
            MirrorFlow(
                flow,
                self._flow_options(flow, slots),
                spark=spark,
                executors=executors,
                desk=desk,
                board=board,
                open_groups=self._open_groups,
                open_logs=self._open_logs,
                clock=self._clock,
            )
            for flow, slots, board in zip(
                self._config.flows, self._slots, self._boards, strict=True
            )
        ]

    def _flow_options(self, flow: FlowConfig, slots: int) -> MirrorOptions:
        # Not called after the flow, whose aliases may have characters that a folder's name may not.
        own = Path(tempfile.mkdtemp(prefix="flow-", dir=self._folder))
        owner = this_process(self._clock, flow.flow, slots=slots)
        bounded = self._options.until_caught_up
        return MirrorOptions(owner=owner, slots=slots, folder=own, bounded=bounded)


def _target_of(heartbeat: HeartbeatConfig) -> str:
    return heartbeat.flow.target


def _slots(flow: FlowConfig) -> int:
    return flow.slots or max(1, min(_SLOTS_DEFAULT_MAX, (os.cpu_count() or 1) // 2))
