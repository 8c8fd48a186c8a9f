"""Values of limits and priorities, as the file writes them."""

from __future__ import annotations

import re

from kmirror.config.keys.key import ValueProblem

FIRST_CLASS = "A"
NONE = "none"
# Less would be less than a batch in some minutes.
_LEAST = 1000


def bytes_per_second(text: str) -> int | None:
    """
    Read a limit; `None` for none.

    Raises:
        ValueProblem: It is no limit.
    """
    if text == NONE:
        return None
    if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) < _LEAST:
        raise ValueProblem(
            f"expected bytes a second of at least {_LEAST}, {NONE}, or regex: value; not {text!r}"
        )
    return int(text)


def priority_class(text: str) -> str:
    """
    Read a class of topics.

    Raises:
        ValueProblem: It is none.
    """
    if not re.fullmatch(r"[A-Z]", text):
        raise ValueProblem(f"expected a class from A to Z, or regex: class; not {text!r}")
    return text
