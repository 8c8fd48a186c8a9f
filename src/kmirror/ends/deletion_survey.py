"""Asks both clusters of a flow which topics were deleted on the source; changes nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.model import TopicPartition
from kmirror.plans.deletions import (
    CopiedTopic,
    DeletionFacts,
    DeletionPlan,
    Deletions,
    plan_deletions,
)
from kmirror.plans.snapshot import GroupPosition, TopicState
from kmirror.policy.deletion import DeletionVerb
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import decode_position
from kmirror.wire.topic_ids import NO_TOPIC_ID

_GENERATION = re.compile(r"\.g[0-9]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCopy:
    """
    A copy that a new topic of an old name shall not touch.

    Args:
        copy: Its name on the target.
        why: Why.
    """

    copy: str
    why: str


def copied_topics(
    config: FlowConfig, target: ClusterAdmin, targets: Mapping[str, TopicState]
) -> tuple[CopiedTopic, ...]:
    """
    Return what a flow has copied, by its positions; topics that it does not select are left out.

    Args:
        config: The flow.
        target: The target's control plane.
        targets: All topics of the target, by name.

    Raises:
        ClusterError: The target could not be asked.
    """
    selection, source = config.topic_selection(), config.flow.source
    topics: dict[str, str] = {}
    for copy in targets:
        topic = config.policy.upstream_topic(copy)
        # A name may look as if it came from the source without being what the policy makes.
        is_copy = topic and config.policy.format_remote_topic(source, topic) == copy
        # What a gap has begun anew is called `A.t.g2`: no topic t.g2 was ever on the source.
        is_copy = is_copy and not _GENERATION.search(copy)
        if topic and is_copy and selection.selects(topic):
            topics[copy] = topic
    places = [TopicPartition(copy, at) for copy in topics for at in range(targets[copy].partitions)]
    positions = target.group_positions(position_group(config.flow), places) if places else {}
    return _copied(topics, positions)


def _copied(
    topics: Mapping[str, str], positions: Mapping[TopicPartition, GroupPosition]
) -> tuple[CopiedTopic, ...]:
    ids: dict[str, list[str]] = {}
    copy_ids: dict[str, str] = {}
    for place, position in sorted(positions.items()):
        metadata = decode_position(position.metadata)
        if metadata is not None and metadata.topic_id not in {None, NO_TOPIC_ID}:
            ids.setdefault(place.topic, []).append(metadata.topic_id or "")
            copy_ids.setdefault(place.topic, metadata.target_id or "")
    return tuple(
        CopiedTopic(
            topic=topics[copy],
            topic_ids=tuple(dict.fromkeys(found)),
            copy=copy,
            copy_id=copy_ids[copy],
        )
        for copy, found in ids.items()
    )


def survey_deletions(
    config: FlowConfig,
    source: ClusterAdmin,
    target: ClusterAdmin,
    known: Deletions,
    *,
    now_ms: int,
    by: str,
) -> DeletionPlan:
    """
    Look which topics are gone, and decide what becomes of their copies.

    Args:
        config: The flow.
        source, target: Control planes.
        known: What is written down.
        now_ms: The time, milliseconds since the epoch.
        by: Who would write it down.

    Raises:
        ClusterError: One of the clusters could not be asked.
    """
    if not config.minds_deletions and not known.gone:
        return DeletionPlan()
    selects = config.topic_selection().selects
    known = replace(known, gone={name: gone for name, gone in known.gone.items() if selects(name)})
    targets = target.topics()
    copied = copied_topics(config, target, targets)
    state = source.describe()
    names = {*known.gone, *(each.topic for each in copied)}
    told = told_twice(source, names) if state.brokers and state.controller is not None else {}
    copies = {gone.copy for gone in known.gone.values()}
    facts = DeletionFacts(
        copied=copied,
        told=told,
        copies=target.topic_ids(copies & targets.keys()) if copies else {},
        cluster_id=state.cluster_id or "",
    )
    return plan_deletions(known, facts, config.topic_deletion, now_ms=now_ms, by=by)


def told_twice(source: ClusterAdmin, names: Collection[str]) -> dict[str, str | None]:
    """
    Ask the source for ids of topics; for those that it says are not there, twice.

    A broker that has just started may not know yet what is there.

    Args:
        source: Its control plane.
        names: The topics.

    Raises:
        ClusterError: It could not be asked.
    """
    told = dict(source.told_ids(names)) if names else {}
    missing = [name for name, topic_id in told.items() if topic_id is None]
    if missing:
        seen = source.topics()
        again = source.told_ids(missing)
        for name in missing:
            if name in seen or name not in again or again[name] is not None:
                del told[name]
    return {name: topic_id for name, topic_id in told.items() if topic_id != NO_TOPIC_ID}


def held_copies(
    config: FlowConfig, source: ClusterAdmin, target: ClusterAdmin, topics: Collection[str]
) -> tuple[HeldCopy, ...]:
    """
    Return which copies are in quarantine while a new topic has their topic's name.

    Args:
        config: The flow.
        source, target: Control planes.
        topics: The topics of the source that matter.

    Raises:
        ClusterError: One of the clusters could not be asked.
    """
    choice = config.topic_deletion
    wanted = {name for name in topics if choice.of(name).verb is DeletionVerb.QUARANTINE}
    if not wanted or not config.minds_deletions:
        return ()
    copied = [
        each for each in copied_topics(config, target, target.topics()) if each.topic in wanted
    ]
    ids = source.topic_ids(each.topic for each in copied)
    return tuple(
        HeldCopy(
            copy=each.copy,
            why=f"{each.copy} is in quarantine: {each.topic} is another topic by now",
        )
        for each in copied
        if each.topic in ids and ids[each.topic] not in each.topic_ids
    )
