"""What of a flow is not copied at a moment: because of orders, or outside of its time window."""

from __future__ import annotations

from collections.abc import Collection

from kmirror.model import TopicPartition
from kmirror.plans.pauses import Orders, Rest
from kmirror.policy.window import Window
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope

WINDOW_KEY = "kmirror.window"


def closing(window: Window | None, now_ms: int) -> PauseOrder | None:
    """
    Return what pauses a flow outside of its window, as an order would; `None` when nothing does.

    Args:
        window: The flow's; `None` for always.
        now_ms: Milliseconds since the epoch.
    """
    if window is None or window.is_open(now_ms):
        return None
    return PauseOrder(
        verb=PauseVerb.PAUSE,
        scope=Scope(),
        author=Author(by=WINDOW_KEY, at_ms=0, reason=window.text),
        until_ms=window.next_change_ms(now_ms),
    )


def rest_at(
    orders: Orders,
    window: Window | None,
    partitions: Collection[TopicPartition],
    now_ms: int,
    *,
    pause: PauseOrder | None = None,
) -> Rest:
    """
    Return which of *partitions* are not to be copied now, and why; an order comes first.

    Args:
        orders: What was ordered of the flow.
        window: When it copies; `None` for always.
        partitions: Of the source.
        now_ms: Milliseconds since the epoch.
        pause: What pauses all of it besides.
    """
    rest, closed = orders.rest(partitions, now_ms), pause or closing(window, now_ms)
    if closed is None:
        return rest
    return Rest(pauses=dict.fromkeys(partitions, closed) | dict(rest.pauses), seeking=rest.seeking)


def next_change_ms(orders: Orders, window: Window | None, now_ms: int) -> int | None:
    """Return when `rest_at` would answer differently by time alone; `None` for never."""
    times = (
        orders.next_expiry_ms(now_ms),
        None if window is None else window.next_change_ms(now_ms),
    )
    return min((at for at in times if at is not None), default=None)
