"""Whether a process is well: reasons in words, and the status as strimzi-canary gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kmirror.model import Flow
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.observed import ObservedFlow

_NO_DATA = -1


def troubles(
    flows: Sequence[ObservedFlow], canaries: Mapping[Flow, CanaryFigures], now_ms: int
) -> tuple[str, ...]:
    """
    Say why a process is not ready; nothing when it is.

    Args:
        flows: Those that it runs.
        canaries: Its canaries, by flow.
        now_ms: The time, milliseconds since the epoch.
    """
    found = [
        f"{status.flow}: {status.state.value}: {status.words}"
        for status in (flow.board.status for flow in flows)
        if not status.moves
    ]
    for flow, figures in canaries.items():
        if figures.trouble:
            found.append(f"{flow}: no canary: {figures.trouble}")
        elif overdue := figures.counts(now_ms * 1000).overdue:
            found.append(f"{flow}: {overdue} records of the canary are overdue")
    return tuple(found)


def canaries_of(flows: Sequence[ObservedFlow]) -> dict[Flow, CanaryFigures]:
    """Return the canaries of flows that have one."""
    return {
        flow.board.status.flow: flow.meter.canary for flow in flows if flow.meter.canary is not None
    }


def status_json(canaries: Mapping[Flow, CanaryFigures], now_ms: int) -> dict[str, Any]:
    """
    Return the status as strimzi-canary gives it, of all canaries together, and then of each.

    `Percentage` is what came of what was written in the last five minutes; -1 when nothing was.

    Args:
        canaries: By flow.
        now_ms: The time, milliseconds since the epoch.
    """
    windows = {flow: figures.window() for flow, figures in canaries.items()}
    whole = (
        max((window[0] for window in windows.values()), default=0.0),
        sum(window[1] for window in windows.values()),
        sum(window[2] for window in windows.values()),
    )
    return {
        "Consuming": _consuming(whole),
        "Flows": {
            str(flow): {
                "Consuming": _consuming(windows[flow]),
                "Trouble": figures.trouble,
                **_counts(figures, now_ms),
            }
            for flow, figures in canaries.items()
        },
    }


def _consuming(window: tuple[float, int, int]) -> dict[str, Any]:
    length_s, produced, consumed = window
    share = round(100 * consumed / produced, 2) if produced else _NO_DATA
    return {"TimeWindow": round(length_s * 1000), "Percentage": share}


def _counts(figures: CanaryFigures, now_ms: int) -> dict[str, int]:
    counts = figures.counts(now_ms * 1000)
    return {
        "Produced": counts.produced,
        "ProduceFailed": counts.failed,
        "Consumed": counts.consumed,
        "Lost": counts.lost,
        "Duplicated": counts.duplicated,
        "OutOfOrder": counts.reordered,
        "Overdue": counts.overdue,
    }
