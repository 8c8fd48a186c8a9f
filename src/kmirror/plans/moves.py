"""Moves of groups between clusters: what is asked for, what may not be, what was seen; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from kmirror.model import Flow, TopicPartition
from kmirror.plans.words import some


class MoveKind(Enum):
    """A flow `S->T` is held by the first two, from S to T; `failback` goes from T to S."""

    FAILOVER = "failover"
    PROMOTE = "promote"
    FAILBACK = "failback"

    @property
    def is_back(self) -> bool:
        """Whether groups go to the flow's source."""
        return self is MoveKind.FAILBACK


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveOptions:
    """
    What the operator wants.

    Args:
        kind: Which way, and how strict.
        max_lag_records: Go on although so many records are not copied; only for a failover.
        wait_s: How long to wait until everything is copied and nobody consumes any more.
        drill: Measure, but change nothing.
    """

    kind: MoveKind
    max_lag_records: int = 0
    wait_s: float = 30.0
    drill: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """
    How far a flow is from standing still.

    Args:
        lag_records: What is not copied.
        active: Groups that still have members where they come from.
    """

    lag_records: int
    active: tuple[str, ...] = ()

    def is_enough(self, kind: MoveKind) -> bool:
        """Whether there is nothing left to wait for: a failover does not wait for consumers."""
        return not self.lag_records and (kind is MoveKind.FAILOVER or not self.active)


def refusal(calm: Calm, options: MoveOptions, *, here: str, there: str) -> tuple[str, str]:
    """
    Say why groups may not be moved now, and what to do; both empty when they may be.

    Args:
        calm: What was seen when the time to wait was over.
        options: What the operator wants.
        here, there: The clusters, from which and to which.
    """
    strict = options.kind is not MoveKind.FAILOVER
    if strict and calm.active:
        return (
            f"groups still have members on {here}: {some(calm.active)}",
            "stop these applications, or name others with --groups",
        )
    bound = 0 if strict else options.max_lag_records
    if calm.lag_records > bound:
        accept = "" if strict else "; --max-lag-records accepts that some are missing"
        return (
            f"{calm.lag_records:,} records of {here} are not on {there} yet",
            f"let a driver copy them, with the producers stopped{accept}",
        )
    return "", ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveStep:
    """One thing that was done, in words, and how long it took."""

    name: str
    words: str
    took_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """
    What the other cluster lacks (RPO).

    Args:
        records: How many; `None` when the cluster that has them does not answer.
        age_s: How old the oldest of them is, or, when that is not known, the newest record that
            was copied; `None` when there is none.
    """

    records: int | None = 0
    age_s: float | None = None

    def __str__(self) -> str:
        if self.records is None:
            if self.age_s is None:
                return "unknown; nothing was ever copied"
            return f"unknown; the newest record that was copied is {self.age_s:.1f} s old"
        age = "" if self.age_s is None else f", the oldest {self.age_s:.1f} s old"
        return f"{self.records:,} records{age}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport:
    """
    How a move ended.

    Args:
        flow: The flow.
        kind: Which way.
        drill: Nothing was changed.
        steps: What was done, in order.
        loss: What was not copied (RPO).
        took_s: From the first command until the end was seen (RTO).
        groups: The groups that go on there.
        left: Groups that do not, and why.
        unknown: Groups' partitions of which nobody knows where they go on.
    """

    flow: Flow
    kind: MoveKind
    drill: bool
    steps: tuple[MoveStep, ...]
    loss: Loss
    took_s: float
    groups: tuple[str, ...]
    left: Mapping[str, str]
    unknown: tuple[tuple[str, TopicPartition], ...]

    @property
    def is_complete(self) -> bool:
        """Whether every group goes on there, and that was seen."""
        return not self.left and not self.unknown
