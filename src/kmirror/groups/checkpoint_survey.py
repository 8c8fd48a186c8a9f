"""Where a flow's groups go on, as the target alone can tell: for a source that does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

from kmirror.admin.checkpoints import newest_checkpoints
from kmirror.admin.group_admin import GroupAdmin
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.ends.flow_ends import Ends
from kmirror.ends.translation import translator_from_outside
from kmirror.groups.group_survey import look_there
from kmirror.groups.written_offsets import WrittenOffsets
from kmirror.model import TopicPartition
from kmirror.plans.places import GroupPlace, GroupSurvey, with_written
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.flow_names import position_group
from kmirror.wire.mirror_records import Checkpoint
from kmirror.wire.position import decode_position
from kmirror.wire.written_offsets import WrittenOffset


def survey_checkpoints(
    config: FlowConfig,
    clients: FlowClients,
    ends: Ends,
    target: GroupAdmin,
    written: WrittenOffsets,
    *,
    allowed: Callable[[str], bool],
) -> GroupSurvey:
    """
    Say where groups go on, from what the target has.

    Checkpoints say where groups were on the source, and so does what was committed for them, which
    may be newer. Where that is on the target the exact offset map knows better: a checkpoint goes
    no further than what its driver knew to be copied.

    Args:
        config: The flow.
        clients: Its clients; only the target is spoken to.
        ends: Both ends; only the target is asked.
        target: The target's groups.
        written: What was committed for them.
        allowed: Which groups, by name.

    Raises:
        ClusterError: The target did not answer, or refused.
    """
    log = config.policy.checkpoints_topic(config.flow.source)
    found = dict(newest_checkpoints(clients.target, ends.target_reader, log))
    written.look_again()
    known = newest_known(found, written.all_of(config.flow.target))
    topics = clients.target.topics()
    places = [
        _place(point, config)
        for point in known
        if allowed(point.group)
        # Checkpoints outlive topics.
        and point.partition.topic in topics
        and point.partition.partition < topics[point.partition.topic].partitions
    ]
    seen = look_there(_by_the_map(places, config, clients, ends), target)
    find = partial(written.find, config.flow.target)
    return replace(seen, places=with_written(seen.places, find))


def newest_known(
    checkpoints: Mapping[Checkpoint, int], written: Iterable[WrittenOffset]
) -> list[Checkpoint]:
    """
    Return where groups were on the source, and are on the target, as it was known last.

    Args:
        checkpoints: The newest of each group and partition, and when it was written, milliseconds
            since the epoch.
        written: What was committed for the groups.
    """
    found = {(point.group, point.partition): (at_ms, point) for point, at_ms in checkpoints.items()}
    for each in written:
        at_ms, point = found.get((each.group, each.partition), (0, None))
        if point is None or at_ms < each.at_ms:
            newer = Checkpoint(
                group=each.group,
                partition=each.partition,
                upstream=each.origin,
                downstream=each.offset,
                metadata="" if point is None else point.metadata,
            )
            found[each.group, each.partition] = (each.at_ms, newer)
    return [point for _, (_, point) in sorted(found.items(), key=itemgetter(0))]


def _place(point: Checkpoint, config: FlowConfig) -> GroupPlace:
    there = point.partition
    name = config.topic_selection().upstream_topic(there.topic)
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
    """Return the id of the topic that was copied, as the flow's position remembers it."""
    position = positions.get(there)
    known = None if position is None else decode_position(position.metadata)
    return "" if known is None or known.topic_id is None else known.topic_id
