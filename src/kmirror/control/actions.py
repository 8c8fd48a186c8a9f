"""What may be ordered of a flow: for the command line, REST and the console alike."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.owner_entry import read_owner
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import ControlChannel
from kmirror.control.targets import SeekTarget
from kmirror.errors import ClusterError, ClusterUnavailable, OrderRefused
from kmirror.model import TopicPartition
from kmirror.plans.windows import rest_at
from kmirror.policy.selection import is_generation_name
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope, SeekOrder
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import position_place

_PAUSE_S = 0.1
# How long whoever gave an order looks whether a driver obeys it.
EFFECT_S_MAX = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSeek:
    """
    One partition that shall go on elsewhere.

    Args:
        order: What would be ordered.
        position: Where it would go on otherwise; `None` when it was never copied.
    """

    order: SeekOrder
    position: int | None

    @property
    def again(self) -> int:
        """How many source offsets would be copied again."""
        return 0 if self.position is None else max(0, self.position - self.order.offset)

    @property
    def skipped(self) -> int:
        """How many source offsets would not be copied."""
        return 0 if self.position is None else max(0, self.order.offset - self.position)

    def __str__(self) -> str:
        if self.again:
            words = f"copies {self.again:,} source offsets again"
        elif self.skipped:
            words = f"gives up {self.skipped:,} source offsets"
        else:
            words = "is there already" if self.position is not None else "was never copied"
        return f"{self.order.partition}: {self.position} -> {self.order.offset}: {words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """
    What became of orders.

    Args:
        generation: The driver's that obeys them; `None` when none does so far.
        took_s: How long that took, seconds.
    """

    generation: int | None
    took_s: float

    def __str__(self) -> str:
        if self.generation is None:
            return "no driver has obeyed it yet: it will be in effect when one runs"
        return f"in effect after {self.took_s:.1f} s"


class ControlActions:
    """
    Orders of one flow.

    Args:
        config: The flow.
        source, target: Control planes.
        channel: Where orders are written.
        clock: Where time comes from.
        read_generations: Gives the flow with the generations that its copies are in. Few orders
            depend on them, and reading them may take longer than an order.
    """

    def __init__(
        self,
        config: FlowConfig,
        source: ClusterAdmin,
        target: ClusterAdmin,
        channel: ControlChannel,
        clock: Clock,
        *,
        read_generations: Callable[[], FlowConfig],
    ) -> None:
        self._config = config
        self._source = source
        self._target = target
        self._channel = channel
        self._clock = clock
        self._in_generations = cache(read_generations)

    def pause(
        self, verb: PauseVerb, scope: Scope, author: Author, *, until_ms: int | None = None
    ) -> PauseOrder:
        """
        Order that something is copied, or not; return the order.

        Args:
            verb: Which of the two.
            scope: What.
            author: Who orders it.
            until_ms: When that expires, milliseconds since the epoch; `None` for never.

        Raises:
            OrderRefused: The flow has no such topic or partition.
            ClusterError: The order could not be written.
        """
        self._check(scope)
        order = PauseOrder(verb=verb, scope=scope, author=author, until_ms=until_ms)
        self._write([order])
        return order

    def retry(self, topic: str, author: Author) -> bool:
        """
        Have what is parked of a topic tried again at once, unless somebody has paused it.

        Args:
            topic: A topic of the source.
            author: Who wants it.

        Returns:
            Whether that was ordered.

        Raises:
            ClusterError: The order could not be written.
        """
        self._channel.look()
        now_ms, orders = self._clock.wall_ms(), self._channel.orders
        partitions = self._partitions(Scope(topic=topic))
        if rest_at(orders, self._config.window, partitions, now_ms).pauses:
            return False
        self.pause(PauseVerb.RESUME, Scope(topic=topic), author)
        return True

    def plan_seek(
        self, verb: str, scope: Scope, to: SeekTarget | None, author: Author
    ) -> tuple[PlannedSeek, ...]:
        """
        Work out what a seek would do; nothing is changed.

        Args:
            verb: `seek` or `skip`.
            scope: A topic, or a partition of one.
            to: Where they shall go on; `None` is one offset further, for a skip.
            author: Who would order it.

        Raises:
            OrderRefused: There is no such topic or partition, or the place is not in its log.
            ClusterError: A cluster could not be asked.
        """
        partitions = self._partitions(scope)
        positions = self._positions(partitions)
        starts = self._source.offsets(partitions, "earliest")
        ends = self._source.offsets(partitions, "latest")
        if missing := [tp for tp in partitions if tp not in starts or tp not in ends]:
            raise ClusterUnavailable(f"the source does not tell the offsets of {missing[0]}")
        wanted = self._wanted(partitions, to, positions, starts, ends)
        planned = []
        for tp, offset in wanted.items():
            if not starts[tp] <= offset <= ends[tp]:
                raise OrderRefused(
                    f"{tp}: offset {offset} is not in the source's log, which has "
                    f"{starts[tp]} to {ends[tp]}"
                )
            position = positions.get(tp)
            if verb == "skip" and (position is None or offset <= position):
                raise OrderRefused(
                    f"{tp}: a skip only goes forward, and it stands at {position}",
                    hint="`kmirror seek` goes anywhere",
                )
            order = SeekOrder(verb=verb, partition=tp, offset=offset, author=author)
            planned.append(PlannedSeek(order=order, position=position))
        return tuple(planned)

    def seek(self, planned: Sequence[PlannedSeek], *, allow_repeats: bool = False) -> None:
        """
        Order what was planned.

        Args:
            planned: By `plan_seek`.
            allow_repeats: Records may be copied that are on the target already.

        Raises:
            OrderRefused: Records would be there twice.
            ClusterError: The orders could not be written.
        """
        if (again := sum(each.again for each in planned)) and not allow_repeats:
            raise OrderRefused(
                f"{again:,} source offsets would be copied again: their records are on the target "
                "twice then",
                hint="add --allow-repeats if that is wanted",
            )
        self._write([each.order for each in planned])

    def _write(self, orders: Sequence[PauseOrder | SeekOrder]) -> None:
        """Write orders; where no answer came, nobody knows whether they are there."""
        try:
            self._channel.write(orders)
        except ClusterUnavailable as error:
            raise ClusterUnavailable(
                error.message,
                hint="the order may have been given all the same: see `kmirror status` before you "
                "give it again",
            ) from error

    def await_effect(self, timeout_s: float = EFFECT_S_MAX) -> Effect:
        """
        Wait until a driver has obeyed all that was ordered so far.

        Args:
            timeout_s: How long to wait; where nobody drives the flow, nobody will obey.

        Raises:
            ClusterError: The target could not be asked.
        """
        began_s, never = self._clock.monotonic_s(), threading.Event()
        self._channel.look()
        wanted = self._channel.orders.next_offset
        owner = read_owner(self._config.flow, self._target, self._config.offset_storage_topic)
        while True:
            took_s = self._clock.monotonic_s() - began_s
            obeyed = self._channel.orders.obeyed
            is_driver = owner is not None and not owner.is_hold
            if obeyed is not None and obeyed.up_to >= wanted:
                return Effect(generation=obeyed.generation, took_s=took_s)
            if not is_driver or took_s >= timeout_s:
                return Effect(generation=None, took_s=took_s)
            self._clock.wait(never, _PAUSE_S)
            self._channel.look()

    def _check(self, scope: Scope) -> None:
        """Refuse what the flow does not have, as far as that is known."""
        if scope.topic is None:
            return
        if not self._selects(scope.topic):
            raise self._not_copied(scope.topic)
        try:
            self._partitions(scope)
        except ClusterError:
            return  # the target, where orders lie, is enough

    def _partitions(self, scope: Scope) -> tuple[TopicPartition, ...]:
        assert scope.topic is not None, "a seek is about a topic"
        state = self._source.topic(scope.topic)
        if state is None or not self._selects(scope.topic):
            raise self._not_copied(scope.topic)
        if scope.partition is None:
            return tuple(TopicPartition(scope.topic, number) for number in range(state.partitions))
        if not 0 <= scope.partition < state.partitions:
            raise OrderRefused(
                f"topic {scope.topic} has no partition {scope.partition}, only 0 to "
                f"{state.partitions - 1}"
            )
        return (TopicPartition(scope.topic, scope.partition),)

    def _selects(self, topic: str) -> bool:
        """Tell whether the flow copies it; not if its copy's name is that of a generation."""
        selection = self._config.topic_selection()
        if selection.selects(topic) and is_generation_name(selection.first_copy(topic)):
            selection = self._in_generations().topic_selection()
        return selection.selects(topic)

    def _not_copied(self, topic: str) -> OrderRefused:
        return OrderRefused(
            f"{self._config.flow} does not copy a topic {topic}",
            hint="give its name on the source; `kmirror status` lists what is copied",
        )

    def _positions(self, partitions: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
        remote_topic = self._in_generations().topic_selection().remote_topic
        merged = self._config.policy.merges
        places = {
            tp: position_place(
                tp, TopicPartition(remote_topic(tp.topic), tp.partition), merged=merged
            )
            for tp in partitions
        }
        found = self._target.group_positions(
            position_group(self._config.flow), list(places.values())
        )
        return {tp: found[place].offset for tp, place in places.items() if place in found}

    def _wanted(
        self,
        partitions: Sequence[TopicPartition],
        to: SeekTarget | None,
        positions: Mapping[TopicPartition, int],
        starts: Mapping[TopicPartition, int],
        ends: Mapping[TopicPartition, int],
    ) -> dict[TopicPartition, int]:
        if to is None:
            return {tp: positions.get(tp, starts[tp]) + 1 for tp in partitions}
        if to.offset is not None:
            return dict.fromkeys(partitions, to.offset)
        if to.at_ms is not None:
            found = self._source.offsets_at(partitions, to.at_ms)
            return {tp: found.get(tp, ends[tp]) for tp in partitions}
        return {tp: (starts if to.end == "earliest" else ends)[tp] for tp in partitions}
