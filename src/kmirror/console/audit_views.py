"""What audits have found of a flow, as the API says it; pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kmirror.api.audits import (
    Audited,
    OffsetRange,
    PartitionAudit,
    TopicAudit,
    WindowCounts,
    WindowView,
)
from kmirror.audit.standing import FlowStanding, PartitionStanding
from kmirror.model import TopicPartition
from kmirror.plans.audit_book import KEPT_WINDOWS_MAX
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow

_RATE_MS = 15 * 60 * 1000
_WORST_FIRST = tuple(Audited)
_ORDER = (
    *(AuditVerdict.MISSING, AuditVerdict.EXTRA, AuditVerdict.DIFFERENT),
    *(AuditVerdict.UNDECIDABLE, AuditVerdict.IDENTICAL),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """
    How fast something was compared.

    Args:
        records_per_s, bytes_per_s: Of each side.
    """

    records_per_s: float
    bytes_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditViews:
    """
    A flow's audit.

    Args:
        partitions: By partition, the worst first.
        topics: By topic, the worst first.
        windows: Those that are kept, those that differ first.
        by_partition: The same, by partition.
        counts: How many of them have each verdict.
        last: The window or partition that was compared last: when, milliseconds since the epoch,
            and by whom; `None` when nothing ever was.
        share: How much of what is copied was compared: 0 to 1; `None` when there is nothing.
        rate: How fast that goes; `None` when nothing was ever compared.
    """

    partitions: tuple[PartitionAudit, ...]
    topics: tuple[TopicAudit, ...]
    windows: tuple[AuditWindow, ...]
    by_partition: Mapping[TopicPartition, Sequence[AuditWindow]]
    counts: WindowCounts
    last: tuple[int, str] | None
    share: float | None
    rate: Rate | None

    @property
    def verdict(self) -> Audited:
        """What is known of the flow: the worst of its partitions, and of the windows kept."""
        kept = verdict_of(self.counts, is_audited=False)
        return _worst([kept, *(each.verdict for each in self.topics)])


def audit_views(found: FlowStanding) -> AuditViews:
    """
    Return what was found.

    Args:
        found: As it was read.
    """
    by_partition: dict[TopicPartition, list[AuditWindow]] = defaultdict(list)
    for window in found.windows:
        by_partition[window.partition].append(window)
    shares = {
        each.facts.source: _compared(each, by_partition[each.facts.source])
        for each in found.partitions
    }
    partitions = [
        _partition(each, by_partition[each.facts.source], shares[each.facts.source])
        for each in found.partitions
    ]
    partitions.sort(key=lambda each: (*_severity(each), each.topic, each.partition))
    compared = [
        *((each.audit.at_ms, each.audit.by) for each in found.partitions if each.audit),
        *((each.at_ms, each.by) for each in found.windows),
    ]
    return AuditViews(
        partitions=tuple(partitions),
        topics=_topics(found, partitions, shares),
        windows=tuple(
            sorted(
                found.windows,
                key=lambda each: (_ORDER.index(each.verdict), each.partition, each.start),
            )
        ),
        by_partition=by_partition,
        counts=counts_of(window.verdict for window in found.windows),
        last=max(compared, default=None),
        share=_share(shares.values()),
        rate=_rate(found, by_partition),
    )


def counts_of(windows: Iterable[AuditVerdict]) -> WindowCounts:
    """
    Count windows.

    Args:
        windows: Their verdicts.
    """
    counted = Counter(windows)
    return WindowCounts(**{verdict.value: counted[verdict] for verdict in AuditVerdict})


def verdict_of(windows: WindowCounts, *, is_audited: bool) -> Audited:
    """
    Return the worst of some windows.

    Args:
        windows: How many have each verdict.
        is_audited: Whether something was compared, as windows that are not kept were.
    """
    if windows.missing or windows.extra or windows.different:
        return Audited.DIFFERENT
    if windows.undecidable:
        return Audited.UNDECIDABLE
    return Audited.IDENTICAL if windows.identical or is_audited else Audited.NOTHING


def _worst(verdicts: Iterable[Audited]) -> Audited:
    # What nobody has compared is not as good as what is identical, but makes nothing else worse.
    known = sorted(verdicts, key=_WORST_FIRST.index)
    return known[0] if known else Audited.NOTHING


def _severity(each: PartitionAudit | TopicAudit) -> tuple[int, int]:
    return _WORST_FIRST.index(each.verdict), -each.behind


def _partition(
    each: PartitionStanding, windows: Sequence[AuditWindow], share: tuple[int, int]
) -> PartitionAudit:
    facts, audit = each.facts, each.audit
    counts = counts_of(window.verdict for window in windows)
    ranges = () if audit is None else audit.ranges
    return PartitionAudit(
        topic=facts.source.topic,
        partition=facts.source.partition,
        copy=facts.target.topic,
        verdict=verdict_of(counts, is_audited=bool(ranges)),
        log_start=facts.log_start,
        copied_to=facts.position.source,
        audited_to=each.audited_to,
        behind=facts.behind,
        share=_share([share]),
        identical=tuple(OffsetRange(start=start, end=end) for start, end in ranges),
        windows=counts,
        safe_to_delete_before=each.safe,
        last_ms=_last_ms(audit.at_ms if audit else None, windows),
        why_not=facts.why_not,
    )


def _last_ms(at_ms: int | None, windows: Sequence[AuditWindow]) -> int | None:
    known = [each.at_ms for each in windows]
    return max(known if at_ms is None else [*known, at_ms], default=None)


def _topics(
    found: FlowStanding,
    partitions: Sequence[PartitionAudit],
    shares: dict[TopicPartition, tuple[int, int]],
) -> tuple[TopicAudit, ...]:
    by_topic: dict[str, list[PartitionAudit]] = defaultdict(list)
    for each in partitions:
        by_topic[each.topic].append(each)
    topics = [
        TopicAudit(
            flow=str(found.flow),
            topic=topic,
            copy=parts[0].copy,
            verdict=_worst(each.verdict for each in parts),
            windows=_sum(each.windows for each in parts),
            partitions=len(parts),
            share=_share(shares[TopicPartition(topic, each.partition)] for each in parts),
            behind=sum(each.behind for each in parts),
            last_ms=max((each.last_ms for each in parts if each.last_ms is not None), default=None),
        )
        for topic, parts in by_topic.items()
    ]
    return tuple(sorted(topics, key=lambda each: (*_severity(each), each.topic)))


def _sum(counts: Iterable[WindowCounts]) -> WindowCounts:
    total: Counter[str] = Counter()
    for each in counts:
        for verdict in AuditVerdict:
            total[verdict.value] += getattr(each, verdict.value)
    return WindowCounts(**total)


def _compared(each: PartitionStanding, windows: Sequence[AuditWindow]) -> tuple[int, int]:
    """Return how many source offsets are copied and there, and how many of them were compared."""
    begin, end = each.facts.log_start, each.facts.position.source
    ranges = () if each.audit is None else each.audit.ranges
    decided = (each for each in windows if each.verdict is not AuditVerdict.UNDECIDABLE)
    spans = sorted([*ranges, *((window.start, window.end) for window in decided)])
    compared, reached = 0, begin
    for start, stop in spans:
        until = min(stop, end)
        compared += max(0, until - max(start, reached))
        reached = max(reached, until)
    return max(0, end - begin), compared


def _share(shares: Iterable[tuple[int, int]]) -> float | None:
    known = list(shares)
    total = sum(copied for copied, _ in known)
    return sum(compared for _, compared in known) / total if total else None


def _rate(
    found: FlowStanding, by_partition: dict[TopicPartition, list[AuditWindow]]
) -> Rate | None:
    """Return what was compared lately; only of a time of which every window is kept."""
    if not found.windows:
        return None
    from_ms = found.read_ms - _RATE_MS
    for windows in by_partition.values():
        kept = [each.at_ms for each in windows if each.verdict is AuditVerdict.IDENTICAL]
        if len(kept) >= KEPT_WINDOWS_MAX:
            from_ms = max(from_ms, min(kept))
    lately = [each for each in found.windows if each.at_ms > from_ms]
    passed_s = max(1, found.read_ms - from_ms) / 1000
    return Rate(
        records_per_s=sum(each.source.records for each in lately) / passed_s,
        bytes_per_s=sum(each.source.bytes for each in lately) / passed_s,
    )


def window_view(each: AuditWindow) -> WindowView:
    """
    Return a window.

    Args:
        each: As it is written down.
    """
    return WindowView(
        topic=each.partition.topic,
        partition=each.partition.partition,
        copy=each.target.topic,
        start=each.start,
        end=each.end,
        copy_start=each.copy_start,
        copy_end=each.copy_end,
        verdict=each.verdict,
        kind=each.kind,
        offset=each.offset,
        copy_offset=each.copy_offset,
        words=each.words,
        records=each.source.records,
        copy_records=each.copy.records,
        bytes=each.source.bytes,
        copy_bytes=each.copy.bytes,
        hash=each.source.hash,
        copy_hash=each.copy.hash,
        at_ms=each.at_ms,
        by=each.by,
    )
