"""
Who drives a flow: fencing with transactional ids.

A driver that starts takes the flow over from whoever had it: first it fences the owner's own
producer, then it writes itself into the flow's group as the new owner, then it fences every slot,
also those that its own plan no longer has. Only after that may positions be read: a task of the old
driver can then no longer commit behind its back.

The owner's entry is an offset of the flow's group like any position: partition 0 of the flow's
offsets topic, offset = generation, metadata = who. It expires like one too, so `refresh` it.

Two flows may have the same names; see `wire.flow_names`. On one cluster they would fence each other
for ever, so whoever comes second is refused, before it has fenced anybody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.kafka_clients import PositionWriter
from kmirror.admin.owner_entry import OwnerEntry, lost_to, read_owner
from kmirror.clock import Clock
from kmirror.errors import ClusterError, MirrorError, NameTaken, ProducerFenced
from kmirror.model import Flow, TopicPartition
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.text import first_few
from kmirror.wire.flow_names import (
    namesakes,
    offsets_topic,
    position_group,
    slot_transactional_ids,
)
from kmirror.wire.position import Owner, decode_owner

# As lanes ask for positions (`io.kmirror.lane.TargetAdmin`).
_ASKED_MAX = 5
_ASKED_EVERY_S = 1.0
# Whoever fenced us writes its entry next; one that was killed in between never does.
_SUCCESSOR_S_MAX = 15.0
_PAUSE_S = 0.05
OpenWriter = Callable[[], PositionWriter]
"""Opens a producer with the owner's transactional id, for offsets of the flow's group."""
FenceProducers = Callable[[Sequence[str]], None]
"""Ends the producers of transactional ids, and what they have open; raises `ClusterError`."""

SLOTS_MAX = 4096  # a garbled entry must not make us create producers for ever


class Ownership:
    """
    One driver's claim on a flow, on the target cluster.

    Args:
        flow: The flow.
        admin: The target's control plane.
        offsets_topic: The flow's offsets topic, which must exist.
        open_writer: Opens what writes entry and positions.
        fence: Fences slots' transactional ids.
        clock: Where time comes from.
    """

    def __init__(
        self,
        flow: Flow,
        admin: ClusterAdmin,
        *,
        offsets_topic: str,
        open_writer: OpenWriter,
        fence: FenceProducers,
        clock: Clock,
    ) -> None:
        self._flow = flow
        self._admin = admin
        self._entry = TopicPartition(offsets_topic, 0)
        self._group = position_group(flow)
        self._open_writer = open_writer
        self._fence = fence
        self._clock = clock
        self._writer: PositionWriter | None = None
        # Connected, but has fenced nobody.
        self._ready: PositionWriter | None = None
        # Plans and the refreshing of the claim have threads of their own.
        self._one_transaction = threading.Lock()
        self._claimed: OwnerEntry | None = None
        self._seen: OwnerEntry | None = None  # older than whoever fences us from now on

    def read_owner(self, *, was_owned: bool = False) -> OwnerEntry | None:
        """
        Return who owns the flow now; `None` when nobody ever did.

        Args:
            was_owned: Somebody did, so `None` is asked again for some seconds: a coordinator that
                has just been restarted may answer as if there were nothing.
        """
        for _ in range(_ASKED_MAX - 1 if was_owned else 0):
            found = read_owner(self._flow, self._admin, self._entry.topic)
            if found is not None:
                return found
            self._clock.wait(threading.Event(), _ASKED_EVERY_S)
        return read_owner(self._flow, self._admin, self._entry.topic)

    def check_hold(self) -> None:
        """
        Look whether the flow may be claimed, before what a claim needs is made ready.

        Raises:
            Held: Somebody keeps the flow from copying.
            ClusterError: The target refused or did not answer.
        """
        self._check_hold(self.read_owner(), may_replace=False)

    def connect(self) -> None:
        """Begin to connect; a claim some milliseconds later fences without waiting for it."""
        self._ready = self._ready or self._open_writer()

    def claim(self, owner: Owner, *, release: bool = False) -> int:
        """
        Become the owner and fence everything that belongs to earlier ones.

        Args:
            owner: Who claims; `slots` is the number of slots of its plan.
            release: End a hold; without, only another hold may take its place.

        Returns:
            The new generation, larger than every earlier one.

        Raises:
            Fenced: Another driver claimed the flow at the same time, and won.
            Held: Somebody keeps the flow from copying.
            NameTaken: The names are another flow's.
            ClusterError: The target refused or did not answer: nothing is known, claim again.
        """
        assert 1 <= owner.slots <= SLOTS_MAX, "the number of slots is out of range"
        self._let_go()
        doing, may_replace = f"claim flow {self._flow}", bool(owner.hold) or release
        self._seen = self.read_owner()
        self._check_names(self._seen)
        self._check_hold(self._seen, may_replace=may_replace)
        ready, self._ready = self._ready, None
        writer = self._writer = ready or self._open_writer()
        try:
            writer.fence(doing)
            # Read after fencing: the previous owner can no longer change its entry.
            was_owned = self._seen is not None
            self._seen = previous = self.read_owner(was_owned=was_owned)
            self._check_names(previous)
            self._check_hold(previous, may_replace=may_replace)
            generation = (previous.generation if previous is not None else 0) + 1
            self._write_entry(OwnerEntry(generation=generation, owner=owner))
            self._fence_slots(max(owner.slots, _slots_of(previous)))
        except ClusterError:
            self._let_go()
            raise
        self.check()
        return generation

    def _check_hold(self, entry: OwnerEntry | None, *, may_replace: bool) -> None:
        if entry is not None and entry.is_hold and not may_replace:
            raise lost_to(str(self._flow), entry)

    def _check_names(self, own: OwnerEntry | None) -> None:
        """Look for an owner of another flow of the same names, also in its own offsets topic."""
        if own is not None and own.owner is not None:
            self._check_owner(own.owner, self._entry)
        others = [name for flow in namesakes(self._flow) for name in (flow.source, flow.target)]
        if not others:
            return
        # An alias topic's flow names its offsets topic by its target.
        topics = {offsets_topic(name) for name in others} & self._admin.topics().keys()
        entries = [TopicPartition(topic, 0) for topic in sorted(topics)]
        for entry, position in self._admin.group_positions(self._group, entries).items():
            owner = decode_owner(position.metadata)
            if owner is not None:
                self._check_owner(owner, entry)

    def _check_owner(self, owner: Owner, entry: TopicPartition) -> None:
        # An older version's entry does not say whose it is; its place does.
        if owner.flow == str(self._flow) or (not owner.flow and entry == self._entry):
            return
        raise NameTaken(
            f"{self._flow} would have the names of {owner.flow or 'another flow'} on the same "
            f"cluster, such as the group {self._group}; that one belongs to {owner}",
            hint="rename an alias of one of the two; if the other flow is gone for good, delete "
            f"its entry: kafka-consumer-groups.sh --delete-offsets --group {self._group} "
            f"--topic {entry.topic}:{entry.partition}",
        )

    def refresh(self) -> None:
        """
        Write the entry again: it must not expire, and a fenced driver learns of it here.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            ClusterError: The target refused or did not answer; claim again.
        """
        assert self._claimed is not None, "claim the flow first"
        self._write_entry(self._claimed)

    def write_positions(self, positions: Mapping[TopicPartition, GroupPosition]) -> None:
        """
        Commit positions of the flow: all or none, and none if another driver has it by then.

        Args:
            positions: By the partitions that the flow's group has them under.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            ClusterError: The target refused or did not answer; unless `is_claimed`, claim again.
        """
        topics = sorted({at.topic for at in positions})
        doing = f"write positions of flow {self._flow}"
        # The producer would ask again and again about a topic that is gone, and lose the claim.
        if gone := self._gone(topics):
            raise ClusterError(f"could not {doing}: {self._flow.target} has no {first_few(gone)}")
        self._write(positions, f"{doing}: {first_few(topics)}")

    def keep_positions(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """
        Commit positions again as they are: what nobody commits expires.

        Args:
            partitions: Those that the flow's group has them under, if no lane commits them; all
                of the group's otherwise.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            ClusterError: The target refused or did not answer; unless `is_claimed`, claim again.
        """
        found = self._admin.group_positions(self._group, partitions)
        positions = {at: to for at, to in found.items() if at != self._entry}
        if positions:
            self.write_positions(positions)

    def _gone(self, topics: Sequence[str]) -> list[str]:
        try:
            there = self._admin.topic_ids(topics)
        except ClusterError:
            return []  # nobody knows; the producer asks other brokers, too, and says what is wrong
        return [topic for topic in topics if topic not in there]

    @property
    def is_claimed(self) -> bool:
        """Whether anything can be written; not after an answer that never came."""
        return self._writer is not None and self._writer.is_usable

    def check(self) -> None:
        """
        Compare the entry with our claim.

        Raises:
            Fenced: A newer driver owns the flow.
        """
        assert self._claimed is not None, "claim the flow first"
        current = self.read_owner(was_owned=True)
        if current != self._claimed:
            raise lost_to(str(self._flow), current)

    def close(self) -> None:
        """Let go of connections; the claim stays until somebody else makes one."""
        self._let_go()
        if self._ready is not None:
            self._ready.close()
            self._ready = None

    def _let_go(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _write_entry(self, entry: OwnerEntry) -> None:
        """Write the entry in a transaction of its own, so that a fenced driver cannot."""
        assert entry.owner is not None, "our own entry names us"
        at = GroupPosition(offset=entry.generation, metadata=entry.owner.encode())
        self._write({self._entry: at}, f"write the claim on flow {self._flow}")
        self._claimed = self._seen = entry

    def _write(self, positions: Mapping[TopicPartition, GroupPosition], doing: str) -> None:
        try:
            with self._one_transaction:
                self._transact(positions, doing)
        except ProducerFenced as error:
            raise self._overtaken(doing) from error

    def _transact(self, positions: Mapping[TopicPartition, GroupPosition], doing: str) -> None:
        if self._writer is None:
            # An earlier step failed in a way that left its outcome open.
            raise ClusterError(
                f"the claim on flow {self._flow} was lost", hint="claim the flow again"
            )
        try:
            self._writer.write(positions, doing)
        except ClusterError:
            if not self._writer.is_usable:
                self._let_go()
            raise

    def _fence_slots(self, slots: int) -> None:
        """Bump the epoch of every slot's transactional id, which aborts what it had open."""
        self._fence(
            [name for slot in range(slots) for name in slot_transactional_ids(self._flow, slot)]
        )

    def _overtaken(self, doing: str) -> MirrorError:
        successor = self._await_successor()
        if successor is not None:
            return lost_to(str(self._flow), successor)
        return ClusterError(
            f"could not {doing}: fenced by a driver that did not go on",
            hint="claim the flow again",
        )

    def _await_successor(self) -> OwnerEntry | None:
        """Fencing comes before the entry: give the fencer the time to say who it is."""
        deadline_s = self._clock.monotonic_s() + _SUCCESSOR_S_MAX
        never = threading.Event()
        while (current := self.read_owner()) == self._seen:
            if self._clock.monotonic_s() >= deadline_s:
                return None
            self._clock.wait(never, _PAUSE_S)
        return current


def _slots_of(entry: OwnerEntry | None) -> int:
    if entry is None or entry.owner is None:
        return 0
    return min(entry.owner.slots, SLOTS_MAX)
