"""Takes from copies what DeleteRecords or retention took from the source's beginnings."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery, Mirrored
from kmirror.ends.flow_ends import open_ends
from kmirror.ends.translation import translator_from_outside
from kmirror.errors import MirrorError
from kmirror.plans.log_starts import (
    LogStart,
    LogStartFacts,
    LogStartPlan,
    UnknownStart,
    plan_log_starts,
)
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import decode_position


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStartSurvey:
    """A plan, and all that is known of partitions whose beginnings are gone."""

    plan: LogStartPlan = field(default_factory=LogStartPlan)
    facts: tuple[LogStartFacts, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStartFailure:
    """A copy that keeps its beginning, and why."""

    start: LogStart
    error: MirrorError

    def __str__(self) -> str:
        return f"{self.start.target}: {self.error}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStartOutcome:
    """What became of a `LogStartPlan`."""

    trimmed: tuple[LogStart, ...] = ()
    failed: tuple[LogStartFailure, ...] = ()
    unknown: tuple[UnknownStart, ...] = ()


def survey_log_starts(
    config: FlowConfig,
    clients: FlowClients,
    clock: Clock,
    *,
    seen: Collection[LogStartFacts] = (),
) -> LogStartSurvey:
    """
    Look where logs and copies begin, and decide what goes; nothing is deleted.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        seen: What need not be looked up again.

    Raises:
        ClusterError: One of the clusters could not be asked.
    """
    if not config.sync_log_start or config.policy.merges:
        return LogStartSurvey()
    mirrored = Discovery(config, clients.source, clients.target, clock).present()
    facts = _facts(config, clients, mirrored)
    new = [each for each in facts if each not in seen]
    if not new:
        return LogStartSurvey(facts=tuple(facts))
    wanted = {each.source for each in new}
    with ExitStack() as opened:
        ends = open_ends(opened, config, clients, timeout_s=config.admin_timeout_s, clock=clock)
        translator = translator_from_outside(config, ends)
        translator.follow([each for each in mirrored if each.source in wanted])
        translator.settle(lambda: [translator.to_target(each.source, each.wanted) for each in new])
        plan = plan_log_starts(new, translator.to_target, translator.why_unknown)
    return LogStartSurvey(plan=plan, facts=tuple(facts))


def _facts(
    config: FlowConfig, clients: FlowClients, mirrored: tuple[Mirrored, ...]
) -> list[LogStartFacts]:
    """Read what decides; a partition whose position is another topic's is left out."""
    # First the positions: what is copied meanwhile only makes them too small.
    positions = clients.target.group_positions(
        position_group(config.flow), [each.position for each in mirrored]
    )
    known = [each for each in mirrored if is_position_of(positions.get(each.position), each)]
    starts = clients.source.offsets([each.source for each in known], "earliest", partial=True)
    begun = [each for each in known if starts.get(each.source, 0) > 0]
    copies = clients.target.offsets([each.target for each in begun], "earliest", partial=True)
    return [
        LogStartFacts(
            source=each.source,
            target=each.target,
            source_start=starts[each.source],
            target_start=copies[each.target],
            wanted=min(starts[each.source], positions[each.position].offset),
        )
        for each in begun
        if each.target in copies and positions[each.position].offset > 0
    ]


def is_position_of(position: GroupPosition | None, mirrored: Mirrored) -> bool:
    """Return whether a position is of these two topics, and of no others of their names."""
    metadata = decode_position(position.metadata) if position is not None else None
    if metadata is None or metadata.target_recreated or metadata.lost_from is not None:
        return False
    return (
        bool(metadata.topic_id and metadata.target_id)
        and metadata.topic_id == mirrored.topic_id
        and metadata.target_id == mirrored.target_id
    )


def apply_log_starts(clients: FlowClients, plan: LogStartPlan) -> LogStartOutcome:
    """
    Delete what a plan names.

    Args:
        clients: The flow's clients.
        plan: What to do.

    Raises:
        ClusterError: The target could not be asked at all.
    """
    wanted = {each.target: each.before for each in plan.trim}
    failed = clients.target.delete_records(wanted) if wanted else {}
    return LogStartOutcome(
        trimmed=tuple(each for each in plan.trim if each.target not in failed),
        failed=tuple(
            LogStartFailure(start=each, error=failed[each.target])
            for each in plan.trim
            if each.target in failed
        ),
        unknown=plan.unknown,
    )
