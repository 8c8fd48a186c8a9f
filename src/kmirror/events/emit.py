"""
The one function that all events pass, and those who listen.

A registry of the whole process, as `logging` is one. Events are about what happens to flows, not to
records: tens an hour, and no more than a few a second at worst.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Unpack

from kmirror.events.event import Event
from kmirror.events.fields import Fields

LOGGER = "kmirror.events"
"""The parent of all events' loggers; each has its event's name below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """
    An event that has happened; as a text it is its line for people.

    Args:
        event: Its kind.
        level: One of `logging`'s.
        fields: Its values, by the names in `Fields`.
        trace: An exception that nobody foresaw, whose trace belongs to the line.
    """

    event: Event
    level: int
    fields: Mapping[str, object]
    trace: BaseException | None = None

    def __str__(self) -> str:
        return self.event.text_for(self.fields)


Sink = Callable[[Occurrence], None]
"""Takes events in the thread that they happen in: it neither waits nor raises."""


def to_log(occurrence: Occurrence) -> None:
    """Hand an event to `logging`, which writes its line when somebody wants lines of its level."""
    log = logging.getLogger(f"{LOGGER}.{occurrence.event.name}")
    log.log(occurrence.level, "%s", occurrence, exc_info=occurrence.trace)


_lock = threading.Lock()
_sinks: tuple[Sink, ...] = (to_log,)


@contextmanager
def subscribed(sink: Sink) -> Iterator[None]:
    """
    Give every event to a sink as long as the block lasts.

    Args:
        sink: Who is to have it.
    """
    _change(lambda sinks: (*sinks, sink))
    try:
        yield
    finally:
        _change(lambda sinks: tuple(each for each in sinks if each is not sink))


def _change(changed: Callable[[tuple[Sink, ...]], tuple[Sink, ...]]) -> None:
    global _sinks  # noqa: PLW0603 - replaced as a whole, so that `emit` needs no lock
    with _lock:
        _sinks = changed(_sinks)


def emit(
    event: Event,
    *,
    level: int | None = None,
    trace: BaseException | None = None,
    **fields: Unpack[Fields],
) -> None:
    """
    Tell everybody who listens that something has happened.

    Args:
        event: Its kind, of `kmirror.events.table`.
        level: One of `logging`'s, for kinds that have none of their own.
        trace: An exception that nobody foresaw: the log has its trace.
        fields: All fields of the kind; `None` where a value is not known.
    """
    assert fields.keys() == event.fields, f"{event.name}: {sorted(fields)}"
    assert (level is None) is (event.level is not None), f"{event.name} has one level"
    found = level if event.level is None else event.level
    assert found is not None, f"{event.name} has a level"
    occurrence = Occurrence(event=event, level=found, fields=fields, trace=trace)
    for sink in _sinks:
        sink(occurrence)
