"""Makes consoles: of a driver, and of a file alone."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from kmirror.clock import Clock
from kmirror.config.connectors import ConnectorFlow
from kmirror.config.load import MirrorConfig
from kmirror.console.asked import AskedFigures
from kmirror.console.audits import Audits, standing_reader
from kmirror.console.clusters import Clusters
from kmirror.console.config_file import ConfigFile
from kmirror.console.connectors_file import REST_INSTEAD
from kmirror.console.console import Console
from kmirror.console.event_log import EventLog
from kmirror.console.history import History
from kmirror.console.history_keeper import HistoryKeeper
from kmirror.console.live import LiveFigures
from kmirror.console.moves import Moves
from kmirror.console.orders import Orders
from kmirror.console.own_jvm import OwnJvm
from kmirror.console.processes import Processes
from kmirror.console.questions import Questions, SeenGroups
from kmirror.console.settings_file import SettingsFile
from kmirror.events.emit import subscribed
from kmirror.inspect.driver import ask_driver
from kmirror.model import Flow
from kmirror.pipeline.figures import SparkFigures
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.state.observed import ObservedFlow

_AS_READ = "the file as this console has read it at its start, which may not be what a driver runs"


@contextmanager
def console_of_driver(
    config: Callable[[], MirrorConfig],
    observed: Callable[[], Sequence[ObservedFlow]],
    kafka: Callable[[], JvmClients],
    driver: str,
    clock: Clock,
    *,
    file: SettingsFile,
    has_it: Callable[[Flow], str] = lambda _: "",
    stopped: Callable[[], Sequence[ConnectorFlow]] = tuple,
    jvm: Callable[[], SparkFigures | None] = lambda: None,
) -> Iterator[Console]:
    """
    Yield the console of a process that drives flows.

    Args:
        config: Gives its flows, and how the console is served, as they are now.
        observed: Gives the flows.
        kafka: Gives what opens Kafka's own clients.
        driver: Names the process.
        clock: Where time comes from.
        file: Answers about what the flows are made of.
        has_it, stopped: See `Console`.
        jvm: Says what Spark's JVMs use; `None` while there is none.
    """

    history = History()
    figures = LiveFigures(lambda: config().flows, observed, driver, clock, history)
    event_log = EventLog(clock)
    role = "Connect worker" if file.of_connectors else "driver"
    processes = Processes(driver, role, jvm, clock)
    clusters = Clusters(config, kafka, clock, processes.all)
    with ExitStack() as opened:
        opened.enter_context(subscribed(event_log))
        if (path := config().console.history_file) is not None:
            keeper = HistoryKeeper(path, history, clock)
            keeper.start()
            opened.callback(keeper.close)
        figures.start()
        opened.callback(figures.close)
        clusters.start()
        opened.callback(clusters.close)
        yield Console(
            config=config,
            figures=figures,
            questions=Questions(config, kafka, figures.groups, clock),
            file=file,
            clusters=clusters,
            audits=Audits(
                standing_reader(clock),
                figures.audit,
                lambda: config().console.report_key,
                f"the console of {driver}",
                clock,
            ),
            moves=Moves(config, kafka, clock),
            orders=Orders(clock, no_reload=REST_INSTEAD if file.of_connectors else ""),
            event_log=event_log,
            clock=clock,
            has_it=has_it,
            stopped=stopped,
        )


@contextmanager
def console_of_file(
    config: MirrorConfig, clock: Clock, *, read: Callable[[], MirrorConfig]
) -> Iterator[Console]:
    """
    Yield a console that only shows what the clusters of a file know.

    Args:
        config: The file.
        clock: Where time comes from.
        read: Reads the file as it lies on disk; raises ConfigError or EnvironmentProblem.
    """
    figures = AskedFigures(config.flows, lambda: ask_driver(config.metrics), clock)
    jvm = OwnJvm()
    processes = Processes(f"{platform.node()}:{os.getpid()}", "console", lambda: None, clock)
    clusters = Clusters(lambda: config, jvm.kafka, clock, processes.all)
    with ExitStack() as opened:
        opened.callback(jvm.close)
        figures.start()
        opened.callback(figures.close)
        clusters.start()
        opened.callback(clusters.close)
        yield Console(
            config=lambda: config,
            figures=figures,
            questions=Questions(lambda: config, jvm.kafka, lambda _: SeenGroups(), clock),
            file=ConfigFile(lambda: config, read, _AS_READ, clock),
            clusters=clusters,
            audits=Audits(
                standing_reader(clock),
                lambda _: None,
                lambda: config.console.report_key,
                f"a console, process {os.getpid()} on {platform.node()}",
                clock,
            ),
            moves=Moves(lambda: config, jvm.kafka, clock),
            orders=None,
            event_log=None,
            clock=clock,
        )
