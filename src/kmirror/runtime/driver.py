"""The driver: one process, one Spark session, all flows of a properties file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kmirror.clock import Clock
from kmirror.config.changes import ChangeKind, ConfigChanges
from kmirror.config.entry import by_line
from kmirror.config.load import MirrorConfig
from kmirror.errors import ConfigError, Problem
from kmirror.events.emit import emit
from kmirror.events.nodes import NODES_ONE, NODES_SEVERAL
from kmirror.runtime.flow_host import FlowHost
from kmirror.runtime.host_launch import HostLaunch
from kmirror.runtime.host_options import DriverOptions, process_name, shares_flows
from kmirror.runtime.node import Node, group_name
from kmirror.runtime.pulse import Pulse
from kmirror.runtime.reloads import Reloads, refuse_all
from kmirror.runtime.supervisor import Outcome
from kmirror.state.status import FlowStatus
from kmirror.wire.control_orders import Reloaded, ReloadOrder

_FIRST_HEARTBEATS_S_MAX = 5.0
_POLL_S = 0.02


class Driver:
    """
    Runs the flows of a file.

    Raises:
        EnvironmentProblem: The JVM does not start.

    Args:
        config: The file.
        options: What the command line says.
        launch: For a host as `driver_host` says; it ends with this.
        read: Reads the file again, for a reload; raises ConfigError or EnvironmentProblem.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: MirrorConfig,
        options: DriverOptions,
        launch: HostLaunch,
        *,
        read: Callable[[], MirrorConfig],
        clock: Clock,
    ) -> None:
        self._config = config
        self._options = options
        self._clock = clock
        self._read = read
        self._reloads = Reloads(config, self, read=read, driver=process_name(), clock=clock)
        self._pulse = Pulse(clock)
        self._host = FlowHost(launch, reload=self._ask_reload, clock=clock)
        shares = shares_flows(config, options)
        self._node = Node(config, self._host, self._pulse, clock) if shares else None
        if self._node is None:
            for flow in config.flows:
                self._host.add(flow)

    def check_sql(self) -> tuple[Problem, ...]:
        """
        Say what Spark does not take of the file's SQL, and end: for a file that is wrong elsewhere.

        Raises:
            EnvironmentProblem: Spark does not start.
        """
        with self._host as host:
            host.begin()
            is_there = host.open(threading.Event())
            return host.sql_problems(self._config.flows) if is_there else ()

    def status(self) -> tuple[FlowStatus, ...]:
        """Every flow at this moment."""
        return self._host.status()

    @property
    def host(self) -> FlowHost:
        """Spark, and the flows."""
        return self._host

    @property
    def config(self) -> MirrorConfig:
        """The file as it is in effect now."""
        return self._config

    def read(self) -> MirrorConfig:
        """
        Read the file as it lies on disk; nothing is changed.

        Raises:
            ConfigError: With everything that is wrong in it.
            EnvironmentProblem: Its key stores cannot be read on this machine.
        """
        return self._read()

    def reload(self) -> None:
        """Have the file read again; a signal handler may call this."""
        self._reloads.signal()

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run until *stop* is set or every flow has ended; may be called once.

        Raises:
            ConfigError: A filter or projection is not possible, or a client refuses its settings.
            EnvironmentProblem: Spark does not start, or the master offers too few cores.
            JvmLost: Spark's JVM ended before Spark was there; later it is an outcome.
        """
        self._say_rule()
        with self._host as host:
            if self._node is not None:
                host.undo(self._node.close)
                self._node.start()
            host.begin()
            # Before a cluster is asked, all of the file is known to be right: SQL by Spark's word.
            # Nodes share what they have cores for, which is known when Spark is there.
            has_sql = any(flow.looks_inside_records for flow in self._config.flows)
            waits = self._node is not None or has_sql or not host.may_begin_early
            if waits and not host.open(stop):
                return Outcome.INCOMPLETE if self._options.until_caught_up else Outcome.STOPPED
            if problems := self.check(self._config):
                raise ConfigError(by_line(problems), self._config.warnings)
            if self._node is not None:
                return self._run_share(self._node, stop)
            self._start_heartbeats(stop)
            host.start()
            if not waits and not host.open(stop):
                return host.run(stop)
            with self._reloading():
                return host.run(stop)

    def _run_share(self, node: Node, stop: threading.Event) -> Outcome:
        """Run what is this node's, until *stop* is set and others have taken it over."""
        self._host.undo(self._pulse.close)
        end = threading.Event()
        node.join()
        node.end_with(stop, end)
        with self._reloading():
            try:
                return self._host.run(end)
            finally:
                node.close()

    def check(self, config: MirrorConfig) -> tuple[Problem, ...]:
        """Return what Spark and the clients do not take of a file that is right otherwise."""
        return self._host.check(config.flows)

    def lack_for(self, config: MirrorConfig) -> str:
        """Say what the flows of *config* would lack here; empty when there is room."""
        return self._host.lack_for(config.flows)

    def apply(self, config: MirrorConfig, found: ConfigChanges) -> tuple[str, ...]:
        """Run *config* from now on; flows that are not in *found* are not touched."""
        self._config = config
        if self._node is not None:
            self._node.follow(config)
            return ()
        self._host.need(config.flows)
        notes = []
        for change in found.flows:
            if change.kind is ChangeKind.REMOVED:
                self._host.remove(change.flow)
            elif change.kind is ChangeKind.ADDED:
                self._host.add(config.flow(change.flow))
            else:
                live = change.kind is ChangeKind.LIVE
                if not self._host.change(config.flow(change.flow), live=live):
                    notes.append(f"{change.flow}: another driver has it, and keeps it")
        self._pulse.start(config, found.heartbeats)
        return tuple(notes)

    def _say_rule(self) -> None:
        """Say what becomes of a second driver of the same flows."""
        if self._node is None:
            emit(NODES_ONE)
        else:
            emit(NODES_SEVERAL, group=group_name(self._config))

    @contextmanager
    def _reloading(self) -> Iterator[None]:
        """Reload whenever somebody wants it, in a thread beside the flows."""
        over = threading.Event()
        thread = threading.Thread(
            target=self._reloads.run, args=(over,), name="kmirror-reloads", daemon=True
        )
        if not self._options.until_caught_up:
            thread.start()
        try:
            yield
        finally:
            over.set()

    def _ask_reload(self, order: ReloadOrder) -> Reloaded | None:
        if self._options.until_caught_up:
            why = "it runs with --until-caught-up"
            return refuse_all(order, driver=process_name(), file=str(self._config.path), why=why)
        return self._reloads.ask(order)

    def _start_heartbeats(self, stop: threading.Event) -> None:
        """
        Make them, and give them a moment: flows that find their topics at once need no second plan.

        A bounded copy says nothing of a flow that lives on.
        """
        if self._options.until_caught_up:
            return
        self._pulse.start(self._config, {each.flow.target for each in self._config.heartbeats})
        self._host.undo(self._pulse.close)
        until_s = self._clock.monotonic_s() + _FIRST_HEARTBEATS_S_MAX
        while not self._pulse.has_begun:
            if self._clock.monotonic_s() >= until_s or self._clock.wait(stop, _POLL_S):
                break
