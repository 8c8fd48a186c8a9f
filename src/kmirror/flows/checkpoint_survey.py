"""Where a flow's groups go on, as the target alone can tell: for a source that does not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from kmirror.admin.checkpoints import newest_checkpoints
from kmirror.admin.groups import GroupAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.flows.clients import FlowClients
from kmirror.flows.discovery import Mirrored
from kmirror.flows.group_survey import look_there
from kmirror.flows.translation import Ends, open_ends, translator_from_outside
from kmirror.model import TopicPartition
from kmirror.plans.places import GroupPlace, GroupSurvey
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.mirror_records import Checkpoint
from kmirror.wire.position import decode_position, position_group


def survey_checkpoints(
    config: FlowConfig,
    clients: FlowClients,
    target: GroupAdmin,
    *,
    allowed: Callable[[str], bool],
    clock: Clock,
) -> GroupSurvey:
    """
    Say where groups go on, from what the target has.

    Checkpoints say where groups were on the source. Where that is on the target the exact offset
    map knows better: a checkpoint goes no further than what its driver knew to be copied.

    Args:
        config: The flow.
        clients: Its clients; only the target is spoken to.
        target: The target's groups.
        allowed: Which groups, by name.
        clock: Where time comes from.

    Raises:
        ClusterError: The target did not answer, or refused.
    """
    with ExitStack() as opened:
        ends = open_ends(opened, config, clients, timeout_s=config.admin_timeout_s, clock=clock)
        log = config.policy.checkpoints_topic(config.flow.source)
        points = newest_checkpoints(clients.target, ends.target_reader, log)
        topics = clients.target.topics()
        places = [
            _place(point, config)
            for point in points
            if allowed(point.group)
            # Checkpoints outlive topics.
            and point.partition.topic in topics
            and point.partition.partition < topics[point.partition.topic].partitions
        ]
        places = _by_the_map(places, config, clients, ends)
    return look_there(places, target)


def _place(point: Checkpoint, config: FlowConfig) -> GroupPlace:
    there = point.partition
    name = config.policy.upstream_topic(there.topic) or there.topic
    return GroupPlace(
        group=point.group,
        here=TopicPartition(name, there.partition),
        offset=point.upstream,
        there=there,
        goes_on=point.downstream,
        committed=None,
        metadata=point.metadata,
    )


def _by_the_map(
    places: Sequence[GroupPlace], config: FlowConfig, clients: FlowClients, ends: Ends
) -> list[GroupPlace]:
    """Translate again what the exact offset map knows; the other places stay as they are."""
    copies = {place.there: place.here for place in places}
    positions = clients.target.group_positions(position_group(config.flow), tuple(copies))
    target_ids = clients.target.topic_ids({there.topic for there in copies})
    translator = translator_from_outside(config, ends)
    translator.follow(
        Mirrored(
            source=here,
            target=there,
            topic_id=_source_id(positions, there),
            target_id=target_ids.get(there.topic, ""),
        )
        for there, here in copies.items()
    )
    # Never again: what is not known by then could only be read from the source.
    translator.refresh()

    def exact(place: GroupPlace) -> int | None:
        # Never beyond what is copied.
        position = positions.get(place.there)
        offset = place.offset if position is None else min(place.offset, position.offset)
        return translator.to_target(place.here, offset)

    found = [(place, exact(place)) for place in places]
    return [place if at is None else replace(place, goes_on=at) for place, at in found]


def _source_id(positions: Mapping[TopicPartition, GroupPosition], there: TopicPartition) -> str:
    """Give the id of the topic that was copied, as the flow's position remembers it."""
    position = positions.get(there)
    known = None if position is None else decode_position(position.metadata)
    return "" if known is None or known.topic_id is None else known.topic_id
