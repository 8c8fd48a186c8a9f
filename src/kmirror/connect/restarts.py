"""What a request to restart restarts (KIP-745); pure."""

from __future__ import annotations

from dataclasses import replace

from kmirror.connect.model import ConnectorStatus, Status, WorkerState
from kmirror.wire.connect_configs import RestartRequest


def marked(status: ConnectorStatus, request: RestartRequest) -> ConnectorStatus:
    """
    Return a status in which all that restarts is RESTARTING.

    Args:
        status: What the connector does now.
        request: What somebody wants.
    """

    def mark(each: Status) -> Status:
        if request.only_failed and each.state is not WorkerState.FAILED:
            return each
        return replace(each, state=WorkerState.RESTARTING, trace="")

    tasks = tuple(map(mark, status.tasks)) if request.include_tasks else status.tasks
    return replace(status, connector=mark(status.connector), tasks=tasks)
