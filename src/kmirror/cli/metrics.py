"""Metrics beside the flows of a process: where they are served and sent, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from kmirror.cli.addresses import listener
from kmirror.clock import SystemClock
from kmirror.config.metrics import MetricsConfig
from kmirror.errors import EnvironmentProblem
from kmirror.events.emit import subscribed
from kmirror.runtime.host_options import process_name
from kmirror.state.run_record import RunRecord

if TYPE_CHECKING:
    # Whoever serves nothing does not wait for what serves it, nor the JVM for what runs on it.
    from kmirror.runtime.flow_host import FlowHost
    from kmirror.server.metrics import MetricsServer
    from kmirror.state.otlp.export import OtlpExport

MetricsListen = Annotated[
    str | None,
    typer.Option(
        help="Serve metrics for Prometheus there, such as 127.0.0.1:9404. Default: "
        "kmirror.metrics.listen of FILE, or nowhere.",
        metavar="HOST:PORT",
        show_default=False,
    ),
]


def metrics_of(config: MetricsConfig, listen: str | None) -> MetricsConfig:
    """
    Return where metrics are served: the command line comes first.

    Args:
        config: What the file says.
        listen: What the command line says; `None` for nothing.
    """
    if listen is None:
        return config
    return replace(config, listener=listener("--metrics-listen", listen))


def metrics_server(config: MetricsConfig) -> MetricsServer | None:
    """
    Listen, if somebody wants metrics; `None` otherwise.

    Args:
        config: Where.

    Raises:
        ConfigError: The file of users cannot be used.
        EnvironmentProblem: It cannot listen there.
    """
    if config.listener is None:
        return None
    from kmirror.server.metrics import MetricsServer  # noqa: PLC0415 - see above

    return MetricsServer(config, SystemClock())


def metrics_export(config: MetricsConfig) -> OtlpExport | None:
    """
    Return what sends metrics to a collector, if somebody wants that; `None` otherwise.

    Args:
        config: Where to.

    Raises:
        ConfigError: A file that it names is not there.
        EnvironmentProblem: OpenTelemetry's library is not installed.
    """
    if config.otlp is None:
        return None
    try:
        # An extra: whoever sends no metrics does not wait for it, and does without.
        from kmirror.state.otlp.export import OtlpExport  # noqa: PLC0415
    except ImportError as error:
        raise EnvironmentProblem(
            f"kmirror.otlp.endpoint needs {error.name}, which is missing",
            hint="pip install 'kmirror[otlp]'",
        ) from error
    return OtlpExport(config.otlp, process_name(), SystemClock())


@contextmanager
def serving(
    server: MetricsServer | None,
    export: OtlpExport | None,
    host: FlowHost,
    run: Callable[[], RunRecord] | None = None,
) -> Iterator[None]:
    """
    Serve and send metrics as long as the block lasts.

    Args:
        server: Serves them; `None` for nobody.
        export: Sends them; `None` to nobody.
        host: Runs the flows that they are of.
        run: See `MetricsServer.start`.
    """
    if server is None and export is None:
        yield
        return
    from kmirror.state.metrics.collector import (  # noqa: PLC0415 - see above
        EventCounts,
        Exposition,
        FlowsCollector,
    )

    events, flows = EventCounts(), host.observed
    exposition = Exposition(FlowsCollector(flows, host.jvm, events, SystemClock()))
    with ExitStack() as opened:
        opened.enter_context(subscribed(events))
        if server is not None:
            opened.callback(server.stop)
            server.start(exposition, flows, run=run)
        if export is not None:
            export.start(exposition.families)
            opened.callback(export.stop)
        yield
