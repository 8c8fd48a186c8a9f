"""The last 15 minutes of topics, in memory that does not grow with time."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kmirror.api.plots import PlotList, PlotPoint, PlotRange
from kmirror.model import Flow

STEP_S = 15.0
TOPICS_MAX = 1_000
"""Of more topics of a flow those are kept that are the furthest behind."""
_SPAN = PlotRange.QUARTER
_LOOKS_MAX = int(_SPAN.span_s / STEP_S) + 5
# No two looks lie exactly as far apart as the two before.
_EARLY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicLook:
    """
    A topic at a moment.

    Args:
        topic: On the source.
        lag_records: How far it was behind; `None` when not known.
        records_per_s, bytes_per_s: What was copied; the same.
    """

    topic: str
    lag_records: int | None
    records_per_s: float | None = None
    bytes_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    """All topics of a flow at a moment: three numbers each, and their names only once."""

    at_ms: int
    topics: tuple[str, ...]
    lags: array[float]
    records: array[float]
    bytes: array[float]


class TopicHistory:
    """What topics of flows were; one thread of a flow writes, any reads."""

    def __init__(self) -> None:
        self._looks: dict[Flow, deque[_Look]] = {}

    def is_due(self, flow: Flow, now_ms: int) -> bool:
        """Tell whether it is time for another look."""
        looks = self._looks.get(flow)
        if not looks:
            return True
        # A clock that was set back is no reason to wait until it is as late again.
        return abs(now_ms - looks[-1].at_ms) >= _EARLY * STEP_S * 1000

    def add(self, flow: Flow, now_ms: int, found: Sequence[TopicLook]) -> None:
        """
        Note what the topics of a flow are.

        Args:
            flow: It.
            now_ms: The time, milliseconds since the epoch.
            found: All its topics, in any order.
        """
        kept = found
        if len(found) > TOPICS_MAX:
            kept = sorted(found, key=lambda each: (-(each.lag_records or 0), each.topic))
        kept = sorted(kept[:TOPICS_MAX], key=lambda each: each.topic)
        looks = self._looks.setdefault(flow, deque(maxlen=_LOOKS_MAX))
        topics = tuple(each.topic for each in kept)
        if looks and looks[-1].topics == topics:
            topics = looks[-1].topics
        looks.append(
            _Look(
                now_ms,
                topics,
                _numbers(each.lag_records for each in kept),
                _numbers(each.records_per_s for each in kept),
                _numbers(each.bytes_per_s for each in kept),
            )
        )

    def plots(self, flow: Flow, topic: str, now_ms: int) -> PlotList:
        """
        Return how a topic was.

        Args:
            flow: Its flow.
            topic: On the source.
            now_ms: The time, milliseconds since the epoch.
        """
        from_ms = now_ms - 1000 * _SPAN.span_s
        looks = tuple(self._looks.get(flow, ()))
        points = tuple(
            PlotPoint(
                at_ms=each.at_ms,
                lag_records=None if (lag := _known(each.lags[at])) is None else int(lag),
                records_per_s=_known(each.records[at]),
                bytes_per_s=_known(each.bytes[at]),
            )
            for each in looks
            if from_ms <= each.at_ms <= now_ms and (at := _place(each.topics, topic)) is not None
        )
        return PlotList(
            flow=str(flow),
            range=_SPAN,
            step_s=STEP_S,
            from_ms=from_ms,
            to_ms=now_ms,
            since_ms=points[0].at_ms if points else None,
            points=points,
        )

    def forget_others(self, flows: frozenset[Flow]) -> None:
        """Forget flows that are not there any more."""
        for flow in self._looks.keys() - flows:
            del self._looks[flow]


def _numbers(values: Iterable[float | None]) -> array[float]:
    return array("d", (math.nan if each is None else each for each in values))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _place(topics: Sequence[str], topic: str) -> int | None:
    at = bisect_left(topics, topic)
    return at if at < len(topics) and topics[at] == topic else None
