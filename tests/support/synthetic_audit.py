"""Audits that nobody made, with everything that one could have found."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.audit.next_window import AuditFacts
from kmirror.audit.standing import FlowStanding, PartitionStanding
from kmirror.model import Flow, TopicPartition
from kmirror.offsets.exact import Pair
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow, Hashed
from kmirror.wire.audits import Audit

WINDOW = 1000
"""How many offsets each window has."""


def audited(
    flow: Flow, of: dict[TopicPartition, Sequence[AuditVerdict]], *, now_ms: int, words: str = ""
) -> FlowStanding:
    """
    Give a flow whose partitions have a window for each verdict, and one that nobody has compared.

    Args:
        flow: Which one.
        of: Verdicts in the order of offsets, by partition.
        now_ms: When it is read; windows are one second apart before that.
        words: What is said of windows that are not identical.
    """
    windows = [
        _window(partition, number, verdict, now_ms - 1000 * (len(verdicts) - number), words)
        for partition, verdicts in of.items()
        for number, verdict in enumerate(verdicts)
    ]
    return FlowStanding(
        flow=flow,
        read_ms=now_ms,
        partitions=tuple(
            _partition(partition, [each for each in windows if each.partition == partition])
            for partition in sorted(of)
        ),
        windows=tuple(windows),
    )


def _partition(partition: TopicPartition, windows: Sequence[AuditWindow]) -> PartitionStanding:
    end = WINDOW * len(windows)
    audit = Audit(
        partition=partition,
        topic_id="s",
        copy_id="c",
        ranges=(),
        at_ms=max((each.at_ms for each in windows), default=0),
        by="ann@host",
    )
    for window in windows:
        if window.verdict is AuditVerdict.IDENTICAL:
            audit = audit.with_range(window.start, window.end)
    facts = AuditFacts(
        source=partition,
        target=TopicPartition(f"A.{partition.topic}", partition.partition),
        topic_id="s",
        copy_id="c",
        log_start=0,
        copy_log_start=0,
        position=Pair(source=end + WINDOW, target=end + WINDOW),
        next=Pair(source=end, target=end) if windows else None,
    )
    safe = audit.end_of(0)
    return PartitionStanding(facts=facts, audit=audit if windows else None, safe=safe)


def _window(
    partition: TopicPartition, number: int, verdict: AuditVerdict, at_ms: int, words: str
) -> AuditWindow:
    start = WINDOW * number
    read = Hashed(records=WINDOW, bytes=100 * WINDOW, hash="ab", content_hash="cd")
    return AuditWindow(
        partition=partition,
        target=TopicPartition(f"A.{partition.topic}", partition.partition),
        topic_id="s",
        copy_id="c",
        start=start,
        end=start + WINDOW,
        copy_start=start,
        copy_end=start + WINDOW,
        verdict=verdict,
        source=read,
        copy=read,
        kind=_KINDS.get(verdict, ""),
        offset=None if verdict is AuditVerdict.EXTRA else start + 7,
        copy_offset=None if verdict is AuditVerdict.MISSING else start + 8,
        words="" if verdict is AuditVerdict.IDENTICAL else words,
        at_ms=at_ms,
        by="ann@host",
    )


_KINDS = {
    AuditVerdict.MISSING: "missing",
    AuditVerdict.EXTRA: "extra",
    AuditVerdict.DIFFERENT: "value",
}
