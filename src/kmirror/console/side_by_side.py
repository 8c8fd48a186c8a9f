"""Asks about several flows at a time: a cluster that does not answer delays no other's answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Subject = TypeVar("Subject")
Answer = TypeVar("Answer")

ASKED_AT_ONCE = 8


def side_by_side(
    ask: Callable[[Subject], Answer], subjects: Iterable[Subject]
) -> tuple[Answer, ...]:
    """
    Return an answer about each.

    Args:
        ask: Answers about one; what it raises is raised when all have answered.
        subjects: What it is asked about.
    """
    with ThreadPoolExecutor(ASKED_AT_ONCE, "console-asks") as pool:
        return tuple(pool.map(ask, subjects))
