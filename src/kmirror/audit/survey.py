"""Reads what decides which windows are to be compared; writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kmirror.audit.next_window import AuditFacts
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.ends.log_starts import is_position_of
from kmirror.model import TopicPartition
from kmirror.offsets.exact import Pair
from kmirror.plans.audit_book import AuditBook
from kmirror.plans.audits import safe_to_delete_before
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import decode_position

LOOKS_INSIDE = "the flow changes or drops records, so both sides differ by intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSurvey:
    """
    What is there to audit.

    Args:
        facts: Of the partitions that can be audited.
        safe: Below which source offsets everything is committed on the target, and audited there.
    """

    facts: tuple[AuditFacts, ...]
    safe: Mapping[TopicPartition, int]

    @property
    def behind(self) -> int:
        """How many source offsets are copied, and not audited."""
        return sum(facts.behind for facts in self.facts)


def survey_audit(
    config: FlowConfig,
    clients: FlowClients,
    mirrored: Sequence[Mirrored],
    book: AuditBook,
    *,
    again: bool = False,
) -> AuditSurvey:
    """
    Look how far partitions are copied, and how far they are audited.

    Args:
        config: The flow.
        clients: Its clients.
        mirrored: The partitions that matter.
        book: What audits found so far.
        again: Everything is audited anew, from what sources begin with on.

    Raises:
        ClusterError: One of the clusters could not be asked.
    """
    # First the positions: what is copied meanwhile only makes them too small.
    positions = clients.target.group_positions(
        position_group(config.flow), [each.position for each in mirrored]
    )
    known = [each for each in mirrored if is_position_of(positions.get(each.position), each)]
    starts = clients.source.offsets([each.source for each in known], "earliest", partial=True)
    copies = clients.target.offsets([each.target for each in known], "earliest", partial=True)
    facts: list[AuditFacts] = []
    safe: dict[TopicPartition, int] = {}
    for each in known:
        if each.source not in starts or each.target not in copies:
            continue
        position = positions[each.position]
        metadata = decode_position(position.metadata)
        assert metadata is not None, "it names both topics"
        ids = each.topic_id, each.target_id
        audit = book.audit_of(each.source, ids)
        offset = safe_to_delete_before(audit, position, log_start=starts[each.source], ids=ids)
        if offset is not None:
            safe[each.source] = offset
        goes_on = None if audit is None or again else audit.next
        facts.append(
            AuditFacts(
                source=each.source,
                target=each.target,
                topic_id=each.topic_id,
                copy_id=each.target_id,
                log_start=starts[each.source],
                copy_log_start=copies[each.target],
                position=Pair(source=position.offset, target=metadata.target_offset),
                next=None if goes_on is None else Pair(source=goes_on[0], target=goes_on[1]),
                why_not=LOOKS_INSIDE if config.looks_inside_records else "",
            )
        )
    return AuditSurvey(facts=tuple(facts), safe=safe)
