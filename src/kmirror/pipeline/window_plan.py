"""
Windows of one cluster as the connector reads them: a JSON file.

The Java side is `io.kmirror.audit.WindowPlan`; its records have the same fields.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror.config.client_properties import ClientProperties
from kmirror.model import TopicPartition
from kmirror.pipeline.private_file import write_private


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRange:
    """
    A range of offsets of one partition.

    Args:
        number: Which of the windows that are read together it is.
        partition: The partition.
        start: Its first offset.
        end: The offset behind it.
    """

    number: int
    partition: TopicPartition
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSide:
    """
    What is read of one cluster.

    Args:
        name: Of the flow and the side, for people.
        consumer: Java client properties.
        windows: Those of a partition follow each other.
    """

    name: str
    consumer: ClientProperties
    windows: tuple[WindowRange, ...]


def write_window_plan(
    side: WindowSide, path: Path, *, tasks: int, bytes_per_second: int, timeout_s: float
) -> None:
    """
    Write the windows of one cluster; the file holds the client's secrets.

    Args:
        side: What is read.
        path: The file.
        tasks: How many tasks read it side by side, at most.
        bytes_per_second: How fast they read together; 0 for as fast as they can.
        timeout_s: How long a partition may give nothing, seconds.

    Raises:
        EnvironmentProblem: Others may write to its folder.
    """
    shares = _shares(side.windows, tasks)
    each_per_second = bytes_per_second // max(1, len(shares))
    fields = {
        "name": side.name,
        "consumer": side.consumer.reveal(),
        # 0 would be no limit.
        "bytes_per_second": max(1, each_per_second) if bytes_per_second else 0,
        "timeout_ms": int(timeout_s * 1000),
        "tasks": [[_window(each) for each in share] for share in shares],
    }
    write_private(path, json.dumps(fields))


def _shares(windows: Sequence[WindowRange], tasks: int) -> Sequence[Sequence[WindowRange]]:
    """Cut into parts that stay in order: windows that follow each other need no new seek."""
    size = -(-len(windows) // max(1, tasks))
    return [windows[at : at + size] for at in range(0, len(windows), max(1, size))]


def _window(window: WindowRange) -> dict[str, object]:
    return {
        "number": window.number,
        "topic": window.partition.topic,
        "partition": window.partition.partition,
        "start": window.start,
        "end": window.end,
    }
