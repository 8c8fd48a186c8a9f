"""The newest events of the process, for whoever looks."""

from __future__ import annotations

import logging
import threading
from collections import deque

from kmirror.api.answers import EventList, EventView
from kmirror.clock import Clock
from kmirror.events.emit import Occurrence

_EVENTS_MAX = 2_000
_TEXT_MAX = 4_000


class EventLog:
    """
    A sink that keeps what has happened; see `events.emit`.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since_ms = clock.wall_ms()
        self._events: deque[EventView] = deque(maxlen=_EVENTS_MAX)
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, occurrence: Occurrence) -> None:
        """Take an event."""
        fields = occurrence.fields
        with self._lock:
            self._count += 1
            self._events.append(
                EventView(
                    number=self._count,
                    at_ms=self._clock.wall_ms(),
                    name=occurrence.event.name,
                    level=logging.getLevelName(occurrence.level),
                    text=str(occurrence)[:_TEXT_MAX],
                    flow=str(fields.get("flow") or ""),
                    topic=str(fields.get("topic") or ""),
                    meaning=occurrence.event.meaning,
                    action=occurrence.event.action,
                )
            )

    @property
    def count(self) -> int:
        """How many there were."""
        return self._count

    def events(
        self,
        *,
        flow: str | None = None,
        level: str | None = None,
        text: str | None = None,
        after: int = 0,
        limit: int = 500,
    ) -> EventList:
        """
        Return events, the newest first.

        Args:
            flow: Only those of one flow.
            level: Only those of a level, or a higher one.
            text: Only those with it in their line or name.
            after: Only those whose number is larger.
            limit: So many at most.
        """
        with self._lock:
            newest = list(reversed(self._events))
        least = logging.getLevelNamesMapping().get(level or "", 0)
        levels = logging.getLevelNamesMapping()
        wanted = (text or "").casefold()
        found = [
            each
            for each in newest
            if each.number > after
            and (flow is None or each.flow == flow)
            and levels.get(each.level, 0) >= least
            and (not wanted or wanted in f"{each.name} {each.text}".casefold())
        ]
        return EventList(since_ms=self._since_ms, events=tuple(found[:limit]))
