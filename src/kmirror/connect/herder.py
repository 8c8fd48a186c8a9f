"""What a Connect worker can be asked; `server/connect` gives it a REST API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kmirror.connect.model import (
    CheckedConfig,
    ConfigDefinition,
    ConnectorInfo,
    ConnectorOffset,
    ConnectorStatus,
    Health,
    LoggerLevel,
    Plugin,
    Status,
    TargetState,
    TaskInfo,
    WorkerInfo,
)
from kmirror.control.caller import Caller


class Herder(Protocol):
    """
    A worker with its connectors; the name is Connect's (`org.apache.kafka.connect.runtime.Herder`).

    Any thread may call it, and every call ends within the worker's time for requests. What changes
    something says who wants it, and is refused to those who may not.

    Raises:
        NotFound: There is no such connector, task, plugin or logger.
        AlreadyExists: There is a connector of that name.
        BadRequest: What is asked is not possible, or its settings are wrong.
        RebalanceNeeded: Not now, since workers are finding out who has what; ask again.
        NotAllowed: The caller may not.
    """

    def info(self) -> WorkerInfo:
        """Return what this worker is."""
        ...

    def health(self) -> Health:
        """Return whether it can serve."""
        ...

    def connectors(self) -> tuple[str, ...]:
        """Return the connectors' names."""
        ...

    def connector(self, name: str) -> ConnectorInfo:
        """Return what a connector is."""
        ...

    def status(self, name: str) -> ConnectorStatus:
        """Return what a connector and its tasks do."""
        ...

    def tasks(self, name: str) -> tuple[TaskInfo, ...]:
        """Return a connector's tasks."""
        ...

    def task_status(self, name: str, task: int) -> Status:
        """Return what one task does."""
        ...

    def create(
        self, name: str, config: Mapping[str, str], state: TargetState, by: Caller
    ) -> ConnectorInfo:
        """Make a connector."""
        ...

    def put_config(
        self, name: str, config: Mapping[str, str], by: Caller
    ) -> tuple[ConnectorInfo, bool]:
        """Give a connector these settings; tells whether it was made by that."""
        ...

    def patch_config(
        self, name: str, changes: Mapping[str, str | None], by: Caller
    ) -> ConnectorInfo:
        """Change some settings of a connector; `None` removes one (KIP-477)."""
        ...

    def set_state(self, name: str, state: TargetState, by: Caller) -> None:
        """Pause, resume or stop a connector; it does so soon after."""
        ...

    def restart(
        self, name: str, *, include_tasks: bool, only_failed: bool, by: Caller
    ) -> ConnectorStatus:
        """Restart a connector, and perhaps its tasks (KIP-745); gives what restarts."""
        ...

    def restart_task(self, name: str, task: int, by: Caller) -> None:
        """Restart one task."""
        ...

    def delete(self, name: str, by: Caller) -> None:
        """End a connector and forget it; its offsets stay."""
        ...

    def topics(self, name: str) -> tuple[str, ...]:
        """Return which topics a connector has written to since they were last forgotten."""
        ...

    def reset_topics(self, name: str, by: Caller) -> None:
        """Forget which topics a connector has written to."""
        ...

    def offsets(self, name: str) -> tuple[ConnectorOffset, ...]:
        """Return where a connector is."""
        ...

    def alter_offsets(self, name: str, offsets: tuple[ConnectorOffset, ...], by: Caller) -> str:
        """Move a stopped connector; gives Connect's message (KIP-875)."""
        ...

    def reset_offsets(self, name: str, by: Caller) -> str:
        """Have a stopped connector begin anew; gives Connect's message (KIP-875)."""
        ...

    def plugins(self, *, connectors_only: bool) -> tuple[Plugin, ...]:
        """Return the classes that connectors' settings may name."""
        ...

    def plugin_config(self, plugin: str) -> tuple[ConfigDefinition, ...]:
        """Return the settings of a plugin, by its full or short name."""
        ...

    def validate(self, plugin: str, config: Mapping[str, str]) -> CheckedConfig:
        """Check settings without using them."""
        ...

    def loggers(self) -> Mapping[str, LoggerLevel]:
        """Return the loggers that have a level of their own."""
        ...

    def logger(self, name: str) -> LoggerLevel:
        """Return what a logger writes."""
        ...

    def set_logger(self, name: str, level: str, *, everywhere: bool, by: Caller) -> tuple[str, ...]:
        """Have a logger and those below it write from *level* on; gives their names."""
        ...
