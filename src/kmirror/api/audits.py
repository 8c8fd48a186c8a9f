"""What the API says of audits: is what was copied the same on both sides?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror.wire.audit_windows import AuditVerdict


class Audited(StrEnum):
    """
    What is known of a flow, a topic or a partition: the worst of its windows.

    `NOTHING` is what nobody has compared yet, `UNKNOWN` what could not be asked.
    """

    DIFFERENT = "different"
    UNDECIDABLE = "undecidable"
    IDENTICAL = "identical"
    NOTHING = "not audited"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCounts:
    """
    How many windows that are kept have each verdict.

    Args:
        identical: The newest 256 of each partition; older ones are ranges of offsets.
        undecidable: It cannot be known whether they are the same.
        missing: The target lacks a record.
        extra: The target has a record that the source has not there.
        different: A record is another one, or at another place.
    """

    identical: int = 0
    undecidable: int = 0
    missing: int = 0
    extra: int = 0
    different: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditView:
    """
    How far a flow is audited, and what was found.

    Args:
        flow: `S->T`.
        verdict: What is known of it.
        words: The same for people.
        is_on: Whether the flow's driver audits it beside the copy.
        off_words: Why it does not, or to no use; empty when it does.
        as_of_ms: When that was read, milliseconds since the epoch; null when it could not be.
        last_ms: When something was compared last, milliseconds since the epoch; null for never.
        by: Who compared it; empty for nobody.
        windows: How many windows have each verdict.
        partitions: How many partitions can be audited.
        share: Of what the source holds and the flow has copied, how much was compared: 0 to 1; null
            when there is nothing.
        behind: Source offsets that are copied, and that the audit has not come to; null when not
            known.
        records_per_s, bytes_per_s: What was compared of each side in the last 15 minutes; null when
            nothing was ever.
        bytes_per_s_max: What it may read of each cluster; 0 for no limit.
        interval_s: How often it looks for what was copied since.
        caught_up_ms: When it had compared all that was copied, milliseconds since the epoch; null
            when only the driver could say, or it never had.
        has_report: Whether this console can write a report: `/audit/S->T/report.html`.
        is_signed: Whether it signs its reports.
        error: Why nothing is known; empty when all is well.
    """

    flow: str
    verdict: Audited
    words: str
    is_on: bool
    off_words: str = ""
    as_of_ms: int | None = None
    last_ms: int | None = None
    by: str = ""
    windows: WindowCounts = WindowCounts()
    partitions: int = 0
    share: float | None = None
    behind: int | None = None
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    bytes_per_s_max: int = 0
    interval_s: int = 0
    caught_up_ms: int | None = None
    has_report: bool = False
    is_signed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditList:
    """
    The audits of all flows, in the order of the file.

    Args:
        now_ms: The server's clock, milliseconds since the epoch.
        audits: They.
    """

    now_ms: int
    audits: tuple[AuditView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicAudit:
    """
    How far a topic is audited, and what was found.

    Args:
        flow: `S->T`.
        topic: On the source.
        copy: On the target.
        verdict: What is known of it.
        windows: How many windows have each verdict.
        partitions: How many partitions can be audited.
        share: How much of what is copied was compared: 0 to 1; null when there is nothing.
        behind: Source offsets that are copied, and that the audit has not come to.
        last_ms: When something was compared last, milliseconds since the epoch; null for never.
    """

    flow: str
    topic: str
    copy: str
    verdict: Audited
    windows: WindowCounts
    partitions: int
    share: float | None
    behind: int
    last_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicAuditList:
    """
    The audits of a flow's topics, the worst first.

    Args:
        as_of_ms: When they were read, milliseconds since the epoch.
        topics: They.
    """

    as_of_ms: int
    topics: tuple[TopicAudit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetRange:
    """
    Source offsets.

    Args:
        start, end: The first, and the one behind the last.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionAudit:
    """
    How far a partition is audited, and what was found.

    Args:
        topic, partition: On the source.
        copy: The topic on the target.
        verdict: What is known of it.
        log_start: What the source's log begins with.
        copied_to: Up to which source offset it is copied.
        audited_to: Up to which the audit has come; null before its first window.
        behind: What lies between.
        share: How much of what is copied was compared: 0 to 1; null when there is nothing.
        identical: What was found identical.
        windows: How many windows have each verdict.
        safe_to_delete_before: Below this source offset everything is committed on the target, and
            audited there; null while nothing is known to be.
        last_ms: When something was compared last, milliseconds since the epoch; null for never.
        why_not: Why both sides need not be equal; empty when they have to be.
    """

    topic: str
    partition: int
    copy: str
    verdict: Audited
    log_start: int
    copied_to: int
    audited_to: int | None
    behind: int
    share: float | None
    identical: tuple[OffsetRange, ...]
    windows: WindowCounts
    safe_to_delete_before: int | None
    last_ms: int | None
    why_not: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionAuditList:
    """
    The audits of a flow's partitions, the worst first.

    Args:
        as_of_ms: When they were read, milliseconds since the epoch.
        total: How many there are that were asked for.
        partitions: Those of them that are given.
    """

    as_of_ms: int
    total: int
    partitions: tuple[PartitionAudit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowView:
    """
    A range of source offsets that was compared with the same range of the copy.

    Args:
        topic, partition: On the source.
        copy: The topic on the target.
        start, end: The window on the source: its first offset, and the one behind its last.
        copy_start, copy_end: The same on the target.
        verdict: What it is.
        kind: What differs first: `key`, `value`, `headers`, `timestamp`, `missing`, `extra`,
            `record` or `reordered`; empty when nothing does.
        offset: The source offset of the first difference; null when the source has no record there.
        copy_offset: The same on the target.
        words: The same for people, or why it cannot be decided.
        records, copy_records: How many were read of both sides.
        bytes, copy_bytes: Of their keys and values.
        hash, copy_hash: Over all records of each side, in their order.
        at_ms: When it was compared, milliseconds since the epoch.
        by: Who did it.
    """

    topic: str
    partition: int
    copy: str
    start: int
    end: int
    copy_start: int
    copy_end: int
    verdict: AuditVerdict
    kind: str
    offset: int | None
    copy_offset: int | None
    words: str
    records: int
    copy_records: int
    bytes: int
    copy_bytes: int
    hash: str
    copy_hash: str
    at_ms: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowList:
    """
    Windows of a flow that are kept, those that differ first.

    Args:
        as_of_ms: When they were read, milliseconds since the epoch.
        total: How many there are that were asked for.
        windows: Those of them that are given.
    """

    as_of_ms: int
    total: int
    windows: tuple[WindowView, ...]
