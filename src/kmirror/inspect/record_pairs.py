"""Puts records of a partition and of its copy beside each other; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

from kmirror.admin.record_tail import SeenRecord


class Presence(Enum):
    """Where a record was seen."""

    BOTH = "both"
    WAITING = "not copied yet"
    SOURCE = "only on the source"
    TARGET = "only on the target"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPair:
    """
    A line of two logs beside each other.

    Args:
        presence: Where it was seen.
        source, target: The record of each; `None` where it was not seen.
    """

    presence: Presence
    source: SeenRecord | None
    target: SeenRecord | None


def in_step(
    source: Sequence[SeenRecord],
    target: Sequence[SeenRecord],
    *,
    position: int | None,
    from_end: bool,
) -> tuple[RecordPair, ...]:
    """
    Put records with the same content beside each other, in the order of both logs.

    Args:
        source, target: They.
        position: The next source offset to copy, looked up when both were read; `None` if unknown.
        from_end: Of records that are all alike the last ones belong together.
    """
    waits = [] if position is None else [each for each in source if each.offset >= position]
    copied = source[: len(source) - len(waits)]
    # The time that a broker gives a record says nothing of which one it is.
    timed = not any(each.is_appended for each in (*source, *target))
    pairs = list(_aligned(copied, target, timed=timed, from_end=from_end))
    pairs += [RecordPair(presence=Presence.WAITING, source=each, target=None) for each in waits]
    return tuple(pairs)


def _aligned(
    source: Sequence[SeenRecord], target: Sequence[SeenRecord], *, timed: bool, from_end: bool
) -> Iterator[RecordPair]:
    step = -1 if from_end else 1
    first, second = source[::step], target[::step]
    keys, others = (
        [(each.digest, each.at_ms if timed else None) for each in records]
        for records in (first, second)
    )
    matcher = SequenceMatcher(a=keys, b=others, autojunk=False)
    found: list[RecordPair] = []
    for same, a, a_end, b, b_end in matcher.get_opcodes():
        if same == "equal":
            both = zip(first[a:a_end], second[b:b_end], strict=True)
            found += [RecordPair(presence=Presence.BOTH, source=s, target=t) for s, t in both]
            continue
        only_source = [_only(Presence.SOURCE, each) for each in first[a:a_end]]
        only_target = [_only(Presence.TARGET, each) for each in second[b:b_end]]
        found += [*only_target, *only_source] if from_end else [*only_source, *only_target]
    yield from found[::step]


def _only(presence: Presence, record: SeenRecord) -> RecordPair:
    is_source = presence is Presence.SOURCE
    return RecordPair(
        presence=presence,
        source=record if is_source else None,
        target=None if is_source else record,
    )
