"""Makes sure that every partition has a position on the target before a lane asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from kmirror.admin.adopt import LogSide, find_position
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.connect_copies import SecondCopy, write_copies
from kmirror.ends.discovery import Mirrored
from kmirror.ends.facts import FactsReader, mm2_key, position_policy
from kmirror.ends.gap_journal import GapRecorder
from kmirror.ends.log_checks import LogChecks
from kmirror.ends.void_chunks import void_chunks
from kmirror.errors import PositionMissing, TargetLostRecords
from kmirror.events.emit import emit
from kmirror.events.gaps import PARTITION_SKIPPED
from kmirror.events.table import PARTITION_POSITIONED
from kmirror.model import TopicPartition
from kmirror.plans.decisions import Adopt, Park, PositionPlan, Renew, Seed
from kmirror.plans.position_facts import PartitionFacts
from kmirror.plans.positions import lost_from, plan_positions
from kmirror.plans.reactions import TARGET_RECREATED, park_recreated
from kmirror.plans.seeks import plan_seeks
from kmirror.plans.snapshot import GroupPosition
from kmirror.state.status import ParkedPartition
from kmirror.wire.control_orders import SeekOrder
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import PositionMetadata

# So long a broker that lags behind has to learn what its cluster knows.
_DOUBT_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """
    What can be copied now.

    Args:
        positions: Partitions with a position on the target, and that position.
        parked: Those without, and why.
        cut: Partitions that go on behind a loss: what was known of their offsets is void.
        renewed: Topics whose copies are to begin a new generation.
    """

    positions: Mapping[TopicPartition, int]
    parked: tuple[ParkedPartition, ...]
    cut: frozenset[TopicPartition] = frozenset()
    renewed: frozenset[str] = frozenset()


class Claim(Protocol):
    """A claim on a flow: see `Ownership`."""

    def check(self) -> None:
        """Raise `Fenced` if another driver has claimed the flow."""

    def write_positions(self, positions: Mapping[TopicPartition, GroupPosition]) -> None:
        """Commit positions of the flow, unless another driver has claimed it."""


class Positions:
    """
    The positions of one flow.

    Args:
        config: The flow.
        clients: Its clients.
        log_checks: Tell what became of both logs.
        gaps: Is told of gaps.
        clock: Where time comes from.
        ownership: The claim on the flow.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        log_checks: LogChecks,
        gaps: GapRecorder,
        clock: Clock,
        *,
        ownership: Claim,
    ) -> None:
        self._config = config
        self._group = position_group(config.flow)
        self._source = clients.source
        self._target = clients.target
        self._source_client = clients.source_rdkafka
        self._target_client = clients.target_rdkafka
        self._log_checks = log_checks
        self._facts = FactsReader(config, clients)
        self._gaps = gaps
        self._ownership = ownership
        self._policy_of = partial(position_policy, config)
        self._clock = clock

    def follow(self, config: FlowConfig) -> None:
        """Decide by *config* from now on; names and clusters are the same there."""
        self._config, self._policy_of = config, partial(position_policy, config)
        self._facts.follow(config)
        self._log_checks.follow(config)

    def prepare(
        self,
        partitions: Sequence[Mirrored],
        *,
        late: bool,
        group_is_older: bool = False,
        recreated: Collection[TopicPartition] = (),
        cuts: Mapping[TopicPartition, int] | None = None,
    ) -> Prepared:
        """
        Decide for every partition where it goes on, and write what is not written yet.

        Only the flow's owner may call this, with all lanes fenced or at rest.

        Args:
            partitions: What is to be mirrored.
            late: They appeared while the flow was running.
            group_is_older: The flow had a group before this start.
            recreated: Partitions of target topics that are no longer those that were copied to.
            cuts: From which target offset on lanes saw that records of source partitions are lost.

        Raises:
            ClusterError: One of the clusters could not be asked.
        """
        read = partial(
            self._read, late=late, group_is_older=group_is_older, recreated=recreated, cuts=cuts
        )
        facts = self._without_doubt(partitions, read)
        plan = plan_positions(facts, self._policy_of)
        seeds, parks = list(plan.seed), list(plan.park)
        for adopt in plan.needs_adoption:
            found = self._adopt(adopt)
            if isinstance(found, Seed):
                seeds.append(found)
            else:
                parks.append(found)
        # Before anything goes on behind a gap, it is written down that there is one.
        self._gaps.record([*plan.keep, *seeds, *parks, *plan.renew], facts)
        parked = [parked_by(park) for park in parks]
        known = {fact.source for fact in facts}
        parked += [
            parked_recreated(m)
            for m in partitions
            if m.source not in known and m.target in recreated
        ]
        self._write(seeds, facts)
        self._mark(plan.park, facts)
        return Prepared(
            positions=_positions(plan, seeds),
            parked=tuple(parked),
            cut=frozenset(seed.partition for seed in seeds if seed.void_from is not None),
            renewed=frozenset(each.partition.topic for each in plan.renew),
        )

    def _read(
        self,
        partitions: Sequence[Mirrored],
        *,
        late: bool,
        group_is_older: bool,
        recreated: Collection[TopicPartition],
        cuts: Mapping[TopicPartition, int] | None,
    ) -> list[PartitionFacts]:
        facts = [
            replace(fact, target_recreated=fact.target in recreated)
            for fact in self._facts.read(partitions, late=late, group_is_older=group_is_older)
        ]
        return self._log_checks.add_to(facts, partitions, cuts or {})

    def _without_doubt(
        self,
        partitions: Sequence[Mirrored],
        read: Callable[[Sequence[Mirrored]], list[PartitionFacts]],
    ) -> list[PartitionFacts]:
        """
        Read the facts; where they tell of a gap, read them again, and the topics' ids with them.

        A broker that lags behind may tell a shorter log, or an old topic, for a moment. What is
        left out of the second answer is decided when it is known.
        """
        facts = read(partitions)
        plan = plan_positions(facts, self._policy_of)
        decided: tuple[Seed | Park | Adopt | Renew, ...] = (
            *plan.seed,
            *plan.park,
            *plan.needs_adoption,
            *plan.renew,
        )
        # By topics: their partitions together tell whether one has lost its position.
        doubted = {each.partition.topic for each in decided if each.gap is not None}
        if not doubted:
            return facts
        self._clock.wait(threading.Event(), _DOUBT_S)
        again = [m for m in partitions if m.source.topic in doubted]
        ids = self._source.topic_ids({m.source.topic for m in again})
        target_ids = self._target.topic_ids({m.target.topic for m in again})
        asked = [
            replace(
                m,
                topic_id=ids.get(m.source.topic, m.topic_id),
                target_id=target_ids.get(m.target.topic, m.target_id),
            )
            for m in again
        ]
        return [fact for fact in facts if fact.source.topic not in doubted] + read(asked)

    def move(
        self, seeks: Sequence[SeekOrder], mirrored: Sequence[Mirrored]
    ) -> tuple[SeekOrder, ...]:
        """
        Let partitions go on where somebody wants them to.

        Only the flow's owner may call this, while no lane has any of them. Doing it twice is as
        good as once, as long as nothing was copied in between.

        Args:
            seeks: Where they shall go on.
            mirrored: The same partitions.

        Returns:
            Those that are done. Of the others a cluster does not tell the offsets yet.

        Raises:
            ClusterError: One of the clusters could not be asked.
        """
        facts = self._facts.read(mirrored, late=True, group_is_older=True)
        self._write(plan_seeks(seeks, facts), facts)
        known = {fact.source for fact in facts}
        return tuple(seek for seek in seeks if seek.partition in known)

    def can_decide(self, partitions: Sequence[Mirrored]) -> bool:
        """See `FactsReader.can_decide`."""
        return self._facts.can_decide(partitions)

    def _adopt(self, adopt: Adopt) -> Seed | Park:
        flow, timeout_s = self._config.flow, self._config.admin_timeout_s
        with (
            RecordReader(self._source_client, cluster=flow.source, timeout_s=timeout_s) as source,
            RecordReader(self._target_client, cluster=flow.target, timeout_s=timeout_s) as target,
        ):
            offset = find_position(
                LogSide(admin=self._source, reader=source, partition=adopt.facts.source),
                LogSide(admin=self._target, reader=target, partition=adopt.facts.target),
            )
        lost, facts = adopt.offset_max is not None, adopt.facts
        if offset is not None and not (lost and offset > (adopt.offset_max or 0)):
            why = f"{adopt.why}: same tail"
            void_from = (facts.missing_from or 0) if lost else None
            return Seed(
                partition=adopt.partition,
                offset=offset,
                why=why,
                void_from=void_from,
                gap=adopt.gap,
            )
        if lost and offset is not None:
            return _park_overgrown(adopt)
        error = PositionMissing(
            f"{adopt.partition}: the tail of {adopt.facts.target} is not found in the source, or "
            "more than once",
            hint="set kmirror.position.missing = earliest or latest",
        )
        return Park(partition=adopt.partition, error=error, gap=adopt.gap)

    def _write(self, seeds: Sequence[Seed], facts: Sequence[PartitionFacts]) -> None:
        """Plan, then apply: every new position is in the group before a lane reads it there."""
        by_source = {fact.source: fact for fact in facts}
        positions: dict[TopicPartition, GroupPosition] = {}
        for seed in seeds:
            fact = by_source[seed.partition]
            metadata = PositionMetadata(
                target_offset=fact.target_end, topic_id=fact.topic_id, target_id=fact.target_id
            )
            positions[fact.position] = GroupPosition(offset=seed.offset, metadata=metadata.encode())
            self._tell(seed)
        void_from = {s.partition: s.void_from for s in seeds if s.void_from is not None}
        if void_from:
            self._ownership.check()
            void_chunks(self._config, self._target, self._target_client, void_from)
        if positions:
            self._ownership.write_positions(positions)

    def _tell(self, seed: Seed) -> None:
        flow, (topic, partition) = self._config.flow, seed.partition
        if seed.skipped:
            emit(
                PARTITION_SKIPPED,
                flow=flow,
                topic=topic,
                partition=partition,
                offset=seed.offset,
                skipped_records=seed.skipped,
                reason=seed.why,
            )
        else:
            emit(
                PARTITION_POSITIONED,
                flow=flow,
                topic=topic,
                partition=partition,
                offset=seed.offset,
                reason=seed.why,
            )

    def _mark(self, parked: Sequence[Park], facts: Sequence[PartitionFacts]) -> None:
        """Let the group remember what the target itself may not tell any more at a restart."""
        by_source = {fact.source: fact for fact in facts}
        marks: dict[TopicPartition, GroupPosition] = {}
        for park in parked:
            fact = by_source[park.partition]
            at = fact.ours.offset if fact.ours is not None else fact.log_start
            known = fact.ours.metadata if fact.ours is not None else None
            if park.kind == TARGET_RECREATED:
                metadata = PositionMetadata(
                    target_offset=fact.target_end, topic_id=fact.topic_id, target_recreated=True
                )
                marks[fact.position] = GroupPosition(offset=at, metadata=metadata.encode())
            elif isinstance(park.error, TargetLostRecords) and known is not None:
                metadata = replace(known, lost_from=lost_from(fact))
                marks[fact.position] = GroupPosition(offset=at, metadata=metadata.encode())
        if marks:
            self._ownership.write_positions(marks)

    def copy_to_mm2(
        self,
        positions: Mapping[TopicPartition, int],
        *,
        partitions: int,
        generation: int,
    ) -> None:
        """
        Write the second copy, in MirrorMaker 2's format and places.

        Args:
            positions: Next source offsets of source partitions.
            partitions: How many partitions the offsets topic has.
            generation: The flow's generation.

        Raises:
            ClusterError: At least one position was not written.
        """
        # Position 0 says nothing was copied: to MirrorMaker 2 that is no position.
        copied = [(mm2_key(self._config, tp), at) for tp, at in sorted(positions.items()) if at > 0]
        timeout_s = min(self._config.admin_timeout_s, 5.0)
        copy = SecondCopy(positions=copied, generation=generation, timeout_s=timeout_s)
        write_copies(self._config, self._target, self._target_client, copy, partitions=partitions)


def _park_overgrown(adopt: Adopt) -> Park:
    """Other records lie behind the lost ones: to go on behind these would skip the lost ones."""
    error = TargetLostRecords(
        f"{adopt.partition}: {adopt.why}; others have been written behind them since",
        hint="set kmirror.position.missing = earliest (copies everything again) or latest (skips "
        "what is there)",
    )
    return Park(partition=adopt.partition, error=error, gap=adopt.gap)


def parked_recreated(partition: Mirrored) -> ParkedPartition:
    """Park a partition whose target topic is not the one that was copied to."""
    return parked_by(park_recreated(partition.source, partition.target))


def parked_by(park: Park) -> ParkedPartition:
    """Return what people are shown of a decision not to copy."""
    kind = park.kind or type(park.error).__name__
    return ParkedPartition(partition=park.partition, kind=kind, reason=park.why)


def _positions(plan: PositionPlan, seeds: Collection[Seed]) -> dict[TopicPartition, int]:
    kept = {keep.partition: keep.offset for keep in plan.keep}
    return kept | {seed.partition: seed.offset for seed in seeds}
