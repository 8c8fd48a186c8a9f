"""Turns what is to be mirrored into a plan that the lanes can read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.ends.positions import Positions, parked_recreated
from kmirror.events.emit import emit
from kmirror.events.reloads import TOPIC_DESELECTED
from kmirror.events.table import PLAN_MADE, TOPIC_GONE
from kmirror.model import TopicPartition
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.plan_file import FlowPlan, Share, SlotWork, write_plan
from kmirror.plans.holders import Holders
from kmirror.plans.parking import ParkCode
from kmirror.plans.pauses import Rest
from kmirror.plans.slots import PartitionLoad, SlotPlan, plan_slots
from kmirror.policy.poison import Poison
from kmirror.state.parked_lines import ParkedLines
from kmirror.state.progress import Progress
from kmirror.state.status import ParkedPartition
from kmirror.wire.flow_names import position_group, slot_transactional_ids
from kmirror.wire.position import Owner


class Planner:
    """
    A flow's plans, one after the other; lives as long as the flow.

    Args:
        config: The flow.
        progress: Its progress, which every plan begins anew.
        owner: This process.
        slots: Spark tasks side by side.
        file: Where the lanes read the plan.
        bounded: Plans end where the source ends when they are made.
    """

    def __init__(
        self,
        config: FlowConfig,
        progress: Progress,
        owner: Owner,
        *,
        slots: int,
        file: Path,
        bounded: bool,
    ) -> None:
        self._config = config
        self._progress = progress
        self._owner = owner
        self._slots = slots
        self._bounded = bounded
        # Where partitions are, or go as soon as the lane that had them has let go.
        self._last: SlotPlan | None = None
        self._holders = Holders()
        self._moved: frozenset[TopicPartition] = frozenset()
        # What has no lane because somebody wants it so.
        self.rest = Rest()
        self.file = file
        self.parked_lines = ParkedLines(config.flow)
        self.version = 0
        self.mirrored: tuple[Mirrored, ...] = ()
        # Of these, what clusters did not tell enough about to give it a position.
        self.undecided: tuple[Mirrored, ...] = ()
        # Where lanes write the exact offset map; empty when there is none.
        self.offset_map_topic = ""
        # Where they write what is left out and kept; empty when nothing can be.
        self.dlq_topic = ""
        # Partitions that go on behind a loss since the last plan.
        self.cut: frozenset[TopicPartition] = frozenset()
        # Topics whose copies are to begin a new generation: no plan of this flow's has them.
        self.renewed: frozenset[str] = frozenset()
        # Where a bounded copy ends.
        self.ends: Mapping[TopicPartition, int] = {}
        # The target topics that positions were decided for.
        self._target_ids: dict[TopicPartition, str] = {}
        # The plan leaves out what lanes have to let go of first: plan once more when they have.
        self.is_unsettled = False

    def follow(self, config: FlowConfig) -> None:
        """Make the next plans by *config*."""
        self._config = config

    def restart(self, config: FlowConfig, owner: Owner, *, slots: int) -> None:
        """Make the plans of a flow that starts again, perhaps with other settings and slots."""
        self._config, self._owner, self._slots = config, owner, slots

    def plan(
        self,
        mirrored: Sequence[Mirrored],
        positions: Positions,
        clients: FlowClients,
        *,
        generation: int,
        anew: bool,
        planned: int = 0,
        rest: Rest | None = None,
    ) -> None:
        """
        Write the next plan.

        Args:
            mirrored: What is to be mirrored.
            positions: Decides where partitions begin.
            clients: The flow's clients.
            generation: The flow's generation.
            anew: A new generation begins: every position is decided again. Otherwise partitions
                that are being copied go on, and new ones are copied from their beginning.
            planned: The plan that every lane has, or a newer one.
            rest: What is not to be copied now, because somebody wants it so.

        Raises:
            ClusterError: One of the clusters could not be asked; the old plan stays.
        """
        progress, rest = self._progress, rest or Rest()
        known = {} if anew else self._known(mirrored)
        self._holders = Holders() if anew else self._holders.settled(planned)
        fresh = [partition for partition in mirrored if partition.source not in known]
        recreated = self._recreated(fresh)
        held = {m.source: m for m in recreated if m.source in self._holders}
        prepared = positions.prepare(
            [partition for partition in fresh if partition.source not in held],
            late=not anew,
            group_is_older=generation > 1,
            recreated={partition.target for partition in recreated},
            cuts=_cuts(progress.parked),
        )
        ready = dict(prepared.positions)
        ready |= {m.source: known[m.source] for m in mirrored if m.source in known}
        if self._bounded:
            isolation = self._config.isolation_level
            self.ends = clients.source.offsets(ready, "latest", isolation=isolation, partial=True)
            # Nobody knows where the others would have to stop.
            ready = {tp: at for tp, at in ready.items() if tp in self.ends}
        decided = {*ready, *(entry.partition for entry in prepared.parked), *held}
        self.undecided = tuple(m for m in mirrored if m.source not in decided)
        progress.begin(ready)
        for parked in (*prepared.parked, *map(parked_recreated, held.values())):
            progress.park(parked)
        progress.pause(rest.pauses)
        self.tell_parked()
        self._target_ids |= {m.target: m.target_id for m in mirrored if m.source in ready}
        self.renewed = prepared.renewed
        self.cut, self._moved, self.rest = prepared.cut | self._moved, frozenset(), rest
        copied = [m for m in mirrored if m.source in ready and m.source not in rest]
        shares = {m.source: self._share(m) for m in copied}
        # Who waits for lanes, or has one that is late, moves nothing else meanwhile.
        may_move = anew or (planned >= self.version and not self.is_unsettled)
        self._last = self._spread(shares, may_move=may_move)
        given = self._last.without(self._holders.elsewhere(self._last))
        self.is_unsettled = bool(held) or given != self._last
        self.version += 1
        self._holders = self._holders.after(given, self.version)
        self._tell_gone(mirrored)
        self.mirrored = tuple(mirrored)
        slots = tuple(tuple(shares[tp] for tp in slot) for slot in given.slots)
        write_plan(self._flow_plan(slots, clients, generation), self.file)

    def hand_out(self, desk: Desk, generation: int) -> None:
        """Have the lanes of *generation* take the newest plan, and log it."""
        desk.hand_out(self.file)
        shares = [tp for slot in self.shares for tp in slot]
        emit(
            PLAN_MADE,
            flow=self._config.flow,
            generation=generation,
            plan=self.version,
            topic_count=len({tp.topic for tp in shares}),
            partition_count=len(shares),
            slot_count=self._slots,
        )

    @property
    def slots(self) -> int:
        """Spark tasks side by side."""
        return self._slots

    @property
    def shares(self) -> tuple[tuple[TopicPartition, ...], ...]:
        """The partitions of every slot, by the newest plan; empty before the first."""
        return () if self._last is None else self._last.slots

    @property
    def slot_of(self) -> Mapping[TopicPartition, int]:
        """Which slot has which partition, by the newest plan."""
        return {} if self._last is None else self._last.slot_of()

    @property
    def group(self) -> str:
        """The group on the target that holds the flow's positions."""
        return position_group(self._config.flow)

    def moved(self, partitions: Collection[TopicPartition]) -> None:
        """Note that these have other positions now than lanes have reported."""
        self._moved |= frozenset(partitions)

    def tell_parked(self) -> None:
        """Log what stands still, as far as it was not told."""
        self.parked_lines.tell(self._progress.parked)

    def _spread(self, shares: Mapping[TopicPartition, Share], *, may_move: bool) -> SlotPlan:
        loads = []
        for tp in shares:
            copied_bytes, lag = self._progress.load(tp)
            loads.append(
                PartitionLoad(partition=tp, bytes_per_s=float(copied_bytes), lag_records=lag)
            )
        home = {**self._holders.slot_of(), **self.slot_of}
        return plan_slots(loads, self._slots, home, may_move=may_move)

    def _known(self, mirrored: Sequence[Mirrored]) -> dict[TopicPartition, int]:
        """Positions of partitions that simply go on: not parked, and not of another topic id."""
        parked = {entry.partition for entry in self._progress.parked}
        others = parked | self._moved
        before = set(self.mirrored)
        positions = self._progress.positions
        return {
            m.source: positions[m.source]
            for m in mirrored
            if m in before and m.source in positions and m.source not in others
        }

    def _recreated(self, partitions: Sequence[Mirrored]) -> list[Mirrored]:
        """Those whose target topic is another one than the one that was copied to."""
        ids = self._target_ids
        return [
            m
            for m in partitions
            if m.target_id and ids.get(m.target) and ids[m.target] != m.target_id
        ]

    def _tell_gone(self, mirrored: Sequence[Mirrored]) -> None:
        now = {m.source.topic for m in mirrored}
        selection = self._config.topic_selection()
        for topic in sorted({m.source.topic for m in self.mirrored} - now):
            if selection.selects(topic):
                emit(TOPIC_GONE, flow=self._config.flow, topic=topic)
            else:
                emit(TOPIC_DESELECTED, flow=self._config.flow, topic=topic)

    def _share(self, partition: Mirrored) -> Share:
        poison = self._config.poison.of(partition.source.topic)
        if poison is Poison.DLQ and not self.dlq_topic:
            poison = Poison.PARK  # what cannot be kept is not given up
        return Share(
            topic=partition.source.topic,
            partition=partition.source.partition,
            target=partition.target.topic,
            position=partition.position.topic,
            topic_id=partition.topic_id,
            target_id=partition.target_id,
            until=self.ends.get(partition.source),
            poison=poison.value,
        )

    def _flow_plan(
        self, slots: tuple[tuple[Share, ...], ...], clients: FlowClients, generation: int
    ) -> FlowPlan:
        config = self._config
        return FlowPlan(
            flow=str(config.flow),
            generation=generation,
            version=self.version,
            driver=self._owner.driver,
            group=self.group,
            owner_topic=config.offset_storage_topic,
            offset_map_topic=self.offset_map_topic,
            dlq_topic=self.dlq_topic,
            whole_batches=config.whole_batches,
            exactly_once=config.exactly_once,
            commit_interval_ms=config.commit_interval_ms,
            commit_bytes_max=config.commit_bytes_max,
            connections_max=config.connections_max,
            consumer=clients.consumer,
            producer=clients.producer,
            admin=clients.admin,
            slots=tuple(
                SlotWork(
                    transactional_ids=slot_transactional_ids(config.flow, number), shares=shares
                )
                for number, shares in enumerate(slots)
            ),
        )


def _cuts(parked: Sequence[ParkedPartition]) -> dict[TopicPartition, int]:
    """From which target offset on lanes saw that records of source partitions are lost."""
    return {
        entry.partition: entry.at
        for entry in parked
        if entry.kind == ParkCode.TARGET_LOST_RECORDS.value and entry.at is not None
    }
