"""The partitions of a topic, for `kmirror status FILE S->T TOPIC`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Group, RenderableType
from rich.text import Text

from kmirror.cli.exits import Exit
from kmirror.cli.rows import Rows
from kmirror.cli.terminal import complain, wide_console
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import open_clients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.errors import ClusterError, OrderRefused
from kmirror.inspect.partitions import PartitionOverview, survey_partitions
from kmirror.plans.partition_states import PartitionState

_COLOURS = {
    PartitionState.PARKED: "red",
    PartitionState.STOPPED: "red",
    PartitionState.WAITING: "red",
    PartitionState.PAUSED: "yellow",
    PartitionState.QUARANTINED: "yellow",
    PartitionState.INITIALIZING: "yellow",
}
_ILL = {
    PartitionState.PARKED,
    PartitionState.QUARANTINED,
    PartitionState.PAUSED,
    PartitionState.STOPPED,
    PartitionState.WAITING,
}


def show_partitions(config: FlowConfig, topic: str, *, as_json: bool) -> Exit:
    """
    Print what the partitions of a topic are at.

    Args:
        config: The flow.
        topic: A topic of its source.
        as_json: As one JSON object for each partition.

    Returns:
        The exit code: whether all of them are mirrored.
    """
    clock = SystemClock()
    clients = open_clients(config, clock, looks=True)
    try:
        config = with_readable_generations(config, clients)
        partitions = survey_partitions(config, clients, topic, clock)
    except OrderRefused as error:
        complain(str(error))
        return Exit.CONFIG
    except ClusterError as error:
        complain(f"{config.flow}: {error}")
        return Exit.START_FAILED
    finally:
        clients.close()
    if as_json:
        for each in partitions:
            print(json.dumps(asdict(each) | {"state": each.state.value}))
    else:
        wide_console().print(render_partitions(config, topic, partitions))
    is_whole = not any(each.state in _ILL for each in partitions)
    return Exit.OK if is_whole else Exit.INCOMPLETE


def render_partitions(
    config: FlowConfig, topic: str, partitions: Sequence[PartitionOverview]
) -> RenderableType:
    """Draw the partitions of a topic, and under them why some stand still."""
    copy = config.topic_selection().remote_topic(topic)
    head = Text.assemble((f"{config.flow}  ", "bold"), f"{topic}, copied to {copy}")
    columns = (">partition", "state", ">position", ">end", ">lag", ">safe to delete before")
    rows = [
        (
            str(each.partition.partition),
            each.state.value,
            f"{each.position:,}",
            _number(each.end),
            _number(each.lag_records),
            _number(each.safe_to_delete_before),
        )
        for each in partitions
    ]
    reasons = [
        Text(each.reason, style=_COLOURS.get(each.state, ""), overflow="fold")
        for each in partitions
        if each.reason
    ]
    return Group(head, Rows(columns, rows), *reasons, Text(""))


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
