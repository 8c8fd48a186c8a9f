"""A choice that a flow makes for each of its topics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from kmirror.policy.regex import NamePattern, compile_any

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PerTopic(Generic[T]):
    """
    One value for all topics, and others for some of them.

    Args:
        default: For a topic that no pattern names.
        chosen: Pairs of a Java regex and a value; the first whose regex matches all of the topic's
            name on the source counts.
    """

    default: T
    chosen: tuple[tuple[str, T], ...] = ()

    def of(self, topic: str) -> T:
        """Return the value for *topic*, by its name on the source."""
        for regex, value in self.chosen:
            if _pattern(regex).matches(topic):
                return value
        return self.default

    def __str__(self) -> str:
        return ", ".join((str(self.default), *(f"{regex}: {each}" for regex, each in self.chosen)))

    @property
    def values(self) -> tuple[T, ...]:
        """Every value that a topic may get, the default first."""
        return (self.default, *(value for _, value in self.chosen))


@lru_cache(maxsize=1024)
def _pattern(regex: str) -> NamePattern:
    pattern = compile_any((regex,))
    assert pattern is not None, "one regex is a pattern"
    return pattern
