"""Drawings as SVG: the numbers in them; colours and sizes are the style sheet's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.api.flows import FlowView

_NODE_W, _NODE_H = 150.0, 56.0
_GAP_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    A curve.

    Args:
        width, height: Of the drawing.
        strokes: The lines' `d`: several where nothing was known in between.
        areas: The same, closed at the bottom.
        top: The largest value; `None` when none is known.
        last: The newest; `None` when it is not known.
        from_ms, to_ms: The first and the last moment, milliseconds since the epoch.
    """

    width: float
    height: float
    strokes: tuple[str, ...]
    areas: tuple[str, ...]
    top: float | None
    last: float | None
    from_ms: int | None
    to_ms: int | None


def curve(
    points: Sequence[tuple[int, float | None]],
    width: float,
    height: float,
    *,
    least: float = 1.0,
    ends_ms: tuple[int, int] | None = None,
    gap_ms: float = _GAP_MS,
) -> Line:
    """
    Draw values over time, from 0 at the bottom.

    Args:
        points: Moments, milliseconds since the epoch, with values; oldest first.
        width, height: Of the drawing.
        least: The value at the top, if all are smaller: noise is no mountain.
        ends_ms: The moments at its left and right end; `None` for the first and the last point.
        gap_ms: Between points that lie further apart there is no line: nobody looked.
    """
    known = [value for _, value in points if value is not None]
    times = [at_ms for at_ms, _ in points]
    top = max(known, default=None)
    strokes, areas = list[str](), list[str]()
    if known and len(times) > 1:
        begin_ms, end_ms = ends_ms or (times[0], times[-1])
        span_ms = max(1, end_ms - begin_ms)
        scale = max(*known, least)
        for run in _runs(points, gap_ms):
            dots = [
                (
                    width * (at_ms - begin_ms) / span_ms,
                    height - 1 - (height - 2) * value / scale,
                )
                for at_ms, value in run
            ]
            text = " ".join(f"L{x:.1f} {y:.1f}" for x, y in dots)[1:]
            strokes.append(f"M{text}")
            first, last = dots[0][0], dots[-1][0]
            areas.append(f"M{first:.1f} {height:.1f} L{text} L{last:.1f} {height:.1f} Z")
    return Line(
        width=width,
        height=height,
        strokes=tuple(strokes),
        areas=tuple(areas),
        top=top,
        last=points[-1][1] if points else None,
        from_ms=times[0] if times else None,
        to_ms=times[-1] if times else None,
    )


def _runs(
    points: Sequence[tuple[int, float | None]], gap_ms: float
) -> list[list[tuple[int, float]]]:
    """Cut where nothing was known, or nobody looked."""
    runs: list[list[tuple[int, float]]] = []
    before_ms: int | None = None
    for at_ms, value in points:
        if value is None:
            before_ms = None
            continue
        if before_ms is None or at_ms - before_ms > gap_ms:
            runs.append([])
        runs[-1].append((at_ms, value))
        before_ms = at_ms
    return [run for run in runs if len(run) > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A cluster: where its box is."""

    alias: str
    x: float
    y: float
    width: float = _NODE_W
    height: float = _NODE_H


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """
    A flow between two clusters.

    Args:
        flow: It.
        path: The line's `d`.
        weight: How thick, pixels: by its rate.
        label_x, label_y: Where its verdict stands.
    """

    flow: FlowView
    path: str
    weight: float
    label_x: float
    label_y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Clusters and flows as a picture of some width and height."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


def topology(flows: Sequence[FlowView]) -> Topology:
    """
    Place clusters on a ring, or side by side if there are two.

    Args:
        flows: What goes between them.
    """
    aliases = list(dict.fromkeys(alias for each in flows for alias in (each.source, each.target)))
    width, height = 640.0, 124.0 if len(aliases) <= 2 else 120.0 + 44.0 * min(len(aliases), 6)
    nodes = _placed(aliases, width, height)
    arrows = tuple(_arrow(each, nodes[each.source], nodes[each.target]) for each in flows)
    return Topology(width=width, height=height, nodes=tuple(nodes.values()), arrows=arrows)


def _placed(aliases: Sequence[str], width: float, height: float) -> dict[str, Node]:
    if len(aliases) <= 2:
        places = [(_NODE_W / 2 + 4, height / 2), (width - _NODE_W / 2 - 4, height / 2)]
    else:
        radius_x, radius_y = (width - _NODE_W) / 2 - 4, (height - _NODE_H) / 2 - 4
        angles = [math.pi + 2 * math.pi * at / len(aliases) for at in range(len(aliases))]
        places = [
            (width / 2 + radius_x * math.cos(each), height / 2 + radius_y * math.sin(each))
            for each in angles
        ]
    return {
        alias: Node(alias=alias, x=x, y=y) for alias, (x, y) in zip(aliases, places, strict=False)
    }


def _arrow(flow: FlowView, start: Node, end: Node) -> Arrow:
    length = math.hypot(end.x - start.x, end.y - start.y) or 1.0
    # Flows in both directions bend away from each other, each to its left.
    across_x, across_y = (end.y - start.y) / length, -(end.x - start.x) / length
    bend = min(60.0, 0.12 * length)
    middle_x = (start.x + end.x) / 2 + across_x * bend
    middle_y = (start.y + end.y) / 2 + across_y * bend
    from_x, from_y = _edge(start, middle_x, middle_y)
    to_x, to_y = _edge(end, middle_x, middle_y)
    rate = flow.bytes_per_s or 0.0
    return Arrow(
        flow=flow,
        path=f"M{from_x:.1f} {from_y:.1f} Q{middle_x:.1f} {middle_y:.1f} {to_x:.1f} {to_y:.1f}",
        weight=round(1.5 + min(4.5, math.log10(1 + rate / 1e4)), 1),
        label_x=round((from_x + 2 * middle_x + to_x) / 4, 1),
        label_y=round((from_y + 2 * middle_y + to_y) / 4, 1),
    )


def _edge(node: Node, x: float, y: float) -> tuple[float, float]:
    """Return where the line from a box's middle to a point leaves the box, and a little more."""
    along_x, along_y = x - node.x, y - node.y
    room = 6.0
    reach = min(
        (node.width / 2 + room) / abs(along_x) if along_x else math.inf,
        (node.height / 2 + room) / abs(along_y) if along_y else math.inf,
    )
    return node.x + along_x * reach, node.y + along_y * reach
