"""What a process with flows is for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kmirror.config.flows import FlowConfig
from kmirror.config.secret import Secret

_SLOTS_DEFAULT_MAX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """
    What a host is for.

    Args:
        app: What Spark calls the process.
        slots: Tasks that will run at the same time: all flows' slots together.
        master: A Spark master URL; `None` runs everything in this process.
        spark: The operator's own `spark.*` settings.
        bounded: Flows copy what is there, then end.
        stays: It runs until it is stopped, with or without flows; otherwise it ends with the last.
    """

    app: str
    slots: int
    master: str | None
    spark: Mapping[str, Secret]
    bounded: bool = False
    stays: bool = False


def slot_count(flows: Iterable[FlowConfig]) -> int:
    """Return how many Spark tasks side by side these flows have."""
    return sum(map(slots_of, flows))


def slots_of(flow: FlowConfig) -> int:
    """Return how many Spark tasks side by side a flow has, by its settings or by this machine."""
    return flow.slots or max(1, min(_SLOTS_DEFAULT_MAX, (os.cpu_count() or 1) // 2))
