"""What is copied and what is not, by all that was ordered of a flow; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from kmirror.model import TopicPartition
from kmirror.wire.control_orders import (
    ControlRecord,
    Obeyed,
    PauseOrder,
    PauseVerb,
    Reloaded,
    ReloadOrder,
    Scope,
    SeekOrder,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """
    What of a flow is not copied at a moment, because of orders.

    Args:
        pauses: Partitions that shall stand still, and why.
        seeking: Partitions that stand still until they have been moved elsewhere.
    """

    pauses: Mapping[TopicPartition, PauseOrder] = field(default_factory=dict)
    seeking: frozenset[TopicPartition] = frozenset()

    def __contains__(self, partition: TopicPartition) -> bool:
        return partition in self.pauses or partition in self.seeking


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """
    All that was ordered of a flow; a new one is made of each change.

    Args:
        pauses: The newest order for each scope, with its offset in the control topic.
        seeks: The newest order for each partition, done or not.
        obeyed: What the driver said last; `None` before the first one has said anything.
        reload: The newest order to read the file again.
        reloaded: What came of one.
        next_offset: Behind the last order, in the control topic.
    """

    pauses: Mapping[Scope, tuple[int, PauseOrder]] = field(default_factory=dict)
    seeks: Mapping[TopicPartition, SeekOrder] = field(default_factory=dict)
    obeyed: Obeyed | None = None
    reload: ReloadOrder | None = None
    reloaded: Reloaded | None = None
    next_offset: int = 0

    def with_records(self, records: Iterable[tuple[int, ControlRecord]]) -> Orders:
        """Return what holds after these records of the topic, which come with their offsets."""
        pauses, seeks = dict(self.pauses), dict(self.seeks)
        obeyed, next_offset = self.obeyed, self.next_offset
        reload, reloaded = self.reload, self.reloaded
        for offset, record in records:
            match record:
                case Obeyed():
                    obeyed = record
                    continue
                case Reloaded():
                    reloaded = record
                    continue
                case ReloadOrder():
                    # It has an answer of its own.
                    reload = record
                    continue
                case PauseOrder():
                    pauses[record.scope] = (offset, record)
                case SeekOrder():
                    _note_seek(seeks, record)
            next_offset = offset + 1
        return replace(
            self,
            pauses=pauses,
            seeks=seeks,
            obeyed=obeyed,
            reload=reload,
            reloaded=reloaded,
            next_offset=next_offset,
        )

    @property
    def open_reload(self) -> ReloadOrder | None:
        """The newest order to read the file again, if it has no answer yet."""
        is_open = self.reload is not None and (
            self.reloaded is None or self.reloaded.number != self.reload.number
        )
        return self.reload if is_open else None

    @property
    def open_seeks(self) -> tuple[SeekOrder, ...]:
        """The seeks that no driver has done yet."""
        return tuple(seek for seek in self.seeks.values() if seek.done_ms is None)

    def pause_of(self, partition: TopicPartition, now_ms: int) -> PauseOrder | None:
        """Return by which order *partition* is not to be copied now; `None` when it is."""
        scopes = (
            Scope(),
            Scope(topic=partition.topic),
            Scope(topic=partition.topic, partition=partition.partition),
        )
        found = [self.pauses[scope] for scope in scopes if scope in self.pauses]
        living = [entry for entry in found if not _is_over(entry[1], now_ms)]
        if not living:
            return None
        order = max(living, key=lambda entry: entry[0])[1]
        return None if order.verb is PauseVerb.RESUME else order

    def rest(self, partitions: Collection[TopicPartition], now_ms: int) -> Rest:
        """Return which of *partitions* are not to be copied now, and why."""
        if not self.pauses and not self.seeks:
            return Rest()
        # Of ten thousand topics, few are named.
        named = {scope.topic for scope in self.pauses}
        pauses = {
            tp: pause
            for tp in partitions
            if (tp.topic in named or None in named)
            and (pause := self.pause_of(tp, now_ms)) is not None
        }
        wanted = {seek.partition for seek in self.open_seeks}
        return Rest(pauses=pauses, seeking=frozenset(wanted.intersection(partitions)))

    def news(self, told_up_to: int | None, now_ms: int) -> tuple[PauseOrder, ...]:
        """
        Return the orders that nobody was told of yet.

        Args:
            told_up_to: Behind the last order that was told, in the control topic; `None` when none
                ever was: then what is over, and what ends nothing any more, is no news.
            now_ms: The time, milliseconds since the epoch.
        """
        if told_up_to is not None:
            return tuple(order for offset, order in self.pauses.values() if offset >= told_up_to)
        return tuple(
            order
            for _, order in self.pauses.values()
            if order.verb is not PauseVerb.RESUME and not _is_over(order, now_ms)
        )

    def next_expiry_ms(self, now_ms: int) -> int | None:
        """Return when the next order expires; `None` when none will."""
        times = (order.until_ms for _, order in self.pauses.values())
        return min((at for at in times if at is not None and at > now_ms), default=None)

    def expired(self, since_ms: int, now_ms: int) -> tuple[PauseOrder, ...]:
        """Return the orders that have expired behind *since_ms* and up to *now_ms*."""
        orders = (order for _, order in self.pauses.values())
        return tuple(order for order in orders if _expires_in(order, since_ms, now_ms))


def _note_seek(seeks: dict[TopicPartition, SeekOrder], record: SeekOrder) -> None:
    """Note an order, or that it is done; what was ordered meanwhile is still to be done."""
    newest = seeks.get(record.partition)
    if record.done_ms is None or newest is None or record == newest.done(record.done_ms):
        seeks[record.partition] = record


def _expires_in(order: PauseOrder, since_ms: int, now_ms: int) -> bool:
    return order.until_ms is not None and since_ms < order.until_ms <= now_ms


def _is_over(order: PauseOrder, now_ms: int) -> bool:
    return order.until_ms is not None and order.until_ms <= now_ms
