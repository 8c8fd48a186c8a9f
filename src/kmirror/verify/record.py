"""What of a comparison is written down: what was found identical, and what was not; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.model import TopicPartition
from kmirror.plans.audit_book import AuditBook
from kmirror.verify.result import PartitionResult, Verdict, VerifyReport
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow, Hashed
from kmirror.wire.audits import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """
    What is known of partitions after a comparison.

    Args:
        audits: What is identical.
        windows: What differs: all that was compared of a partition is one window.
        gone: The keys of windows that say nothing any more.
    """

    audits: tuple[Audit, ...] = ()
    windows: tuple[AuditWindow, ...] = ()
    gone: tuple[bytes, ...] = ()


def recorded(
    report: VerifyReport,
    ids: Mapping[TopicPartition, tuple[str, str]],
    known: AuditBook,
    *,
    at_ms: int,
    by: str,
) -> Recorded:
    """
    Return what is known of partitions after a comparison.

    Args:
        report: What was found.
        ids: The ids of topic and copy, by source partition, where both were the same before and
            after the comparison.
        known: What was known before.
        at_ms: When that was, milliseconds since the epoch.
        by: Who compared.
    """
    audits: list[Audit] = []
    windows: list[AuditWindow] = []
    gone: list[bytes] = []
    for result in report.partitions:
        if result.source not in ids or result.error:
            continue
        audit = _audit(result, ids[result.source], known, at_ms=at_ms, by=by)
        if audit.ranges or result.source in known.audits:
            audits.append(audit)
        if result.verdict is Verdict.DIFFERENT and result.difference is not None:
            windows.append(_window(result, audit))
        kept = {window.key for window in windows}
        gone += [
            window.key
            for window in known.windows(result.source)
            if window.key not in kept and _is_answered(window, result, audit)
        ]
    return Recorded(audits=tuple(audits), windows=tuple(windows), gone=tuple(gone))


def _audit(
    result: PartitionResult, ids: tuple[str, str], known: AuditBook, *, at_ms: int, by: str
) -> Audit:
    """Return what is identical; a difference takes back all that was found before it."""
    before = known.audit_of(result.source, ids)
    audit = Audit(
        partition=result.source,
        topic_id=ids[0],
        copy_id=ids[1],
        ranges=before.ranges if before is not None and result.audited else (),
        at_ms=at_ms,
        by=by,
        # Where the continuous audit goes on does not depend on this one.
        next=None if before is None else before.next,
    )
    return audit.with_range(*result.audited) if result.audited else audit


def _window(result: PartitionResult, audit: Audit) -> AuditWindow:
    difference = result.difference
    assert difference is not None, "there is one"
    offset = difference.source_offset
    start, end = result.compared or (offset or 0, (offset or 0) + 1)
    copy_at = difference.target_offset or 0
    return AuditWindow(
        partition=result.source,
        target=result.target,
        topic_id=audit.topic_id,
        copy_id=audit.copy_id,
        start=start,
        end=end,
        copy_start=copy_at,
        copy_end=copy_at,
        verdict=AuditVerdict.of_kind(difference.kind),
        source=Hashed(records=result.source_records, hash=result.source_hash),
        copy=Hashed(records=result.target_records, hash=result.target_hash),
        kind=difference.kind,
        offset=offset,
        copy_offset=difference.target_offset,
        words=difference.words,
        at_ms=audit.at_ms,
        by=audit.by,
    )


def _is_answered(window: AuditWindow, result: PartitionResult, audit: Audit) -> bool:
    """Whether a window that was known before says nothing any more."""
    if (window.topic_id, window.copy_id) != (audit.topic_id, audit.copy_id):
        return True
    if result.audited is None:
        return result.difference is not None
    start, end = result.audited
    is_open = window.verdict is not AuditVerdict.IDENTICAL
    return is_open and start <= window.start and window.end <= end
