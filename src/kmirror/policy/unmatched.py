"""Items of a list of names: which match, and which match nothing for another syntax's sake."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kmirror.policy.regex import RegexProblem, compile_any

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_QUOTES = "\"'"
# `topic_*` and `test*`, but not `.*`, `\d*`, `[0-9]*` or `(ab)*`.
_GLOB = re.compile(r"(?<!\\)[A-Za-z0-9_-]\*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """
    An item that matches nothing.

    Args:
        item: As written between the commas.
        why: Why it probably does not, and what to write instead.
        is_named: It is a name, or cannot be what was meant: something that was asked for is not
            there. A sound pattern may match nothing without anybody missing it.
    """

    item: str
    why: str
    is_named: bool

    def __str__(self) -> str:
        return f"{self.item}: {self.why}"


def spelling_doubt(item: str, *, blanks: bool = True) -> str:
    """
    Say what in an item hardly means what was meant; empty when nothing does.

    Args:
        item: A part of a list of regexes.
        blanks: Whether a blank is in no name: groups may have blanks, topics may not.
    """
    if item[:1] in _QUOTES or item[-1:] in _QUOTES:
        return "quotes are part of it, and no name has any: leave them out"
    if blanks and ";" in item:
        return f"; separates nothing: write {', '.join(filter(None, re.split('[; ]+', item)))}"
    if blanks and (len(parts := item.split()) > 1):
        return f"blanks separate nothing: write {', '.join(parts)}"
    if _GLOB.search(item):
        meant = _GLOB.sub(lambda found: f"{found[0][0]}.*", item)
        return f"in a regex * repeats what is before it: write {meant} for any ending"
    return ""


def unmatched(items: Sequence[str], names: Collection[str]) -> tuple[Unmatched, ...]:
    """
    Return the items that match none of *names*, in their order.

    Args:
        items: Java regexes, as in `topics`.
        names: The names of all topics there are.
    """
    known = names if isinstance(names, (set, frozenset)) else set(names)
    found = [_unmatched(item, known) for item in _pieces(items)]
    return tuple(each for each in found if each is not None)


def matching(items: Sequence[str], name: str) -> tuple[str, ...]:
    """
    Return the items that match a name, in their order.

    Args:
        items: Java regexes, as in `topics`.
        name: All of the name has to match.
    """
    found = (
        (item, compile_any(item.split(",") if "," in item else (item,))) for item in _pieces(items)
    )
    return tuple(item for item, pattern in found if pattern is not None and pattern.matches(name))


def _pieces(items: Sequence[str]) -> Sequence[str]:
    """As in MM2, `(a,b)` is one regex: what cannot be read by itself is only read together."""
    try:
        for item in items:
            if not _NAME.fullmatch(item):
                compile_any((item,))
    except RegexProblem:
        return (",".join(items),)
    return items


def _unmatched(item: str, names: Collection[str]) -> Unmatched | None:
    is_name = _NAME.fullmatch(item) is not None
    doubt = spelling_doubt(item)
    if not names and not is_name and not doubt:
        return None  # the pattern is not to blame
    # A name with dots is a regex too, but hardly ever matches another one.
    if is_name and item in names:
        return None
    pattern = compile_any(item.split(",") if "," in item else (item,))
    if pattern is not None and any(map(pattern.matches, names)):
        return None
    why = doubt or (
        "there is no topic of that name" if is_name else "no topic's whole name matches it"
    )
    return Unmatched(item=item, why=why, is_named=is_name or bool(doubt))
