"""The first glance: is anything wrong, where, and what is it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.api.flows import FlowView
from kmirror.server.console import words

# What somebody has to look at, the worst first.
_WRONG = ("BROKEN", "BEHIND", "UNKNOWN")
# What somebody wants so.
_RESTING = ("PAUSED", "STOPPED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """
    A sentence about all flows.

    Args:
        tone: How good that is.
        title: The sentence.
        flow: The flow that it is about; `None` when it is about all.
        words: More about it.
    """

    tone: str
    title: str
    flow: FlowView | None = None
    words: str = ""


def worst_first(flows: Sequence[FlowView]) -> list[FlowView]:
    """
    Put those first that somebody has to look at.

    Args:
        flows: All flows.
    """
    order = [*_WRONG, *_RESTING, "IN_SYNC"]
    return sorted(flows, key=lambda each: (order.index(each.verdict), each.name))


def headline(flows: Sequence[FlowView]) -> Headline:
    """
    Say how all flows are, the worst first.

    Args:
        flows: They.
    """
    for verdict in _WRONG:
        if found := [each for each in flows if each.verdict == verdict]:
            worst = found[0]
            return Headline(
                tone=words.tone(verdict),
                title=_title(len(found), len(flows), words.verdict(verdict)),
                flow=worst,
                words=worst.verdict_words or worst.words,
            )
    for verdict in _RESTING:
        if found := [each for each in flows if each.verdict == verdict]:
            worst = found[0]
            title = _title(len(found), len(flows), words.verdict(verdict))
            return Headline(tone="rest", title=title, flow=worst, words=worst.verdict_words)
    title = "The flow is in sync" if len(flows) == 1 else f"All {len(flows)} flows are in sync"
    return Headline(tone="ok", title=title, words="Nothing to do.")


def _title(count: int, total: int, word: str) -> str:
    if total == 1:
        return f"The flow is {word}"
    if count == total:
        return f"All {total} flows are {word}"
    return f"{count} of {total} flows {'is' if count == 1 else 'are'} {word}"
