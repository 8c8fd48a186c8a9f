"""Reads what decides where partitions go on, and tells which would stand still; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from kmirror.admin.connect_offsets import StoredPositions
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.connect_copies import read_copies
from kmirror.ends.deletion_log import read_deletions
from kmirror.ends.discovery import Mirrored
from kmirror.model import TopicPartition
from kmirror.plans.decisions import Park
from kmirror.plans.position_facts import (
    MM2Position,
    OwnPosition,
    PartitionFacts,
    PositionPolicy,
)
from kmirror.plans.positions import plan_positions
from kmirror.plans.snapshot import GroupPosition
from kmirror.policy.gap_reactions import GapReaction, PositionReaction
from kmirror.policy.per_topic import PerTopic
from kmirror.wire.connect_offsets import ConnectOffset
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import decode_position


def position_policy(config: FlowConfig, topic: str) -> PositionPolicy:
    """
    Return a flow's choices for cases that have no single right answer.

    Args:
        config: The flow.
        topic: A topic of its source.
    """

    def chosen(reactions: PerTopic[str]) -> str:
        word = reactions.of(topic)
        return instead if word == "new-generation" and instead else word

    instead = _no_generation(config, topic)
    return PositionPolicy(
        auto_offset_reset=config.auto_offset_reset,
        position_missing=cast("PositionReaction", chosen(config.position_missing)),
        topic_recreated=cast("GapReaction", chosen(config.topic_recreated)),
        data_gap=cast("GapReaction", chosen(config.data_gap)),
        log_truncated=cast("GapReaction", chosen(config.log_truncated)),
    )


def _no_generation(config: FlowConfig, topic: str) -> str:
    """Return what is done instead of beginning a new generation; empty when one can begin."""
    if config.policy.merges:
        return "fail"  # the other parts of the alias topic go on where it is
    # Whoever looks for heartbeats knows them by name.
    return "restart" if config.policy.is_heartbeats_topic(topic) else ""


def mm2_key(config: FlowConfig, source: TopicPartition) -> ConnectOffset:
    """Return the key under which MirrorMaker 2 keeps a partition's position."""
    return ConnectOffset(
        connector=config.connector_name,
        cluster=config.flow.source,
        topic=source.topic,
        partition=source.partition,
    )


class FactsReader:
    """
    Asks both clusters of a flow.

    Args:
        config: The flow.
        clients: Its clients.
    """

    def __init__(self, config: FlowConfig, clients: FlowClients) -> None:
        self._config = config
        self._group = position_group(config.flow)
        self._source = clients.source
        self._target = clients.target
        self._target_client = clients.target_rdkafka

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*."""
        self._config = config

    def read(
        self, partitions: Sequence[Mirrored], *, late: bool, group_is_older: bool
    ) -> list[PartitionFacts]:
        """
        Return what is known of partitions; those that a cluster does not tell of are left out.

        Args:
            partitions: What is to be mirrored, all selected partitions of each topic.
            late: They appeared while the flow was running.
            group_is_older: The flow had a group before this start.

        Raises:
            ClusterError: One of the clusters could not be asked.
        """
        if not partitions:
            return []
        stored = read_copies(self._config, self._target, self._target_client)
        facts = self._facts(partitions, stored, late=late)
        facts = self._with_deletions(facts) if facts else facts
        if not group_is_older:
            return facts
        # A topic that is new to the flow has no position either, but none that went away.
        known = {fact.source.topic for fact in facts if fact.ours or fact.mm2}
        return [replace(fact, group_is_older=fact.source.topic in known) for fact in facts]

    def standing(self, partitions: Sequence[Mirrored], *, group_is_older: bool) -> tuple[Park, ...]:
        """
        Return the partitions that a start would park now, while lanes may copy on.

        Args:
            partitions: What is to be mirrored.
            group_is_older: The flow was claimed before.

        Raises:
            ClusterError: One of the clusters could not be asked.
        """
        before = self._parked(partitions, group_is_older=group_is_older)
        # By topics: their partitions together tell whether one has lost its position.
        topics = {tp.topic for tp in before}
        again = [m for m in partitions if m.source.topic in topics]
        # What is read one after the other may not fit together while lanes copy: who stands still
        # has the same position afterwards.
        after = self._parked(again, group_is_older=group_is_older) if again else {}
        return tuple(
            park for tp, (park, at) in sorted(after.items()) if tp in before and before[tp][1] == at
        )

    def _parked(
        self, partitions: Sequence[Mirrored], *, group_is_older: bool
    ) -> dict[TopicPartition, tuple[Park, int | None]]:
        """Return those that would be parked, with their positions."""
        facts = self.read(partitions, late=False, group_is_older=group_is_older)
        at = {fact.source: None if fact.ours is None else fact.ours.offset for fact in facts}
        parked = plan_positions(facts, partial(position_policy, self._config)).park
        return {park.partition: (park, at[park.partition]) for park in parked}

    def can_decide(self, partitions: Sequence[Mirrored]) -> bool:
        """
        Return whether both clusters tell the ends of any of *partitions* by now.

        Raises:
            ClusterError: One of the clusters could not be asked.
        """
        sources, targets = [m.source for m in partitions], [m.target for m in partitions]
        ours = self._source.offsets(sources, partial=True)
        theirs = self._target.offsets(targets, partial=True)
        return any(m.source in ours and m.target in theirs for m in partitions)

    def _facts(
        self, partitions: Sequence[Mirrored], stored: StoredPositions, *, late: bool
    ) -> list[PartitionFacts]:
        sources = [partition.source for partition in partitions]
        # First of all: whatever is copied meanwhile, no log is shorter than its position says.
        ours = self._target.group_positions(
            self._group, [partition.position for partition in partitions]
        )
        starts = self._source.offsets(sources, "earliest", partial=True)
        ends = self._source.offsets(
            sources,
            "latest",
            isolation=self._config.isolation_level,
            partial=True,
        )
        # Positions may lie in transactions that are still open.
        committed_only = self._config.isolation_level == "read_committed"
        highs = self._source.offsets(sources, "latest", partial=True) if committed_only else ends
        targets = self._target.offsets([m.target for m in partitions], "latest", partial=True)
        grown = {tp.topic for tp in ours}
        generation = self._config.topic_selection().generation
        has_merged = any(
            partition.merged and partition.position in ours for partition in partitions
        )
        return [
            PartitionFacts(
                source=partition.source,
                target=partition.target,
                log_start=starts[partition.source],
                # An open transaction may hold the readable end back behind what retention took.
                log_end=max(ends[partition.source], starts[partition.source]),
                topic_id=partition.topic_id or None,
                target_id=partition.target_id or None,
                high_watermark=highs.get(partition.source, 0),
                target_end=targets[partition.target],
                ours=_own(ours.get(partition.position)),
                mm2=self._mm2(partition.source, stored),
                # A topic that is mirrored already and has grown: nothing of it may be skipped.
                is_late=late or has_merged or partition.target.topic in grown,
                generation=generation(partition.source.topic),
                merged=partition.merged,
                shared=self._config.shares_copies,
            )
            for partition in partitions
            # What is left out of an answer is not empty: it is decided when it is known.
            if partition.source in starts
            and partition.source in ends
            and partition.source in highs
            and partition.target in targets
        ]

    def _with_deletions(self, facts: list[PartitionFacts]) -> list[PartitionFacts]:
        """Say which topics have taken the name of one that was deleted."""
        known = read_deletions(self._config, self._target, self._target_client)
        policy = self._config.topic_deletion
        if not (known.gone or self._config.minds_deletions):
            return facts
        return [
            replace(
                fact,
                quarantine=known.quarantine(
                    fact.source.topic,
                    topic_id=fact.topic_id or "",
                    known_id=_known_id(fact.ours),
                    policy=policy.of(fact.source.topic),
                ),
                made_way=known.made_way(fact.source.topic, topic_id=fact.topic_id or ""),
            )
            for fact in facts
        ]

    def _mm2(self, source: TopicPartition, stored: StoredPositions) -> MM2Position | None:
        found = stored.positions.get(mm2_key(self._config, source))
        if found is None:
            return None
        return MM2Position(offset=found.offset, written_by_us=found.written_by_us)


def _known_id(ours: OwnPosition | None) -> str:
    """Return the id of the topic that a position belongs to; empty when it is not known."""
    metadata = ours.metadata if ours is not None else None
    return (metadata.topic_id if metadata is not None else None) or ""


def _own(position: GroupPosition | None) -> OwnPosition | None:
    if position is None:
        return None
    return OwnPosition(offset=position.offset, metadata=decode_position(position.metadata))
