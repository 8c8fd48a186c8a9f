"""Where an operator sees what the settings of flows come to, and what would change them."""

from __future__ import annotations

from typing import Protocol

from kmirror.api.config import FileChanges, FileView, FlowSettings
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorLines


class SettingsFile(Protocol):
    """What flows are made of: `ConfigFile` answers for a properties file, `ConnectorsFile` else."""

    @property
    def of_connectors(self) -> bool:
        """Whether flows come from connectors, which are changed over Connect's REST API."""
        ...

    def file(self) -> FileView:
        """Return what holds for the process, and what is doubtful."""
        ...

    def flow(self, flow: FlowConfig) -> FlowSettings:
        """Return the settings of a flow."""
        ...

    def changes(self) -> FileChanges:
        """Return what differs on disk; raises EnvironmentProblem where that cannot be read here."""
        ...

    def lines(self, flow: FlowConfig) -> MirrorLines:
        """Return the lines that a flow comes from; raises EnvironmentProblem without them."""
        ...
