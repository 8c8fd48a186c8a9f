"""Several logs as one, in the order of the records' times; pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
P = TypeVar("P", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[T]):
    """A record, and its place among those of other logs: when it counts as written, its time."""

    place: tuple[int, int]
    record: T


class EventTimeMerge(Generic[P, T]):
    """
    Puts the records of several logs in order.

    The order within a log is kept, whatever its times say. Between logs the smaller time comes
    first, for as long as every log either has a record waiting or was said to be at its end.
    A record whose time is later than its arrival has the place of one that was written when it
    arrived; of several that arrived at once the smaller time comes first, as elsewhere.
    A record that came by another log already is left out.

    Args:
        time_ms: Gives a record's time.
        identity: Gives what two copies of a record have in common.
        remembered_max: How many records are remembered to find copies of them.
    """

    def __init__(
        self,
        *,
        time_ms: Callable[[T], int],
        identity: Callable[[T], Hashable],
        remembered_max: int = 100_000,
    ) -> None:
        assert remembered_max > 0, "a copy is found by its original"
        self._time_ms = time_ms
        self._identity = identity
        self._remembered_max = remembered_max
        self._waiting: dict[P, deque[_Waiting[T]]] = {}
        self._at_end: set[P] = set()
        self._given: OrderedDict[Hashable, P] = OrderedDict()

    def open(self, log: P) -> None:
        """Begin to wait for records of *log*."""
        self._waiting.setdefault(log, deque())

    def close(self, log: P) -> None:
        """Forget what waits of *log*."""
        self._waiting.pop(log, None)
        self._at_end.discard(log)

    def add(self, log: P, record: T, *, arrived_ms: int) -> None:
        """
        Add the next record of *log*.

        Args:
            log: Where it lies.
            record: What is to be put in order.
            arrived_ms: When it came, on the clock by which `ready` is told how far to go. A time
                that lies in the future, by a wrong clock or unit, waits no longer than that.
        """
        time_ms = self._time_ms(record)
        waiting = _Waiting((min(time_ms, arrived_ms), time_ms), record)
        self._waiting.setdefault(log, deque()).append(waiting)
        self._at_end.discard(log)

    def end(self, log: P) -> None:
        """Say that *log* has no more for now: it does not hold up the others."""
        if log in self._waiting:
            self._at_end.add(log)

    def waiting(self, log: P) -> int:
        """Return how many records of *log* wait."""
        return len(self._waiting.get(log, ()))

    def ready(self, up_to_ms: int | None = None) -> Iterator[tuple[P, T, bool]]:
        """
        Yield what is in order by now.

        Args:
            up_to_ms: Keep what is younger and arrived later; it may have older companions that
                are on their way.

        Yields:
            Log, record, and whether it is new: of copies only the first is.
        """
        while (log := self._next()) is not None:
            first = self._waiting[log][0]
            if up_to_ms is not None and first.place[0] > up_to_ms:
                return
            self._waiting[log].popleft()
            yield log, first.record, self._is_new(log, first.record)

    def _next(self) -> P | None:
        """Return the log whose first record comes first; `None` while one is waited for."""
        oldest: tuple[tuple[int, int], P] | None = None
        for log, records in self._waiting.items():
            if not records:
                if log not in self._at_end:
                    return None
                continue
            place = records[0].place
            if oldest is None or place < oldest[0]:
                oldest = place, log
        return None if oldest is None else oldest[1]

    def _is_new(self, log: P, record: T) -> bool:
        """Count records of one log that look the same as different records."""
        identity = self._identity(record)
        came_by = self._given.setdefault(identity, log)
        self._given.move_to_end(identity)
        if len(self._given) > self._remembered_max:
            self._given.popitem(last=False)
        return came_by == log
