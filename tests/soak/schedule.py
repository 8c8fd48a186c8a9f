"""Which fault comes when: from the seed alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What can happen; the values are what the page says."""

    NOTHING = "nothing"
    FREEZE_DRIVER = "driver frozen"
    KILL_SOURCE = "source broker killed"
    KILL_TARGET = "target broker killed"
    FREEZE_SOURCE = "source broker frozen"
    FREEZE_TARGET = "target broker frozen"
    ROLL_SOURCE = "source broker restarted"
    ROLL_TARGET = "target broker restarted"
    ELECT = "preferred leaders elected"
    CUT = "link cut"
    CUT_ANSWERS = "link cut one way"
    SLOW = "link narrow and long"
    RESET = "connections reset"
    GROW = "topic grown"
    SETTINGS = "topic settings changed"
    PAUSE = "topic paused by an order"
    KILL_DRIVER = "driver killed"
    RESTART_DRIVER = "driver restarted"
    TAKE_OVER = "second driver takes over"


ENDS_DRIVER = (Kind.KILL_DRIVER, Kind.RESTART_DRIVER, Kind.TAKE_OVER)
_OTHERS = tuple(kind for kind in Kind if kind not in ENDS_DRIVER)
# A round takes 23 s. Between two ends of a driver its memory has time to show a trend, 18 minutes;
# a run that is shorter than an hour sees such ends all the same.
_DRIVER_ENDS_FIRST = 6
DRIVER_ENDS_EVERY, DRIVER_ENDS_EVERY_SHORT = 48, 12
_HOLD_S = (3.0, 20.0)
_REST_S = (2.0, 10.0)
_SECOND_ONE = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """
    One round: what happens, how long it lasts, and how long nothing happens afterwards.

    Args:
        number: From 1.
        kinds: One or two faults; the second begins when the first has.
        hold_s: How long they last.
        rest_s: How long the next round is waited with when the copy has recovered.
        lot: From 0 to 1: which broker, which topic.
    """

    number: int
    kinds: tuple[Kind, ...]
    hold_s: float
    rest_s: float
    lot: float


def rounds(seed: int, driver_ends_every: int = DRIVER_ENDS_EVERY) -> Iterator[Round]:
    """Give the rounds of a seed, without end. Each kind comes once before one comes again."""
    rng = random.Random(seed)
    decks: dict[bool, list[Kind]] = {True: [], False: []}
    number = 0
    while True:
        number += 1
        ends_driver = number % driver_ends_every == _DRIVER_ENDS_FIRST
        deck = decks[ends_driver]
        if not deck:
            deck += ENDS_DRIVER if ends_driver else _OTHERS
            rng.shuffle(deck)
        kinds = [deck.pop()]
        if not ends_driver and deck and rng.random() < _SECOND_ONE:
            kinds.append(deck.pop())
        yield Round(
            number=number,
            kinds=tuple(kinds),
            hold_s=rng.uniform(*_HOLD_S),
            rest_s=rng.uniform(*_REST_S),
            lot=rng.random(),
        )
