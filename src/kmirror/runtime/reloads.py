"""Reads the properties file again, and changes what differs in a running driver."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kmirror.clock import Clock
from kmirror.config.changes import ConfigChanges, changes, kept_where_silent
from kmirror.config.load import MirrorConfig
from kmirror.errors import ConfigError, MirrorError, Problem
from kmirror.events.emit import emit
from kmirror.events.reloads import CONFIG_REFUSED, CONFIG_RELOADED
from kmirror.events.table import RUN_CRASHED
from kmirror.runtime.file_watch import FileWatch
from kmirror.wire.control_orders import Reloaded, ReloadOrder, ReloadOutcome

_LOOK_INTERVAL_S = 1.0
# So many answers are kept for flows that have not written theirs yet.
_ANSWERS_MAX = 100
_IN_PART = "a part of it may be in effect: restart the driver"
_NOTHING = "it says what it said before"


class Host(Protocol):
    """What the driver does for a reload."""

    def check(self, config: MirrorConfig) -> tuple[Problem, ...]:
        """Return what Spark and the clients do not take of a file that is right otherwise."""
        ...

    def lack_for(self, config: MirrorConfig) -> str:
        """Say what all its flows would lack in this process; empty when there is room."""
        ...

    def apply(self, config: MirrorConfig, found: ConfigChanges) -> tuple[str, ...]:
        """Run *config* from now on, which differs by *found*; return what is to be said of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cause:
    """Why the file is read again; without an order it was a signal, or the file itself."""

    reason: str
    by_itself: bool = False
    dry_run: bool = False


class Reloads:
    """
    All reloads of a driver, one after the other in a thread of their own.

    Args:
        config: What it runs at first.
        host: The driver.
        read: Reads the file; raises ConfigError or EnvironmentProblem.
        driver: The driver's name, for answers.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: MirrorConfig,
        host: Host,
        *,
        read: Callable[[], MirrorConfig],
        driver: str,
        clock: Clock,
    ) -> None:
        self._config = config
        self._host = host
        self._read = read
        self._driver = driver
        self._clock = clock
        self._watch = FileWatch(config.files)
        self._signalled = threading.Event()
        self._lock = threading.Lock()
        self._orders: dict[str, ReloadOrder] = {}
        self._answers: dict[str, Reloaded] = {}

    def signal(self) -> None:
        """Have the file read again; a signal handler may call this."""
        self._signalled.set()

    def ask(self, order: ReloadOrder) -> Reloaded | None:
        """Return the answer to *order*; `None` while there is none. The same order counts once."""
        with self._lock:
            answer = self._answers.get(order.number)
            if answer is None:
                self._orders.setdefault(order.number, order)
        return answer

    def run(self, over: threading.Event) -> None:
        """Serve until *over* is set."""
        looked_s = self._clock.monotonic_s()
        while not self._clock.wait(over, 0.1):
            if self._signalled.is_set():
                self._signalled.clear()
                self._reload("", _Cause(reason="because of SIGHUP"))
            with self._lock:
                orders = tuple(self._orders.values())
            for order in orders:
                cause = _Cause(reason=str(order.author), dry_run=order.dry_run)
                self._answer(order, self._reload(order.number, cause))
            if self._clock.monotonic_s() - looked_s >= _LOOK_INTERVAL_S:
                looked_s = self._clock.monotonic_s()
                self._look()

    def _look(self) -> None:
        if any(flow.reloads_by_itself for flow in self._config.flows) and self._watch.has_changed():
            reason = "by itself (config.action.reload = restart)"
            self._reload("", _Cause(reason=reason, by_itself=True))

    def _answer(self, order: ReloadOrder, answer: Reloaded) -> None:
        with self._lock:
            del self._orders[order.number]
            self._answers[order.number] = answer
            while len(self._answers) > _ANSWERS_MAX:
                del self._answers[next(iter(self._answers))]

    def _reload(self, number: str, cause: _Cause) -> Reloaded:
        self._watch.renew()
        try:
            outcome, lines = self._outcome(cause)
        except Exception as error:  # noqa: BLE001 - or nobody could have it read any more
            emit(RUN_CRASHED, error=error, trace=error)
            outcome, lines = ReloadOutcome.REFUSED, (f"unexpected: {error!r}", _IN_PART)
        path, status = str(self._config.path), "; ".join(lines)
        if outcome is ReloadOutcome.PLANNED:
            status = f"nothing was changed, as ordered; there would be: {status}"
        if outcome is ReloadOutcome.REFUSED:
            emit(CONFIG_REFUSED, path=path, reason=cause.reason, status=status)
        else:
            emit(CONFIG_RELOADED, path=path, reason=cause.reason, status=status)
        return Reloaded(
            number=number,
            driver=self._driver,
            file=path,
            outcome=outcome,
            lines=lines,
        )

    def _outcome(self, cause: _Cause) -> tuple[ReloadOutcome, tuple[str, ...]]:
        before = self._config
        try:
            config = self._read()
            if cause.by_itself:
                config = kept_where_silent(before, config)
            found = changes(before, config)
            if not found:
                return ReloadOutcome.UNCHANGED, (_NOTHING,)
            if refused := found.refused or self._refused(config):
                return ReloadOutcome.REFUSED, refused
        except MirrorError as error:
            return ReloadOutcome.REFUSED, tuple(str(error).splitlines())
        if cause.dry_run:
            return ReloadOutcome.PLANNED, found.lines
        self._config = config
        self._watch.follow(config.files)
        notes = self._host.apply(config, found)
        return ReloadOutcome.APPLIED, (*found.lines, *notes)

    def _refused(self, config: MirrorConfig) -> tuple[str, ...]:
        if problems := self._host.check(config):
            raise ConfigError(problems)
        lack = self._host.lack_for(config)
        return (f"{lack}: that needs a restart of the driver",) if lack else ()


def refuse_all(order: ReloadOrder, *, driver: str, file: str, why: str) -> Reloaded:
    """
    Return the answer of a process whose file is read once.

    Args:
        order: What somebody wants.
        driver: The process, by its name.
        file: Its file.
        why: Why it is read once.
    """
    return Reloaded(
        number=order.number,
        driver=driver,
        file=file,
        outcome=ReloadOutcome.REFUSED,
        lines=(f"{why}, and its file is read once",),
    )
