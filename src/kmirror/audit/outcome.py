"""What an audit has found since it began, for status, metrics and logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow


@dataclass(slots=True)
class AuditTally:
    """What was compared since the process began."""

    windows: Counter[AuditVerdict] = field(default_factory=Counter)
    records: int = 0
    bytes: int = 0

    def add(self, windows: Iterable[AuditWindow]) -> None:
        """Count windows."""
        for window in windows:
            self.windows[window.verdict] += 1
            self.records += window.source.records
            self.bytes += window.source.bytes + window.copy.bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditStep:
    """
    What was found by reading some windows.

    Args:
        windows: With their verdicts.
        troubles: Why others could not be compared, by source partition; they are tried again.
    """

    windows: tuple[AuditWindow, ...] = ()
    troubles: Mapping[TopicPartition, str] = field(default_factory=dict)
