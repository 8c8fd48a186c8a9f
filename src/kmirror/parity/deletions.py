"""Does what a flow's file wants done with copies whose topics were deleted on the source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.deletion_log import DeletionLog, open_deletion_log, read_deletions
from kmirror.ends.deletion_survey import survey_deletions, told_twice
from kmirror.events.deletions import (
    COPY_DELETED,
    COPY_KEPT,
    SOURCE_TOPIC_BACK,
    SOURCE_TOPIC_DELETED,
)
from kmirror.events.emit import emit
from kmirror.plans.deletions import DeletionPlan, DueDeletion, LeftCopy
from kmirror.wire.deletions import GoneTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionOutcome:
    """
    What became of a `DeletionPlan`.

    Args:
        noted: Topics that are written down as gone now.
        back: Topics that are forgotten, because they are there again.
        deleted: Copies that were deleted.
        left: What stays by the plan, and why.
        failed: What was to be done and was not, and why.
    """

    noted: tuple[GoneTopic, ...] = ()
    back: tuple[GoneTopic, ...] = ()
    deleted: tuple[DueDeletion, ...] = ()
    left: tuple[LeftCopy, ...] = ()
    failed: tuple[LeftCopy, ...] = ()


def apply_deletions(
    source: ClusterAdmin,
    target: ClusterAdmin,
    log: DeletionLog,
    plan: DeletionPlan,
    *,
    now_ms: int,
) -> DeletionOutcome:
    """
    Do what a plan says. What is gone is written down before anything is deleted.

    Args:
        source, target: Control planes.
        log: Where it is written down.
        plan: What to do.
        now_ms: The time, milliseconds since the epoch.

    Raises:
        ClusterError: One of the clusters could not be asked; what was done is written down.
    """
    if plan.source is not None or plan.note:
        log.write([*filter(None, [plan.source]), *plan.note])
    if plan.back:
        log.forget(gone.topic for gone in plan.back)
    deleted, failed = list[DueDeletion](), list[LeftCopy]()
    for due in plan.delete:
        problem = _delete(source, target, due.gone)
        if problem:
            failed.append(LeftCopy(topic=due.gone.topic, why=problem))
            continue
        deleted.append(due)
        log.write([replace(due.gone, deleted_ms=now_ms)])
    return DeletionOutcome(
        noted=plan.note,
        back=plan.back,
        deleted=tuple(deleted),
        left=plan.left,
        failed=tuple(failed),
    )


def _delete(source: ClusterAdmin, target: ClusterAdmin, gone: GoneTopic) -> str:
    """Delete a copy, if all that speaks for it still holds; return why not, or nothing."""
    told = told_twice(source, [gone.topic])
    if told.get(gone.topic, "hidden") is not None:
        return f"{gone.copy} stays: the source no longer says that {gone.topic} is gone"
    if target.told_ids([gone.copy]).get(gone.copy) != gone.copy_id:
        return f"{gone.copy} stays: it is not the topic that was copied to"
    failed = target.delete_topics([gone.copy])
    return str(failed[gone.copy]) if gone.copy in failed else ""


def look_for_deletions(
    config: FlowConfig, clients: FlowClients, clock: Clock, by: str
) -> DeletionPlan:
    """
    Plan what would become of copies now; nothing is changed.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        by: Who asks.

    Raises:
        ClusterError: A cluster did not answer.
    """
    known = read_deletions(config, clients.target, clients.target_rdkafka)
    now_ms = clock.wall_ms()
    return survey_deletions(config, clients.source, clients.target, known, now_ms=now_ms, by=by)


def do_deletions(
    config: FlowConfig, clients: FlowClients, plan: DeletionPlan, clock: Clock
) -> DeletionOutcome:
    """
    Do what `look_for_deletions` has planned.

    Args:
        config: The flow.
        clients: Its clients.
        plan: What to do.
        clock: Where time comes from.

    Raises:
        ClusterError: A cluster did not answer, or what was found could not be written down.
    """
    if not plan and plan.source is None:
        return DeletionOutcome(left=plan.left)
    with open_deletion_log(config, clients.target, clients.target_rdkafka) as log:
        return apply_deletions(clients.source, clients.target, log, plan, now_ms=clock.wall_ms())


class DeletionSync:
    """
    Looks for deleted topics of a running flow, round by round; what stays so is told once.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        by: This process, as others shall read it.
    """

    def __init__(self, config: FlowConfig, clients: FlowClients, clock: Clock, by: str) -> None:
        self._config = config
        self._clients = clients
        self._clock = clock
        self._by = by
        self._told: frozenset[LeftCopy] = frozenset()
        # What the source and the target had when nothing was to be done.
        self._quiet: tuple[frozenset[tuple[str, str]], frozenset[str]] | None = None

    def sync(self) -> None:
        """
        Look once, and do what follows.

        Raises:
            ClusterError: A cluster did not answer, or refused.
        """
        source, target = self._clients.source, self._clients.target
        seen = self._seen()
        if seen == self._quiet:
            return
        self._quiet = None
        with open_deletion_log(self._config, target, self._clients.target_rdkafka) as log:
            now_ms = self._clock.wall_ms()
            known = log.read(target.topics())
            plan = survey_deletions(self._config, source, target, known, now_ms=now_ms, by=self._by)
            outcome = apply_deletions(source, target, log, plan, now_ms=now_ms)
        tell_outcome(self._config, outcome)
        self._tell_left((*outcome.left, *outcome.failed))
        if known.cluster_id and not (plan or plan.waiting or plan.source or outcome.left):
            self._quiet = seen

    def _seen(self) -> tuple[frozenset[tuple[str, str]], frozenset[str]]:
        """Return the ids of what is selected, and what the target has: nothing else decides."""
        selects = self._config.topic_selection().selects
        names = [name for name in self._clients.source.topics() if selects(name)]
        ids = self._clients.source.topic_ids(names) if names else {}
        return frozenset(ids.items()), frozenset(self._clients.target.topics())

    def _tell_left(self, left: tuple[LeftCopy, ...]) -> None:
        for each in left:
            if each not in self._told:
                emit(COPY_KEPT, flow=self._config.flow, topic=each.topic, reason=str(each))
        self._told = frozenset(left)


def tell_outcome(config: FlowConfig, outcome: DeletionOutcome) -> None:
    """
    Log what was done.

    Args:
        config: The flow.
        outcome: What was done.
    """
    flow = config.flow
    for gone in outcome.noted:
        emit(
            SOURCE_TOPIC_DELETED,
            flow=flow,
            topic=gone.topic,
            topic_id=gone.topic_id,
            reason=f"{gone.copy}: {gone.policy}",
        )
    for gone in outcome.back:
        emit(SOURCE_TOPIC_BACK, flow=flow, topic=gone.topic, topic_id=gone.topic_id)
    for due in outcome.deleted:
        emit(COPY_DELETED, flow=flow, topic=due.gone.copy, reason=str(due))
