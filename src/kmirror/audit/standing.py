"""What audits have found of a flow, whether or not somebody audits it at the moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kmirror.audit.next_window import AuditFacts
from kmirror.audit.survey import survey_audit
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.audit_log import read_audit_book
from kmirror.ends.clients import FlowClients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.ends.discovery import Discovery
from kmirror.model import Flow, TopicPartition
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow
from kmirror.wire.audits import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionStanding:
    """
    How far one partition is audited.

    Args:
        facts: How far both sides are.
        audit: What is known identical; `None` while nothing was audited.
        safe: Below which source offset everything is committed on the target, and audited there;
            `None` while nothing is known to be.
    """

    facts: AuditFacts
    audit: Audit | None
    safe: int | None

    @property
    def audited_to(self) -> int | None:
        """Up to which source offset the continuous audit has come."""
        return None if self.facts.next is None else self.facts.next.source


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStanding:
    """
    What audits have found of a flow.

    Args:
        flow: The flow.
        read_ms: When that was read, milliseconds since the epoch.
        partitions: By partition, in their order; those that have begun.
        windows: Those that are kept, of the topics that are mirrored now.
    """

    flow: Flow
    read_ms: int
    partitions: tuple[PartitionStanding, ...]
    windows: tuple[AuditWindow, ...]

    @property
    def differences(self) -> tuple[AuditWindow, ...]:
        """The windows that differ."""
        return tuple(each for each in self.windows if each.verdict.is_difference)

    @property
    def counts(self) -> Mapping[AuditVerdict, int]:
        """How many windows have each verdict, of those that are kept."""
        return {
            verdict: sum(each.verdict is verdict for each in self.windows)
            for verdict in AuditVerdict
        }

    @property
    def behind(self) -> int:
        """How many source offsets are copied, and not audited."""
        return sum(each.facts.behind for each in self.partitions)


def flow_standing(
    config: FlowConfig, clients: FlowClients, clock: Clock, selects: Callable[[str], bool]
) -> FlowStanding:
    """
    Read what audits have written down, and how far the flow is; nothing is compared.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        selects: Which topics of the source.

    Raises:
        ClusterError: One of the clusters could not be asked, or the right to read is missing.
    """
    config = with_readable_generations(config, clients)
    mirrored = [
        each
        for each in Discovery(config, clients.source, clients.target, clock).present()
        if not each.merged and selects(each.source.topic)
    ]
    # Who may not read what was found would say that nothing was.
    book = read_audit_book(config, clients, clients.target.topics(), is_needed=True)
    survey = survey_audit(config, clients, mirrored, book)
    ids: dict[TopicPartition, tuple[str, str]] = {
        each.source: (each.topic_id, each.target_id) for each in mirrored
    }
    return FlowStanding(
        flow=config.flow,
        read_ms=clock.wall_ms(),
        partitions=tuple(
            PartitionStanding(
                facts=facts,
                audit=book.audit_of(facts.source, (facts.topic_id, facts.copy_id)),
                safe=survey.safe.get(facts.source),
            )
            for facts in sorted(survey.facts, key=lambda each: each.source)
        ),
        windows=tuple(
            window
            for window in book.all_windows()
            if ids.get(window.partition) == (window.topic_id, window.copy_id)
        ),
    )


def summary(found: FlowStanding) -> str:
    """Say in one line how a flow stands."""
    if not any(each.audit for each in found.partitions):
        return "nothing was audited yet"
    counts = [
        f"{count} {verdict.value}"
        for verdict, count in found.counts.items()
        if count and verdict is not AuditVerdict.IDENTICAL
    ]
    left = f"{found.behind:,} offsets are copied and not audited" if found.behind else "all audited"
    return f"{', '.join(counts) or 'nothing differs'}; {left}"


def plain(found: FlowStanding) -> dict[str, object]:
    """Return the same as JSON has it."""
    return {
        "flow": str(found.flow),
        "read_ms": found.read_ms,
        "windows_kept": {verdict.value: count for verdict, count in found.counts.items()},
        "behind": found.behind,
        "partitions": [
            {
                "source": str(each.facts.source),
                "target": str(each.facts.target),
                "position": each.facts.position.source,
                "audited_to": each.audited_to,
                "behind": each.facts.behind,
                "identical": [] if each.audit is None else [list(r) for r in each.audit.ranges],
                "safe_to_delete_before": each.safe,
                "at_ms": None if each.audit is None else each.audit.at_ms,
                "by": None if each.audit is None else each.audit.by,
            }
            for each in found.partitions
        ],
        "windows": [plain_window(each) for each in found.windows],
    }


def plain_window(window: AuditWindow) -> dict[str, object]:
    """Return a window as JSON has it."""
    return {
        "source": str(window.partition),
        "target": str(window.target),
        "start": window.start,
        "end": window.end,
        "copy_start": window.copy_start,
        "copy_end": window.copy_end,
        "verdict": window.verdict.value,
        "kind": window.kind,
        "offset": window.offset,
        "copy_offset": window.copy_offset,
        "words": window.words,
        "records": window.source.records,
        "copy_records": window.copy.records,
        "hash": window.source.hash,
        "copy_hash": window.copy.hash,
        "at_ms": window.at_ms,
        "by": window.by,
    }
