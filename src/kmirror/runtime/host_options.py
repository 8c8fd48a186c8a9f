"""What a process with flows is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.config.secret import Secret


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
