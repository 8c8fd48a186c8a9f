"""Looks all the time at where applications of a region work: asking then costs clusters nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from kmirror.admin.connection import Connected
from kmirror.apps.logical import Home, LogicalPlace, LogicalTopics
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.events.emit import emit
from kmirror.events.resolver import REGION_CERTAIN, REGION_DOUBTFUL, REGION_MOVED
from kmirror.events.table import RUN_CRASHED
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread

_HOME_S = 1.0
_NAMES_S = 5.0
_TICK_S = 0.5
_CLOSE_S_MAX = 0.2
_HOME, _NAMES = "home", "topics"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHome:
    """
    What was seen last.

    Args:
        region: Whose applications these are.
        home: Where they work.
        names: The topics there; `None` while that cluster has told none yet.
        trouble: Who did not answer, so that what they said last counts; empty if all did.
    """

    region: str
    home: Home
    names: Collection[str] | None
    trouble: str = ""

    def place(self, topic: str) -> LogicalPlace:
        """
        Say where a topic is; its `topics` are none while `names` are not known.

        Raises:
            ValueError: There is no such topic name.
        """
        return self.home.place(topic, self.names or ())


class HomeWatch(Connected):
    """
    Asks for one region, in threads of its own: who holds its flows every second, and which topics
    there are every five. A cluster that does not answer delays only what it was asked.

    Args:
        topics: Knows whom to ask; closed with this.
        region: Whose applications these are.
        clock: Where time comes from.
        on_change: Is called after every change, in one of the threads.
    """

    def __init__(
        self, topics: LogicalTopics, region: str, clock: Clock, on_change: Callable[[], None]
    ) -> None:
        self.region = region
        self._topics = topics
        self._on_change = on_change
        self._home: Home | None = None
        self._names: dict[str, Collection[str]] = {}
        self._troubles = {_HOME: "", _NAMES: ""}
        self._asks_names = PeriodicTask(clock, _NAMES_S, self.look_for_names)
        asks_home = PeriodicTask(clock, _HOME_S, self.look_for_home, at_once=True)
        self._threads = [
            PeriodicThread(
                f"{part}-{region}", clock, partial(self._went_wrong, part), interval_s=_TICK_S
            )
            for part in (_HOME, _NAMES)
        ]
        for thread, task in zip(self._threads, (asks_home, self._asks_names), strict=True):
            thread.also(task)

    @property
    def seen(self) -> SeenHome | None:
        """What was seen last; `None` before that."""
        home = self._home
        if home is None:
            return None
        return SeenHome(
            region=self.region,
            home=home,
            names=self._names.get(home.cluster),
            trouble=self.trouble,
        )

    @property
    def trouble(self) -> str:
        """Who did not answer, or refused to; empty if all did answer."""
        return "; ".join(dict.fromkeys(filter(None, self._troubles.values())))

    def start(self) -> None:
        """Begin to look."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop; a question that is under way keeps its connections."""
        ended = [thread.close(_CLOSE_S_MAX) for thread in self._threads]
        if all(ended):
            self._topics.close()

    def look_for_home(self) -> None:
        """Ask who holds the flows."""
        before = self._home
        try:
            home = self._topics.home()
        except ClusterError as error:
            self._doubt(_HOME, str(error))
            return
        self._home = home
        self._doubt(_HOME, home.doubt)
        if before is None or before.cluster != home.cluster:
            if before is not None or home.why:
                emit(
                    REGION_MOVED,
                    region=self.region,
                    target=home.cluster,
                    reason=home.why or "its own cluster",
                )
            self._asks_names.change(_NAMES_S)
            self._on_change()

    def look_for_names(self) -> None:
        """Ask for topics."""
        home = self._home
        if home is None:
            return
        try:
            names = frozenset(self._topics.names(home.cluster))
        except ClusterError as error:
            self._doubt(_NAMES, str(error))
            return
        has_changed = self._names.get(home.cluster) != names
        self._names[home.cluster] = names
        self._doubt(_NAMES, "")
        if has_changed:
            self._on_change()

    def _doubt(self, part: str, trouble: str) -> None:
        """Remember a trouble, or its end; both are told once."""
        before, self._troubles[part] = self._troubles[part], trouble
        if bool(before) is bool(trouble):
            return
        if trouble:
            emit(REGION_DOUBTFUL, region=self.region, part=part, reason=trouble)
        else:
            emit(REGION_CERTAIN, region=self.region, part=part)
        self._on_change()

    def _went_wrong(self, part: str, error: Exception) -> bool:
        """Go on after what nobody foresaw: an answer of before, with its doubt, beats none."""
        if not self._troubles[part]:
            emit(RUN_CRASHED, error=error, trace=error)
        self._doubt(part, f"unexpected: {error!r}")
        return True
