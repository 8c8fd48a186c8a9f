"""What a Connect worker runs, as an operator asks for it: connectors, and the worker's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kmirror.api.config import FileChanges, FileState, FileView, FlowSettings
from kmirror.clock import Clock
from kmirror.config.connector_settings import (
    changed_lines,
    connector_settings,
    refused_settings,
    worker_settings,
)
from kmirror.config.connectors import ConnectorFlow, ConnectorFlows
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig, MirrorLines
from kmirror.config.worker import WorkerConfig
from kmirror.console.config_file import finding_views, flow_clients, setting_view
from kmirror.errors import ConfigError, EnvironmentProblem

REST_INSTEAD = (
    "settings of a flow are those of its connectors: PUT /connectors/NAME/config of Connect's "
    "REST API changes them, and they hold at once"
)
_COMPARED_WITH = "the worker's file as it was at the worker's start"
_AT_THE_START = "the worker reads its file once: {} at its next start"


class ConnectorsFile:
    """
    Answers about the connectors of a worker, and about its file.

    Args:
        worker: The file as it is in effect.
        config: Gives what the connectors come to, as one file.
        built: Gives the connectors' flows.
        read: Reads the worker's file as it lies on disk; raises ConfigError.
        clock: Where time comes from.
    """

    of_connectors = True

    def __init__(
        self,
        worker: WorkerConfig,
        config: Callable[[], MirrorConfig],
        built: Callable[[], ConnectorFlows],
        read: Callable[[], WorkerConfig],
        clock: Clock,
    ) -> None:
        self._worker = worker
        self._config = config
        self._built = built
        self._read = read
        self._clock = clock

    def file(self) -> FileView:
        """Return what holds for the worker, and what is wrong or doubtful of its connectors."""
        config, built = self._config(), self._built()
        return FileView(
            file=config.path.name,
            flows=tuple(str(each.flow) for each in config.flows),
            findings=(
                *finding_views(refused_settings(built), is_wrong=True),
                *finding_views(config.warnings, is_wrong=False),
            ),
            inactive=config.inactive_keys,
            settings=tuple(map(setting_view, worker_settings(self._worker))),
        )

    def flow(self, flow: FlowConfig) -> FlowSettings:
        """
        Return the settings of a flow, with the connector that says each.

        Args:
            flow: The flow.
        """
        part = self._part(flow)
        if part is None:
            return FlowSettings(flow=str(flow.flow), settings=())
        found = connector_settings(self._config(), part, flow_clients(flow))
        return FlowSettings(flow=str(flow.flow), settings=tuple(map(setting_view, found)))

    def changes(self) -> FileChanges:
        """Return which lines of the worker's file count from its next start on."""
        same = FileChanges(
            as_of_ms=self._clock.wall_ms(),
            compared_with=_COMPARED_WITH,
            state=FileState.SAME,
            flows=(),
            heartbeats=(),
            refused=(),
            findings=(),
        )
        try:
            after = self._read()
        except ConfigError as error:
            wrong = finding_views(error.problems, is_wrong=True)
            findings = (*wrong, *finding_views(error.warnings, is_wrong=False))
            return replace(same, state=FileState.REFUSED, findings=findings)
        changed = changed_lines(self._worker, after)
        return replace(
            same,
            state=FileState.REFUSED if changed else FileState.SAME,
            refused=tuple(_AT_THE_START.format(f"{name} counts") for name in changed),
            findings=tuple(finding_views(after.warnings, is_wrong=False)),
        )

    def lines(self, flow: FlowConfig) -> MirrorLines:
        """
        Return the lines that a flow comes from.

        Args:
            flow: The flow.

        Raises:
            EnvironmentProblem: Its connectors have gone.
        """
        part = self._part(flow)
        if part is None:
            raise EnvironmentProblem(
                f"no connectors make {flow.flow} any more", hint="GET /connectors tells which are"
            )
        return MirrorLines(
            path=self._worker.path,
            entries=part.lines,
            aliases=(flow.flow.source, flow.flow.target),
            flows=(flow.flow,),
            idle=(),
        )

    def _part(self, flow: FlowConfig) -> ConnectorFlow | None:
        return next(
            (
                each
                for each in self._built().flows
                if each.flow == flow.flow and each.config is not None
            ),
            None,
        )
