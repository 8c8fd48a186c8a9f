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
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from functools import cached_property, partial
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors, _values
from kmirror.admin.base import ClusterAdmin
from kmirror.admin.bounded_call import call_within
from kmirror.admin.connection import (
    close_producer,
    cluster_name,
    connection_settings,
    transactional_settings,
)
from kmirror.admin.owner_entry import OwnerEntry, lost_to, read_owner
from kmirror.admin.requests import PER_REQUEST_MAX
from kmirror.clock import Clock
from kmirror.errors import ClusterError, MirrorError, NameTaken
from kmirror.model import Flow, TopicPartition
from kmirror.pieces import pieces
from kmirror.plans.snapshot import GroupPosition
from kmirror.waits import waiting
from kmirror.wire.flow_names import (
    namesakes,
    offsets_topic,
    owner_transactional_id,
    position_group,
    slot_transactional_ids,
)
from kmirror.wire.position import Owner, decode_owner

# Long enough for a slow link, short enough that a killed owner's open transaction ends soon.
_TRANSACTION_TIMEOUT_MS = 30_000
# So long the library tries to commit offsets; the moment after that says that it never ends.
_SEND_S_MAX, _GRACE_S = 10.0, 2.0
_FENCING_THREADS_MAX = 16
# As lanes ask for positions (`io.kmirror.lane.Target`).
_ASKED_MAX = 5
_ASKED_EVERY_S = 1.0
# Whoever fenced us writes its entry next; one that was killed in between never does.
_SUCCESSOR_S_MAX = 15.0
_PAUSE_S = 0.05
FenceProducers = Callable[[Sequence[str]], None]
"""Ends the producers of transactional ids, and what they have open; raises `ClusterError`."""

SLOTS_MAX = 4096  # a garbled entry must not make us create producers for ever


class Ownership:
    """
    One driver's claim on a flow, on the target cluster.

    Args:
        flow: The flow.
        admin: The target's control plane.
        config: librdkafka settings for the target.
        offsets_topic: The flow's offsets topic, which must exist.
        clock: Where time comes from.
        fence: Fences slots' transactional ids; `None` for librdkafka, which waits for half a second
            where a broker has to abort something first.
        timeout_s: Deadline of each step, seconds.
    """

    def __init__(
        self,
        flow: Flow,
        admin: ClusterAdmin,
        config: Mapping[str, Any],
        *,
        offsets_topic: str,
        clock: Clock,
        fence: FenceProducers | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self._flow = flow
        self._admin = admin
        self._config = config
        self._cluster = cluster_name(flow.target, config)
        self._entry = TopicPartition(offsets_topic, 0)
        self._group = position_group(flow)
        self._clock = clock
        self._fence = fence or self._fence_by_librdkafka
        self._timeout_s = timeout_s
        self._cause = _errors.ConnectionCause()
        self._producer: Producer | None = None
        # Connected, but has fenced nobody.
        self._ready: Producer | None = None
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

    def connect(self) -> None:
        """Begin to connect; a claim some milliseconds later fences without waiting for it."""
        # What is wrong with the settings, the claim says.
        with suppress(KafkaException):
            self._ready = self._ready or self._new_producer(owner_transactional_id(self._flow))

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
        doing = f"claim flow {self._flow}"
        try:
            self._seen = self.read_owner()
            self._check_names(self._seen)
            self._check_hold(self._seen, owner, release=release)
            ready, self._ready = self._ready, None
            self._producer = ready or self._new_producer(owner_transactional_id(self._flow))
            with self._waiting(doing):
                self._end_earlier(self._producer)
            # Read after fencing: the previous owner can no longer change its entry.
            self._seen = previous = self.read_owner()
            self._check_names(previous)
            self._check_hold(previous, owner, release=release)
            generation = (previous.generation if previous is not None else 0) + 1
            self._commit(OwnerEntry(generation=generation, owner=owner))
            self._fence_slots(max(owner.slots, _slots_of(previous)))
        except KafkaException as error:
            raise self._lost(error, doing) from error
        self.check()
        return generation

    def _check_hold(self, entry: OwnerEntry | None, owner: Owner, *, release: bool) -> None:
        if entry is not None and entry.is_hold and not (owner.hold or release):
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
        try:
            self._commit(self._claimed)
        except KafkaException as error:
            raise self._lost(error, f"refresh the claim on flow {self._flow}") from error

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
        doing = f"write positions of flow {self._flow}"
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        while True:
            try:
                return self._commit_positions(positions, doing)
            except KafkaException as error:
                if not self.is_claimed:
                    raise self._lost(error, doing) from error
                if not _errors.is_transient(error) or self._clock.monotonic_s() >= deadline_s:
                    raise self._translated(error, doing) from error
            self._clock.wait(threading.Event(), _PAUSE_S)

    @property
    def is_claimed(self) -> bool:
        """Whether anything can be written; not after an answer that never came."""
        return self._producer is not None

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
            close_producer(self._ready)
            self._ready = None

    def _let_go(self) -> None:
        if self._producer is not None:
            close_producer(self._producer)
            self._producer = None

    def _commit(self, entry: OwnerEntry) -> None:
        """Write the entry in a transaction of its own, so that a fenced driver cannot."""
        assert entry.owner is not None, "our own entry names us"
        at = GroupPosition(offset=entry.generation, metadata=entry.owner.encode())
        self._commit_positions({self._entry: at}, f"write the claim on flow {self._flow}")
        self._claimed = self._seen = entry

    def _commit_positions(
        self, positions: Mapping[TopicPartition, GroupPosition], doing: str
    ) -> None:
        offsets = [_values.committed(tp, at) for tp, at in sorted(positions.items())]
        # Plans and the refreshing of the claim have threads of their own.
        with self._one_transaction:
            if self._producer is None:
                # An earlier step failed in a way that left its outcome open.
                raise ClusterError(
                    f"the claim on flow {self._flow} was lost", hint="claim the flow again"
                )
            try:
                with self._waiting(doing):
                    self._transact(self._producer, offsets)
            except KafkaException as error:
                if not self._aborted(self._producer, error):
                    self.close()
                raise
            except TimeoutError as error:
                self._producer = None  # the call is still in it
                raise self._translated(error, doing) from error

    def _transact(self, producer: Producer, offsets: Sequence[KafkaPartition]) -> None:
        producer.begin_transaction()
        limit_s, group = min(self._timeout_s, _SEND_S_MAX), self._group_metadata
        for chunk in pieces(offsets, PER_REQUEST_MAX):
            send = partial(producer.send_offsets_to_transaction, list(chunk), group, limit_s)
            # librdkafka waits without end for a coordinator that has left (its issues 5456, 5511).
            call_within(limit_s + _GRACE_S, send)
        producer.commit_transaction(self._timeout_s)

    def _aborted(self, producer: Producer, error: KafkaException) -> bool:
        """Abort what was refused, and say whether the next transaction can begin."""
        if _errors.is_fenced(error) or not _errors.kafka_error(error).txn_requires_abort():
            return False
        try:
            producer.abort_transaction(self._timeout_s)
        except KafkaException:
            return False
        return True

    @cached_property
    def _group_metadata(self) -> Any:
        """What a transaction says of the group; the library has it from a consumer alone."""
        settings = {**self._config, "group.id": self._group}
        # It never joins, and what it gives outlives it.
        with closing(Consumer(connection_settings(settings, self._cause))) as consumer:
            return consumer.consumer_group_metadata()

    def _fence_slots(self, slots: int) -> None:
        """Bump the epoch of every slot's transactional id, which aborts what it had open."""
        ids = [name for slot in range(slots) for name in slot_transactional_ids(self._flow, slot)]
        with self._waiting(f"fence earlier drivers of flow {self._flow}"):
            self._fence(ids)

    def _fence_by_librdkafka(self, ids: Sequence[str]) -> None:
        workers = min(len(ids), _FENCING_THREADS_MAX)
        with ThreadPoolExecutor(max_workers=workers) as pool:
            # `list` raises the first error after all have been tried.
            list(pool.map(self._init_producer, ids))

    def _init_producer(self, transactional_id: str) -> None:
        producer = self._new_producer(transactional_id)
        try:
            self._end_earlier(producer)
        finally:
            close_producer(producer)

    def _end_earlier(self, producer: Producer) -> None:
        """Fence earlier producers of the same transactional id."""
        # Without a connection librdkafka looks twice a second for one; this waits for one.
        producer.list_topics(self._entry.topic, self._timeout_s)
        producer.init_transactions(self._timeout_s)

    def _new_producer(self, transactional_id: str) -> Producer:
        return Producer(
            transactional_settings(
                self._config, self._cause, transactional_id, timeout_ms=_TRANSACTION_TIMEOUT_MS
            )
        )

    def _lost(self, error: KafkaException, doing: str) -> MirrorError:
        """Return our error, and drop a producer whose state is unknown."""
        self.close()
        if not _errors.is_fenced(error):
            return self._translated(error, doing)
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

    def _waiting(self, doing: str) -> AbstractContextManager[None]:
        return waiting(f"for {self._cluster}", doing, why=self._cause.words)

    def _translated(self, error: KafkaException | TimeoutError, doing: str) -> ClusterError:
        return _errors.translate(error, cluster=self._cluster, doing=doing, cause=self._cause)


def _slots_of(entry: OwnerEntry | None) -> int:
    if entry is None or entry.owner is None:
        return 0
    return min(entry.owner.slots, SLOTS_MAX)
