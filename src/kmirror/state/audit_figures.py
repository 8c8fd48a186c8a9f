"""What is known of a flow's audit at the moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.wire.audit_windows import AuditVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFigures:
    """
    An audit in numbers.

    Args:
        windows: How many were compared since the process began, by verdict.
        records: How many source records.
        bytes: How much was read for it, of both sides.
        standing: How many windows differ, or cannot be decided, by topic and verdict: those that
            were found at any time and not audited again since.
        behind: Source offsets that are copied, and not audited yet.
        caught_up_ms: When everything that was copied was audited last, milliseconds since the
            epoch; 0 for never.
        safe: Below which source offset everything is committed on the target, and audited there.
    """

    windows: Mapping[AuditVerdict, int] = field(default_factory=dict)
    records: int = 0
    bytes: int = 0
    standing: Mapping[tuple[str, AuditVerdict], int] = field(default_factory=dict)
    behind: int = 0
    caught_up_ms: int = 0
    safe: Mapping[TopicPartition, int] = field(default_factory=dict)
