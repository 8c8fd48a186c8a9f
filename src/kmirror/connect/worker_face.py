"""What a Connect worker tells that is of no connector: itself, its plugins, its loggers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import kmirror
from kmirror.clock import Clock
from kmirror.config.worker import WorkerConfig
from kmirror.connect.connector_offsets import ConnectorOffsets
from kmirror.connect.loggers import Loggers
from kmirror.connect.model import (
    CheckedConfig,
    ConfigDefinition,
    Health,
    LoggerLevel,
    Plugin,
    WorkerInfo,
)
from kmirror.connect.plugins import KAFKA_VERSION, plugin_config, plugins
from kmirror.connect.validation import validate
from kmirror.control.caller import Caller, Role
from kmirror.runtime.worker import Worker

HEALTHY = Health(
    status="healthy",
    message="Worker has completed startup and is ready to handle requests.",
)
STARTING = Health(status="starting", message="Worker is still starting up.")


@dataclass(frozen=True, slots=True, kw_only=True)
class HerderParts:
    """
    What a herder works with.

    Args:
        config: The worker's file.
        worker: Runs what connectors are made of.
        worker_id: `host:port` of this worker, as others see it.
        cluster_id: Of the worker's own cluster.
        loggers: Levels of loggers.
        offsets: Where connectors are.
        clock: Where time comes from.
    """

    config: WorkerConfig
    worker: Worker
    worker_id: str
    cluster_id: str
    loggers: Loggers
    offsets: ConnectorOffsets
    clock: Clock


class WorkerFace(ABC):
    """
    A part of a `Herder`.

    Args:
        parts: What it works with.
    """

    def __init__(self, parts: HerderParts) -> None:
        self._config = parts.config
        self._cluster_id = parts.cluster_id
        self._loggers = parts.loggers

    def info(self) -> WorkerInfo:
        """Return what this worker is."""
        return WorkerInfo(
            version=KAFKA_VERSION,
            commit=f"kmirror-{kmirror.__version__}",
            kafka_cluster_id=self._cluster_id,
        )

    def plugins(self, *, connectors_only: bool) -> tuple[Plugin, ...]:
        """Return the classes that connectors' settings may name."""
        return plugins(connectors_only=connectors_only)

    def plugin_config(self, plugin: str) -> tuple[ConfigDefinition, ...]:
        """Return the settings of a plugin, by its full or short name."""
        return plugin_config(plugin)

    def validate(self, plugin: str, config: Mapping[str, str]) -> CheckedConfig:
        """Check settings without using them."""
        return validate(plugin, config, self._config)

    def loggers(self) -> Mapping[str, LoggerLevel]:
        """Return the loggers that have a level of their own."""
        return self._loggers.all()

    def logger(self, name: str) -> LoggerLevel:
        """Return what a logger writes."""
        return self._loggers.one(name)

    def set_logger(self, name: str, level: str, *, everywhere: bool, by: Caller) -> tuple[str, ...]:
        """Have a logger and those below it write from *level* on; gives their names."""
        by.require(Role.ADMIN, f"set the level of logger {name}")
        names = self._loggers.set(name, level)
        if everywhere:
            self._set_logger_elsewhere(name, level)
        return names

    @abstractmethod
    def _set_logger_elsewhere(self, name: str, level: str) -> None:
        """Have other workers do the same."""
