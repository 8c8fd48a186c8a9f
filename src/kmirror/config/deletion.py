"""How the file says what becomes of copies of deleted topics: `kmirror.topic.deletion`."""

from __future__ import annotations

from kmirror.config.keys.key import ValueProblem
from kmirror.policy.deletion import Deletion, DeletionVerb
from kmirror.units import DURATIONS_S, UnitProblem, quantity

_EXPECTED = "one of ignore, quarantine, delete-after=7d, or regex: value"


def read_deletion(text: str) -> Deletion:
    """
    Read one choice.

    Args:
        text: Such as `quarantine` or `delete-after=7d`.

    Raises:
        ValueProblem: It is none.
    """
    word, equals, duration = text.partition("=")
    word = word.strip()
    if not equals and word in {DeletionVerb.IGNORE, DeletionVerb.QUARANTINE}:
        return Deletion(verb=DeletionVerb(word), text=word)
    if word != DeletionVerb.DELETE_AFTER.value:
        raise ValueProblem(f"expected {_EXPECTED}; not {text!r}")
    try:
        after_s = quantity(duration, DURATIONS_S, "delete-after= with a duration, such as 7d")
    except UnitProblem as problem:
        raise ValueProblem(str(problem)) from problem
    words = f"{word}={duration.strip()}"
    return Deletion(verb=DeletionVerb.DELETE_AFTER, text=words, after_ms=int(after_s * 1000))
