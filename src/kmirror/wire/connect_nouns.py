"""Nouns that Kafka Connect's topics and its REST API share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror.wire.connect_json import INT_MAX, Damaged


class TargetState(StrEnum):
    """What somebody wants a connector to do."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"


class WorkerState(StrEnum):
    """What a connector or a task does."""

    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    FAILED = "FAILED"
    RESTARTING = "RESTARTING"
    STOPPED = "STOPPED"


@dataclass(frozen=True, slots=True, order=True)
class TaskId:
    """A task: `name-0` in Connect's texts."""

    connector: str
    task: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """
    A record of one of Connect's topics that nobody can use; Connect passes over it, too.

    Args:
        key: Its key, as far as it is text.
        reason: What is wrong with it.
    """

    key: str
    reason: str


def task_id(words: str) -> TaskId:
    """
    Read `name-0`; the name may have dashes of its own.

    Raises:
        Damaged: It is no such thing.
    """
    name, dash, digits = words.rpartition("-")
    is_number = digits.isascii() and digits.isdigit()
    if not dash or not is_number or int(digits) > INT_MAX:
        raise Damaged("its key names no task")
    return TaskId(name, int(digits))
