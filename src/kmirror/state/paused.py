"""What people are shown of partitions that somebody pauses."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.model import TopicPartition
from kmirror.state.status import ParkedPartition, PausedPartition
from kmirror.units import moment
from kmirror.wire.control_orders import PauseOrder, PauseVerb


def parked_by_order(pauses: Mapping[TopicPartition, PauseOrder]) -> tuple[ParkedPartition, ...]:
    """Return those of these partitions that were parked by hand."""
    return tuple(
        ParkedPartition(
            partition=tp,
            kind="parked_by_order",
            reason=f"{tp}: parked {pause.author} (`kmirror resume` ends that)",
        )
        for tp, pause in sorted(pauses.items())
        if pause.verb is PauseVerb.PARK
    )


def paused_by_order(pauses: Mapping[TopicPartition, PauseOrder]) -> tuple[PausedPartition, ...]:
    """Return those of these partitions that are paused."""
    return tuple(
        PausedPartition(partition=tp, pause=pause)
        for tp, pause in sorted(pauses.items())
        if pause.verb is PauseVerb.PAUSE
    )


def pause_lines(paused: tuple[PausedPartition, ...]) -> tuple[str, ...]:
    """Give a line for each order that has paused partitions."""
    by_pause: dict[PauseOrder, list[str]] = {}
    for each in paused:
        by_pause.setdefault(each.pause, []).append(str(each.partition))
    return tuple(_line(pause, names) for pause, names in by_pause.items())


def _line(pause: PauseOrder, names: list[str]) -> str:
    what = names[0] if len(names) == 1 else f"{len(names)} partitions of {pause.scope}"
    until = "" if pause.until_ms is None else f" until {moment(pause.until_ms)}"
    return f"paused: {what}{until}, {pause.author}"
