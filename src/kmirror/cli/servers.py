"""What a driver, or a worker, serves and sends beside its flows: metrics, and its console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING

from kmirror.cli.metrics import metrics_export, metrics_server, serving
from kmirror.clock import SystemClock
from kmirror.config.console import ConsoleConfig
from kmirror.config.metrics import MetricsConfig
from kmirror.config.worker import WorkerConfig
from kmirror.runtime.host_options import process_name
from kmirror.state.run_record import RunRecord

if TYPE_CHECKING:
    # A driver does not wait for what only a worker needs; nobody for a console that is not there;
    # the JVM not for what runs on it.
    from kmirror.connect.process import ConnectProcess
    from kmirror.console.console import Console
    from kmirror.runtime.driver import Driver
    from kmirror.runtime.flow_host import FlowHost


class Servers:
    """
    Each listens as soon as it is made.

    Args:
        metrics: Where metrics are served and sent to, if anywhere.
        console: The same of the console.

    Raises:
        ConfigError: A file of users cannot be used.
        EnvironmentProblem: One cannot listen there, or a library is missing.
    """

    def __init__(self, metrics: MetricsConfig, console: ConsoleConfig) -> None:
        self._clock = SystemClock()
        self._export = metrics_export(metrics)
        self.metrics = metrics_server(metrics)
        self._console = None
        if console.listener is not None:
            # Whoever serves no pages need not wait for what draws them.
            from kmirror.server.console_server import ConsoleServer  # noqa: PLC0415

            self._console = ConsoleServer(console, self._clock)

    @property
    def console_address(self) -> str:
        """Where the console is, as a URL; empty for nowhere."""
        return "" if self._console is None else self._console.address

    @contextmanager
    def serving(self, driver: Driver, run: Callable[[], RunRecord] | None = None) -> Iterator[None]:
        """
        Serve as long as the block lasts.

        Args:
            driver: Runs what they tell of.
            run: See `MetricsServer.start`.
        """
        clock = self._clock

        def console() -> AbstractContextManager[Console]:
            from kmirror.console.config_file import ConfigFile  # noqa: PLC0415
            from kmirror.console.opened import console_of_driver  # noqa: PLC0415

            file = ConfigFile(lambda: driver.config, driver.read, "what the driver runs", clock)
            return console_of_driver(
                lambda: driver.config,
                driver.host.observed,
                lambda: driver.host.clients,
                process_name(),
                clock,
                file=file,
                jvm=driver.host.jvm,
            )

        with self._serving(driver.host, console, run):
            yield

    @contextmanager
    def serving_worker(
        self, process: ConnectProcess, read: Callable[[], WorkerConfig]
    ) -> Iterator[None]:
        """
        Serve as long as the block lasts.

        Args:
            process: A Connect worker; it runs what they tell of.
            read: Reads its file as it lies on disk; raises ConfigError.
        """
        known, clock = process.worker_file, self._clock

        def console() -> AbstractContextManager[Console]:
            from kmirror.console.connectors_file import ConnectorsFile  # noqa: PLC0415
            from kmirror.console.opened import console_of_driver  # noqa: PLC0415

            return console_of_driver(
                known.config,
                process.host.observed,
                lambda: process.host.clients,
                process_name(),
                clock,
                file=ConnectorsFile(known.worker, known.config, known.built, read, clock),
                jvm=process.host.jvm,
                has_it=known.owner,
                stopped=known.stopped,
            )

        with self._serving(process.host, console, None):
            yield

    @contextmanager
    def _serving(
        self,
        host: FlowHost,
        open_console: Callable[[], AbstractContextManager[Console]],
        run: Callable[[], RunRecord] | None,
    ) -> Iterator[None]:
        with ExitStack() as opened:
            opened.enter_context(serving(self.metrics, self._export, host, run))
            if self._console is not None:
                opened.callback(self._console.stop)
                self._console.start(opened.enter_context(open_console()))
            yield
