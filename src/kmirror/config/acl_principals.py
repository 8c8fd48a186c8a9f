"""How the file writes who has another name on the target: `User:alice: User:alice-dr`."""

from __future__ import annotations

import re

from kmirror.config.keys.key import Value, ValueProblem

# The colon between two principals has a blank behind it; those inside of them have none.
_PAIR = re.compile(r"(\w+:\S.*?)\s*:\s+(\w+:\S.*)")


def read_principals(pairs: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """
    Read who is who on the other cluster.

    Args:
        pairs: Texts like `User:alice: User:alice-dr`.

    Raises:
        ValueProblem: One of them is none, or two are about the same principal.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        match = _PAIR.fullmatch(pair)
        if match is None:
            raise ValueProblem(
                f"expected principals as User:alice: User:alice-dr, with a blank; not {pair!r}"
            )
        if match[1] in found:
            raise ValueProblem(f"expected {match[1]} once")
        found[match[1]] = match[2]
    return tuple(found.items())


def check_principals(value: Value) -> None:
    """Check such a list, for the table of keys."""
    assert isinstance(value, tuple)
    read_principals(value)
