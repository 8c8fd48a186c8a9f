"""Levels of loggers, by request: Python's own, and those of Spark's JVM by the names of classes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from kmirror.clock import Clock
from kmirror.connect.model import LoggerLevel
from kmirror.errors import NotFound

ROOT = "root"
# Log4j's, and what they are to Python.
_LEVELS = {
    "TRACE": 5,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
    "OFF": logging.CRITICAL + 10,
    "ALL": 1,
}
# Java's packages; what kmirror logs itself has other names.
_JAVA = ("org.", "io.", "com.", "java.", "javax.")

SetJvmLevel = Callable[[str, str], None]


class Loggers:
    """
    The name is Connect's (`org.apache.kafka.connect.runtime.Loggers`).

    Args:
        set_jvm: Gives a logger of the JVM, and those below it, a level.
        clock: Where time comes from.
    """

    def __init__(self, set_jvm: SetJvmLevel, clock: Clock) -> None:
        self._set_jvm = set_jvm
        self._clock = clock
        self._lock = threading.Lock()
        self._changed_ms: dict[str, int] = {}
        self._of_jvm: dict[str, str] = {}

    def all(self) -> Mapping[str, LoggerLevel]:
        """Return the loggers that have a level of their own, by name."""
        with self._lock:
            found = {
                name: self._level(name, _word(logger.level))
                for name, logger in _loggers().items()
                if logger.level != logging.NOTSET
            }
            found |= {name: self._level(name, level) for name, level in self._of_jvm.items()}
        return dict(sorted(found.items()))

    def one(self, name: str) -> LoggerLevel:
        """
        Return what a logger writes.

        Raises:
            NotFound: There is no such logger.
        """
        name = ROOT if name.lower() == ROOT else name
        with self._lock:
            if name in self._of_jvm:
                return self._level(name, self._of_jvm[name])
            logger = _loggers().get(name)
            if logger is None:
                raise NotFound(f"Logger {name} not found.")
            return self._level(name, _word(logger.getEffectiveLevel()))

    def set(self, name: str, level: str) -> tuple[str, ...]:
        """
        Have a logger and those below it write from *level* on.

        Returns:
            Their names.

        Raises:
            NotFound: There is no such level.
        """
        word = level.strip().upper()
        if word not in _LEVELS:
            raise NotFound(f"invalid log level '{level}'.")
        name = ROOT if name.lower() == ROOT else name
        with self._lock:
            found = [name]
            if name.startswith(_JAVA):
                found += [each for each in self._of_jvm if each.startswith(f"{name}.")]
                self._set_jvm(name, word)
                self._of_jvm |= dict.fromkeys(found, word)
            else:
                found += [each for each in _loggers() if name == ROOT or _is_below(each, name)]
                for each in found:
                    logging.getLogger(None if each == ROOT else each).setLevel(_LEVELS[word])
            self._changed_ms |= dict.fromkeys(found, self._clock.wall_ms())
        return tuple(sorted(set(found)))

    def _level(self, name: str, level: str) -> LoggerLevel:
        return LoggerLevel(level=level, last_modified_ms=self._changed_ms.get(name))


def _loggers() -> dict[str, logging.Logger]:
    known = dict(logging.root.manager.loggerDict)
    found = {name: each for name, each in known.items() if isinstance(each, logging.Logger)}
    return {ROOT: logging.root, **found}


def _is_below(name: str, other: str) -> bool:
    return name.startswith(f"{other}.")


def _word(level: int) -> str:
    """Return Log4j's name of one of Python's levels: the least that lets through no less."""
    return min(
        (each for each in _LEVELS if each != "ALL"),
        key=lambda each: (abs(_LEVELS[each] - level), _LEVELS[each]),
    )
