"""What a process with flows is for."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
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
        by_record: It does something with each single record, or nobody knows yet.
        bounded: Flows copy what is there, then end.
        stays: It runs until it is stopped, with or without flows; otherwise it ends with the last.
    """

    app: str
    slots: int
    master: str | None
    spark: Mapping[str, Secret]
    by_record: bool = True
    bounded: bool = False
    stays: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverOptions:
    """
    What the command line says.

    Args:
        master: A Spark master URL; `None` runs everything in this process.
        until_caught_up: Copy what is there, then end.
    """

    master: str | None = None
    until_caught_up: bool = False


def shares_flows(config: MirrorConfig, options: DriverOptions) -> bool:
    """Whether nodes share the flows; a bounded copy is one process's work."""
    return config.nodes is not None and not options.until_caught_up


def driver_host(config: MirrorConfig, options: DriverOptions) -> HostOptions:
    """Return what a driver's host is for."""
    return HostOptions(
        app="kmirror " + " ".join(str(flow.flow) for flow in config.flows),
        slots=slot_count(config.flows),
        master=options.master,
        spark=dict(config.spark),
        by_record=any(flow.audit.enabled or not flow.whole_batches for flow in config.flows),
        bounded=options.until_caught_up,
        stays=shares_flows(config, options),
    )


def process_name() -> str:
    """Name this process, as answers to orders do."""
    return f"{platform.node()}:{os.getpid()}"


def slot_count(flows: Iterable[FlowConfig]) -> int:
    """Return how many Spark tasks side by side these flows have."""
    return sum(map(slots_of, flows))


def slots_of(flow: FlowConfig) -> int:
    """Return how many Spark tasks side by side a flow has, by its settings or by this machine."""
    return flow.slots or max(1, min(_SLOTS_DEFAULT_MAX, (os.cpu_count() or 1) // 2))
