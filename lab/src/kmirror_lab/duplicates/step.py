"""One thing that is done to the link or to the mirror, and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kmirror_lab.net import link_units
from kmirror_lab.net.settings import Change, LinkSettings, read_change
from kmirror_lab.net.traffic import STREAMS_MAX

CHANGES = ("rate", "queue", "bucket", "delay", "jitter", "loss", "reorder")
_FROM = "from"


class Verb(StrEnum):
    """What is done."""

    SET = "set"
    CUT = "cut"
    HEAL = "heal"
    CLEAR = "clear"
    RESET = "reset"
    QUOTA = "quota"
    TRAFFIC = "traffic"
    KILL = "kill"
    START = "start"
    JOIN = "join"


class End(StrEnum):
    """A side of the link, as a scenario calls it."""

    SOURCE = "source"
    TARGET = "target"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    A step of a scenario.

    Args:
        at_s: When, from the moment when the records begin to be written.
        text: As it is written in the file.
        verb: What is done.
        change: To the link, with `set`.
        leaving: To packets that leave this side only; all without.
        bytes_s: What the mirror's producer may write, with `quota`.
        streams: How many connections of others fill the link, with `traffic`.
    """

    at_s: float
    text: str
    verb: Verb
    change: Change = field(default_factory=Change)
    leaving: End | None = None
    bytes_s: int = 0
    streams: int = 0


def read_step(at_s: float, text: str) -> Step:
    """
    Read a step: `set rate 1mbit delay 50ms`, `cut from target`, `quota 60kB`, `kill`.

    Raises:
        ValueError: It is none; the message says what would be one.
    """
    words = text.split()
    if not words or words[0] not in set(Verb):
        raise ValueError(f"a step begins with one of {', '.join(Verb)}")
    verb, rest = Verb(words[0]), words[1:]
    leaving = None
    if verb in (Verb.SET, Verb.CUT) and len(rest) >= 2 and rest[-2] == _FROM:
        if rest[-1] not in set(End):
            raise ValueError(f"`from` is followed by {' or '.join(End)}")
        leaving, rest = End(rest[-1]), rest[:-2]
    if verb is Verb.SET:
        return Step(at_s=at_s, text=text, verb=verb, change=_change(rest), leaving=leaving)
    if verb is Verb.QUOTA:
        if len(rest) != 1:
            raise ValueError("`quota` is followed by bytes a second, as `quota 60kB`")
        return Step(at_s=at_s, text=text, verb=verb, bytes_s=link_units.bytes_s(rest[0]))
    if verb is Verb.TRAFFIC:
        if len(rest) != 1 or not rest[0].isdecimal() or int(rest[0]) > STREAMS_MAX:
            raise ValueError(
                f"`traffic` is followed by a number of connections, 0 to {STREAMS_MAX}"
            )
        return Step(at_s=at_s, text=text, verb=verb, streams=int(rest[0]))
    if rest:
        raise ValueError(f"`{' '.join(rest)}` does not belong behind `{verb}`")
    return Step(at_s=at_s, text=text, verb=verb, leaving=leaving)


def _change(words: list[str]) -> Change:
    if not words or len(words) % 2:
        raise ValueError("`set` is followed by names and values, as `set rate 1mbit delay 50ms`")
    given = dict(zip(words[::2], words[1::2], strict=True))
    unknown = next((name for name in given if name not in CHANGES), None)
    if unknown:
        raise ValueError(f"`set` knows {', '.join(CHANGES)}, and no `{unknown}`")
    change = read_change(
        rate=given.get("rate"),
        queue=given.get("queue"),
        bucket=given.get("bucket"),
        delay=given.get("delay"),
        jitter=given.get("jitter"),
        loss=given.get("loss"),
        reorder=given.get("reorder"),
    )
    # What no link can do is refused here, not in the middle of a run.
    LinkSettings().changed(change)
    return change
