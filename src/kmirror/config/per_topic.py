"""
How the file writes a choice for each topic: `park, audit.*: skip, (orders|invoices): dlq`.

A part without a regex is the value for all other topics, wherever it stands; the first regex that
matches a topic's name on the source counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kmirror.config.keys.key import Value, ValueProblem
from kmirror.policy.per_topic import PerTopic
from kmirror.policy.regex import RegexProblem, compile_any

T = TypeVar("T")


def read_per_topic(parts: tuple[str, ...], default: T, read: Callable[[str], T]) -> PerTopic[T]:
    """
    Read the parts of such a list.

    Args:
        parts: The list, already split at its commas.
        default: The value for topics that no part speaks of.
        read: Reads one value; raises ValueProblem.

    Raises:
        ValueProblem: A part is no value and no `regex: value`, or two parts are for all topics.
    """
    general: list[T] = []
    chosen: list[tuple[str, T]] = []
    for part in parts:
        regex, colon, text = part.rpartition(":")
        if not colon:
            general.append(read(part))
            continue
        _check_regex(regex.strip())
        chosen.append((regex.strip(), read(text.strip())))
    if len(general) > 1:
        raise ValueProblem("expected one value for all topics; write the others as regex: value")
    return PerTopic(default=general[0] if general else default, chosen=tuple(chosen))


def check_per_topic(read: Callable[[str], object]) -> Callable[[Value], None]:
    """Return the check of a key of such values, for the table of keys."""

    def check(value: Value) -> None:
        assert isinstance(value, tuple)
        read_per_topic(value, None, read)

    return check


def one_of_words(*words: str) -> Callable[[str], str]:
    """Return a reader of values that are one of *words*."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueProblem(f"expected one of {', '.join(words)}, or regex: value; not {text!r}")
        return text

    return read


def _check_regex(regex: str) -> None:
    if not regex:
        raise ValueProblem("expected a regex before the colon")
    try:
        compile_any((regex,))
    except RegexProblem as problem:
        raise ValueProblem(f"expected a regex before the colon: {problem}") from problem
