"""What is known of all audits of a flow: the topic `wire.audits` as it is read; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kmirror.model import TopicPartition
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow, decode_window, window_place
from kmirror.wire.audits import Audit, audit_place, decode_audit

KEPT_WINDOWS_MAX = 256
"""So many identical windows of a partition are kept, the newest; the others are in its ranges."""


class AuditBook:
    """Audits and windows, by source partition."""

    def __init__(self) -> None:
        self._audits: dict[TopicPartition, Audit] = {}
        self._windows: dict[TopicPartition, dict[int, AuditWindow]] = {}

    def take(self, key: bytes | None, value: bytes | None) -> None:
        """Take a record of the topic."""
        if (place := window_place(key)) is not None:
            partition, start = place
            window = decode_window(key, value)
            if window is not None:
                self._windows.setdefault(partition, {})[start] = window
            elif value is None:
                self._windows.get(partition, {}).pop(start, None)
        elif (audit := decode_audit(key, value)) is not None:
            self._audits[audit.partition] = audit
        elif value is None and (gone := audit_place(key)) is not None:
            self._audits.pop(gone, None)

    @property
    def audits(self) -> Mapping[TopicPartition, Audit]:
        """What was found identical, by source partition."""
        return self._audits

    def audit_of(self, partition: TopicPartition, ids: tuple[str, str]) -> Audit | None:
        """Return what is known of a partition, if it is known of these topics."""
        found = self._audits.get(partition)
        same = found is not None and (found.topic_id, found.copy_id) == ids
        return found if same else None

    def windows(self, partition: TopicPartition) -> Sequence[AuditWindow]:
        """Return its windows, in the order of their offsets."""
        return [window for _, window in sorted(self._windows.get(partition, {}).items())]

    def all_windows(self) -> Sequence[AuditWindow]:
        """Return the windows of all partitions."""
        return [each for partition in sorted(self._windows) for each in self.windows(partition)]

    def differences(self) -> Sequence[AuditWindow]:
        """Return the windows that differ, and stand."""
        return [window for window in self.all_windows() if window.verdict.is_difference]

    def replaced(self, audit: Audit, windows: Iterable[AuditWindow]) -> tuple[Audit, list[bytes]]:
        """
        Say what becomes of a partition with new windows.

        Args:
            audit: What is known of it; of the same topics.
            windows: The new ones, in order.

        Returns:
            What is known from then on, and the keys of windows that go.
        """
        news = list(windows)
        for window in news:
            if window.verdict is AuditVerdict.IDENTICAL:
                audit = audit.with_range(window.start, window.end)
            else:
                audit = audit.without_range(window.start, window.end)
        if news:
            last = news[-1]
            audit = replace(audit, next=(last.end, last.copy_end), at_ms=last.at_ms, by=last.by)
        starts = {window.start for window in news}
        old = [each for each in self.windows(audit.partition) if each.start not in starts]
        gone = [each for each in old if _is_void(each, audit, news)]
        kept = [each for each in old if each not in gone]
        identical = [
            each.start for each in (*kept, *news) if each.verdict is AuditVerdict.IDENTICAL
        ]
        too_old = set(sorted(identical)[:-KEPT_WINDOWS_MAX])
        gone += [each for each in kept if each.start in too_old]
        return audit, [each.key for each in gone]


def _is_void(window: AuditWindow, audit: Audit, news: Sequence[AuditWindow]) -> bool:
    """Whether a window is of other topics, or of offsets that were compared anew."""
    if (window.topic_id, window.copy_id) != (audit.topic_id, audit.copy_id):
        return True
    return any(new.start < window.end and window.start < new.end for new in news)
