"""What operators order of a running flow: read beside it, obeyed between two of its plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import ControlChannel, open_channel
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.errors import NotAuthorized
from kmirror.events.emit import emit
from kmirror.events.reloads import WINDOW_CLOSED, WINDOW_OPENED
from kmirror.events.table import CONTROL_REFUSED, ORDER_EXPIRED, ORDER_TAKEN
from kmirror.plans.pauses import Orders, Rest
from kmirror.plans.windows import closing, next_change_ms, rest_at
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.wire.control_orders import (
    Obeyed,
    PauseOrder,
    PauseVerb,
    Reloaded,
    ReloadOrder,
    Scope,
    SeekOrder,
)

# Operators are promised 2 s; the rest is for the lanes.
_LOOK_INTERVAL_S = 0.2
_TIMEOUT_S = 5.0

AskReload = Callable[[ReloadOrder], Reloaded | None]


class FlowOrders:
    """
    The orders of one flow, for as long as it runs.

    Args:
        config: The flow.
        clients: Its clients.
        reload: Hands on an order to read the file again; returns its answer, once there is one.
        clock: Where time comes from.
    """

    def __init__(
        self, config: FlowConfig, clients: FlowClients, reload: AskReload, clock: Clock
    ) -> None:
        self._flow = config.flow
        self._reload = reload
        self._window, self._pause = config.window, config.pause
        self._closing: PauseOrder | None = None
        self._clock = clock
        self._opened = ExitStack()
        self._channel: ControlChannel = self._opened.enter_context(
            open_channel(
                config, clients.target, clients.target_rdkafka, timeout_s=_TIMEOUT_S, clock=clock
            )
        )
        self._thread = PeriodicThread(
            "kmirror-orders",
            clock,
            self._failed,
            interval_s=_LOOK_INTERVAL_S,
            release=self._opened.close,
        )
        self._thread.also(PeriodicTask(clock, 0.0, self._round))
        self._is_open = False
        # How often the target has told whether there are new ones.
        self.looks = 0
        self._error: Exception | None = None
        # Seeks that were done here; the topic says so a moment later.
        self._done: set[SeekOrder] = set()
        self._answer: Obeyed | None = None
        self._answered: Obeyed | None = None
        self._resumed: list[Scope] = []
        self._told_up_to: int | None = None
        self._told_ms = clock.wall_ms()
        self._rest = Rest()
        self._rest_of: tuple[Orders, Sequence[Mirrored], int] | None = None
        self._rest_until_ms: int | None = None

    def open(self) -> None:
        """
        Read what was ordered so far; without the rights to do so there are no orders.

        Another driver may have the flow still, and obey: `catch_up` after the claim.

        Raises:
            ClusterError: The target did not answer.
        """
        try:
            self._channel.create()
            self._channel.look()
        except NotAuthorized as error:
            emit(CONTROL_REFUSED, flow=self._flow, error=error)
            return
        self._is_open = True

    def catch_up(self) -> None:
        """
        Read what was ordered, and done, since.

        Raises:
            ClusterError: The target did not answer.
        """
        if self._is_open:
            self._channel.look()
            self._tell()

    def start(self) -> None:
        """Keep reading, until `close`."""
        if self._is_open:
            self._thread.start()

    def close(self) -> None:
        """Stop reading, and let go of connections."""
        self._thread.close(_TIMEOUT_S)

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*: it may have another window, or be paused."""
        self._window, self._pause, self._rest_of = config.window, config.pause, None

    def rest(self, mirrored: Sequence[Mirrored]) -> Rest:
        """
        Return what of *mirrored* is not to be copied now.

        Raises:
            Exception: What the thread that reads orders has failed with.
        """
        if self._error is not None:
            raise self._error
        orders, now_ms = self._channel.orders, self._clock.wall_ms()
        seen, is_over = (orders, mirrored, len(self._done)), False
        if self._rest_until_ms is not None:
            is_over = now_ms >= self._rest_until_ms
        if is_over or self._rest_of is None or not _same(self._rest_of, seen):
            partitions = [m.source for m in mirrored]
            rest = rest_at(orders, self._window, partitions, now_ms, pause=self._pause)
            done = {seek.partition for seek in self._done & set(orders.open_seeks)}
            self._rest = Rest(pauses=rest.pauses, seeking=rest.seeking - done)
            self._rest_of = seen
            self._rest_until_ms = next_change_ms(orders, self._window, now_ms)
            self._tell()
        return self._rest

    @property
    def resumed(self) -> tuple[Scope, ...]:
        """What somebody wants to be copied again, and was not tried since."""
        return tuple(self._resumed)

    def tried(self, scope: Scope) -> None:
        """Note that a plan was made with all in it that *scope*, the oldest of these, covers."""
        self._resumed.remove(scope)

    def seeks(self, rest: Rest) -> tuple[SeekOrder, ...]:
        """Return the seeks of partitions that rest for one."""
        open_seeks = self._channel.orders.open_seeks
        return tuple(seek for seek in open_seeks if seek.partition in rest.seeking)

    def done(self, seeks: Sequence[SeekOrder]) -> None:
        """
        Write down that these were done.

        Raises:
            ClusterError: It could not be written: they have to be done again.
        """
        now_ms = self._clock.wall_ms()
        self._channel.write(seek.done(now_ms) for seek in seeks)
        self._done |= set(seeks)

    def awaits(self, generation: int) -> bool:
        """
        Tell whether somebody waits for `obeyed`.

        Args:
            generation: The flow's generation.
        """
        answer = self._answer_of(generation)
        return bool(answer.up_to and answer != self._answer and not self._resumed)

    def obeyed(self, generation: int) -> None:
        """Note that all that `rest` knew is in effect; whoever gave the orders waits for it."""
        self._answer = self._answer_of(generation)
        self._thread.wake()

    def _answer_of(self, generation: int) -> Obeyed:
        up_to = 0 if self._rest_of is None else self._rest_of[0].next_offset
        return Obeyed(generation=generation, up_to=up_to)

    def _round(self) -> None:
        self._channel.look()
        self.looks += 1
        answer = self._answer
        if answer is not None and answer != self._answered:
            self._channel.write([answer])
            self._answered = answer
        order = self._channel.orders.open_reload
        if order is not None and (reloaded := self._reload(order)) is not None:
            self._channel.write([reloaded])

    def _failed(self, error: Exception) -> bool:
        """Leave it to the flow's own thread."""
        self._error = error
        return False

    def _tell(self) -> None:
        """Log each order once: those that came, and those that are over."""
        orders, now_ms = self._channel.orders, self._clock.wall_ms()
        for order in orders.news(self._told_up_to, now_ms):
            if order.verb is PauseVerb.RESUME:
                self._resumed.append(order.scope)
            emit(ORDER_TAKEN, flow=self._flow, order=str(order), reason=str(order.author))
        for order in orders.expired(self._told_ms, now_ms):
            emit(ORDER_EXPIRED, flow=self._flow, order=str(order), reason=str(order.author))
        self._told_up_to, self._told_ms = orders.next_offset, now_ms
        self._tell_window(now_ms)

    def _tell_window(self, now_ms: int) -> None:
        """Log when the flow's window closes, and when it opens again."""
        closed, before = closing(self._window, now_ms), self._closing
        self._closing = closed
        if closed is not None and closed != before:
            emit(WINDOW_CLOSED, flow=self._flow, reason=str(closed.author), order=str(closed))
        elif closed is None and before is not None:
            emit(WINDOW_OPENED, flow=self._flow)


def _same(
    one: tuple[Orders, Sequence[Mirrored], int], other: tuple[Orders, Sequence[Mirrored], int]
) -> bool:
    """Compare by identity: orders and plans are made anew when they change."""
    return one[0] is other[0] and one[1] is other[1] and one[2] == other[2]
