"""A worker's end of the topic in which those of a group tell each other who is there."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.log_follower import LogFollower
from kmirror.admin.owner_entry import THIS_PROCESS
from kmirror.admin.reader import StoredRecord
from kmirror.clock import Clock
from kmirror.errors import MirrorError
from kmirror.events.connect import WORKERS_SHARED, WORKERS_UNREACHABLE
from kmirror.events.emit import emit
from kmirror.model import TopicPartition
from kmirror.runtime.group import BEAT_INTERVAL_S, REPEAT_INTERVAL_S, Group
from kmirror.schedule.throttle import Throttle
from kmirror.wire.worker_group import Offer, Shares, SignOfLife, WorkerRecord, decode_worker_record

_TICK_S = 0.05
# Who was away for so long itself judges nobody by it.
_AWAY_S = 1.0
_TIMEOUT_S = 5.0
_READ_S_MAX = 30.0
_READ_AGAIN_S = 5.0
# A reader that has trouble for so long does not come out of it by itself.
_TROUBLE_S_MAX = 2.0
_CLOSE_S_MAX = 2.0
# SIGTERM promises an end within 10 s; the rest is for flows that nobody has taken over.
_HANDOVER_S_MAX = 3.0
# What is older than a minute means nothing; the broker may forget it.
_CONFIGS = (
    ("cleanup.policy", "compact,delete"),
    ("retention.ms", str(3_600_000)),
    ("segment.ms", str(600_000)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNames:
    """
    What a group and its parts are called.

    Args:
        group: The group, for people.
        topic: Where its members meet.
        cluster: The topic's cluster, for people.
        member: This one, as others shall show it, such as `host:port`.
    """

    group: str
    topic: str
    cluster: str
    member: str


class GroupChannel:
    """
    Says that this worker is there, hears the others, and shares the flows when it leads.

    Args:
        names: What is called how.
        admin: The control plane of the cluster where the group meets.
        rdkafka: librdkafka settings for it.
        replication_factor: Of the topic.
        held: Gives what this worker has not let go.
        clock: Where time comes from.
    """

    def __init__(
        self,
        names: GroupNames,
        *,
        admin: ClusterAdmin,
        rdkafka: Mapping[str, Any],
        replication_factor: int,
        held: Callable[[], Collection[str]],
        clock: Clock,
    ) -> None:
        self._names = names
        # Whoever began before comes first in the order of these.
        self._instance = f"{clock.wall_ms():015d}-{secrets.token_hex(4)}"
        self._admin = admin
        self._flows: Callable[[], Collection[str]] = tuple
        self._held = held
        self._clock = clock
        self._group = Group(self._instance)
        self._lock = threading.Lock()
        self._throttle = Throttle(clock)
        cluster = names.cluster
        self._rdkafka = rdkafka
        self._writer = InternalWriter(rdkafka, cluster=cluster, timeout_s=_TIMEOUT_S, clock=clock)
        self._topic = InternalTopic(
            names.topic,
            admin,
            self._writer,
            replication_factor=replication_factor,
            configs=_CONFIGS,
        )
        self._follower = self._new_follower()
        self._read_s = self._heard_s = clock.monotonic_s()
        self._has_read = True
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kmirror-group", daemon=True)
        self._joined = threading.Event()
        self._leaves = False
        self._offer: Offer | None = None
        self._offered: Offer | None = None
        self._offered_s = 0.0
        self._said: SignOfLife | None = None
        self._said_s = 0.0

    def start(self, flows: Callable[[], Collection[str]]) -> None:
        """
        Read what was said before, and listen.

        Args:
            flows: Gives what there is to do, of all workers together, besides what they offer.

        Raises:
            MirrorError: The cluster refused, or did not answer.
        """
        self._flows = flows
        self._topic.create()
        self._read()
        self._thread.start()

    def join(self) -> None:
        """Say from now on that this worker is there, and takes flows."""
        self._joined.set()

    def offer(self, file: str, written_ms: int, flows: Collection[str]) -> None:
        """
        Say from now on what this worker has settings for; see `Offer`.

        Args:
            file: Is the same where the file says the same.
            written_ms: When it was written, since the epoch.
            flows: Those that it has.
        """
        self._offer = Offer(
            instance=self._instance,
            file=file,
            written_ms=written_ms,
            flows=tuple(sorted(flows)),
        )

    def mine(
        self, parts: Mapping[str, Collection[str]], running: Collection[str]
    ) -> frozenset[str]:
        """Return what this worker shall run now; see `Group.mine`."""
        with self._lock:
            return self._group.mine(self._clock.monotonic_s(), parts, running)

    def take_lost(self) -> frozenset[str]:
        """Return the flows that were another's since this was asked last."""
        with self._lock:
            lost, self._group.lost = frozenset(self._group.lost), set()
        return lost

    def may_take_back(self, fenced: Mapping[str, str]) -> frozenset[str]:
        """Return which flows this worker may claim again; see `Group.may_take_back`."""
        with self._lock:
            return self._group.may_take_back(fenced, self._clock.monotonic_s())

    @property
    def is_member(self) -> bool:
        """Whether this worker is heard: who is not has no say."""
        with self._lock:
            return self._group.has_shares and self._group.is_member(self._clock.monotonic_s())

    @property
    def leads(self) -> bool:
        """Whether this worker is the oldest of those that are there."""
        with self._lock:
            members = self._group.members(self._clock.monotonic_s())
        return bool(members) and members[0] == self._instance

    @property
    def number(self) -> int:
        """Of the shares as they are now; 0 before the first."""
        with self._lock:
            return self._group.number

    def owners(self) -> Mapping[str, str]:
        """Return the workers that flows belong to, by flow; of those that are there."""
        with self._lock:
            return self._group.owners(self._clock.monotonic_s())

    def holds(self, flows: Collection[str]) -> bool:
        """Tell whether anybody still has any of *flows*."""
        with self._lock:
            return self._group.holds(flows, self._clock.monotonic_s())

    def leave(self) -> None:
        """Want no flows any more; others take those that this worker has."""
        self._leaves = True

    @property
    def leaves(self) -> bool:
        """Whether this worker wants no flows any more."""
        return self._leaves

    @property
    def has_others(self) -> bool:
        """Whether anybody else is there who takes flows."""
        with self._lock:
            members = self._group.members(self._clock.monotonic_s())
        return bool(set(members) - {self._instance})

    def hand_over(self, over: threading.Event) -> None:
        """
        Have others take what is held here, which goes on until they have claimed it.

        Args:
            over: Set when nobody wants to wait any more.
        """
        self.leave()
        until_s = self._clock.monotonic_s() + _HANDOVER_S_MAX
        while self._held() and self.has_others:
            if self._clock.monotonic_s() >= until_s or self._clock.wait(over, _TICK_S):
                break

    def close(self) -> None:
        """Say nothing any more, but that nothing is held; and let go of connections."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_S_MAX)
        self._follower.close()
        self._writer.close()

    def _take(self, _place: TopicPartition, stored: StoredRecord) -> None:
        record = decode_worker_record(stored.key, stored.value)
        if record is None:
            return
        with self._lock:
            before = self._group.number
            self._group.take(record, self._clock.monotonic_s())
            news = self._group.number != before
        if news and isinstance(record, Shares):
            own = sorted(flow for flow, owner in record.flows.items() if owner == self._instance)
            emit(
                WORKERS_SHARED,
                group=self._names.group,
                status=f"{len(own)} of {len(record.flows)} flows are here; "
                f"{len(record.members)} share them",
            )

    def _new_follower(self) -> LogFollower:
        return LogFollower(
            self._rdkafka, cluster=self._names.cluster, take=self._take, clock=self._clock
        )

    def _read(self) -> None:
        """Read what was said before; what comes counts."""
        self._read_s = self._clock.monotonic_s()
        place = TopicPartition(self._topic.name, 0)
        self._follower.start([place])
        self._follower.catch_up(self._admin, [place], timeout_s=_READ_S_MAX)
        with self._lock:
            self._group.listen(self._clock.monotonic_s())

    def _hears(self) -> bool:
        """
        Whether all is read that is said. If this worker was away for longer than the topic keeps
        records, where it was is cut off, and it begins anew.
        """
        now_s = self._clock.monotonic_s()
        if not self._follower.trouble:
            self._heard_s = now_s
        if self._has_read and now_s - self._heard_s < _TROUBLE_S_MAX:
            return True
        if now_s - self._read_s < _READ_AGAIN_S:
            return False
        self._has_read = False
        with self._lock:
            self._group.deafen()
        follower = self._new_follower()
        self._follower.close()
        self._follower = follower
        self._read()
        self._has_read, self._heard_s = True, self._clock.monotonic_s()
        return True

    def _run(self) -> None:
        looked_s = self._clock.monotonic_s()
        while not self._clock.wait(self._closed, _TICK_S):
            now_s = self._clock.monotonic_s()
            if now_s - looked_s > _AWAY_S:
                with self._lock:
                    self._group.forgive(now_s)
            looked_s = now_s
            self._try(self._round)
        self._leaves = True
        if self._joined.is_set():
            self._try(self._say)

    def _round(self) -> None:
        if not self._hears():
            return  # who gives it flows would not be heard: others shall have them
        if not self._joined.is_set():
            return
        # Whoever hears this one knows what it has settings for.
        self._say_offer()
        self._say()
        flows = self._flows()
        with self._lock:
            shares = self._group.proposal(flows, self._clock.monotonic_s(), self._clock.wall_ms())
        if shares is not None:
            self._write(shares)

    def _say(self) -> None:
        """Say that this worker is there: now and then, and at once when there is news."""
        sign = SignOfLife(
            instance=self._instance,
            worker_id=self._names.member,
            holds=tuple(sorted(self._held())),
            leaves=self._leaves,
            process=THIS_PROCESS,
        )
        now_s = self._clock.monotonic_s()
        if sign != self._said or now_s - self._said_s >= BEAT_INTERVAL_S:
            self._write(sign)
            self._said, self._said_s = sign, now_s

    def _say_offer(self) -> None:
        """Say it when it is new, and again and again for those who come later."""
        offer, now_s = self._offer, self._clock.monotonic_s()
        due = offer != self._offered or now_s - self._offered_s >= REPEAT_INTERVAL_S
        if offer is not None and due:
            self._write(offer)
            self._offered, self._offered_s = offer, now_s

    def _write(self, record: WorkerRecord) -> None:
        key, value = record.encode()
        self._topic.write([InternalRecord(key=key, value=value)])

    def _try(self, do: Callable[[], None]) -> None:
        try:
            do()
        except MirrorError as error:
            if self._throttle.allows("unreachable"):
                emit(WORKERS_UNREACHABLE, group=self._names.group, error=error)
