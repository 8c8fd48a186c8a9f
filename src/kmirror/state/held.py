"""What people are shown of partitions that somebody holds."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.model import TopicPartition
from kmirror.plans.holds import Hold
from kmirror.state.status import ParkedPartition, PausedPartition
from kmirror.units import moment
from kmirror.wire.control_orders import HoldVerb


def parked_by_order(holds: Mapping[TopicPartition, Hold]) -> tuple[ParkedPartition, ...]:
    """Return those of held partitions that were parked by hand."""
    return tuple(
        ParkedPartition(
            partition=tp,
            kind="parked_by_order",
            reason=f"{tp}: parked {hold.author} (`kmirror resume` ends that)",
        )
        for tp, hold in sorted(holds.items())
        if hold.verb is HoldVerb.PARK
    )


def paused_by_order(holds: Mapping[TopicPartition, Hold]) -> tuple[PausedPartition, ...]:
    """Return those of held partitions that are paused."""
    return tuple(
        PausedPartition(partition=tp, hold=hold)
        for tp, hold in sorted(holds.items())
        if hold.verb is HoldVerb.PAUSE
    )


def pause_lines(paused: tuple[PausedPartition, ...]) -> tuple[str, ...]:
    """Give a line for each order that has paused partitions."""
    by_hold: dict[Hold, list[str]] = {}
    for each in paused:
        by_hold.setdefault(each.hold, []).append(str(each.partition))
    return tuple(_line(hold, names) for hold, names in by_hold.items())


def _line(hold: Hold, names: list[str]) -> str:
    what = names[0] if len(names) == 1 else f"{len(names)} partitions of {hold.scope}"
    until = "" if hold.until_ms is None else f" until {moment(hold.until_ms)}"
    return f"paused: {what}{until}, {hold.author}"
