"""Makes what audits a flow as long as it runs."""

from __future__ import annotations

from pathlib import Path

from kmirror.audit.auditor import Auditor
from kmirror.flows.parts import Parts
from kmirror.pipeline.engine import Engine
from kmirror.pipeline.window_hashes import WindowHashes


def auditor_of(parts: Parts, engine: Engine, folder: Path, *, bounded: bool) -> Auditor:
    """
    Return the auditor of a generation; it has not begun yet.

    Args:
        parts: What the generation works with.
        engine: Spark, which reads.
        folder: The flow's own, for the files that tell Spark's tasks what to read.
        bounded: The flow ends by itself.
    """
    hashes = WindowHashes(
        engine.spark,
        folder,
        name=str(parts.config.flow),
        tasks=1,
        timeout_s=parts.config.admin_timeout_s,
    )
    return Auditor(
        parts.config,
        parts.clients,
        hashes,
        meter=parts.meter,
        throttle=parts.throttle,
        clock=parts.clock,
        bounded=bounded,
    )
