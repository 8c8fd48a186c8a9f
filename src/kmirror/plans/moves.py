"""Moves of groups between clusters: what is asked for, what may not be, what was seen; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from kmirror.model import Flow
from kmirror.plans.places import UnknownPlace
from kmirror.plans.text import first_few


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
        allow_backwards: Set offsets back that a consumer has committed where the groups go.
        without_source: Do not ask the source, and go on with what the target knows; only for a
            failover.
    """

    kind: MoveKind
    max_lag_records: int = 0
    wait_s: float = 30.0
    drill: bool = False
    allow_backwards: bool = False
    without_source: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """
    What still moves in a flow: its lag and its active groups.

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
            f"groups still have members on {here}: {first_few(calm.active)}",
            "stop these applications, or select other groups with --groups",
        )
    bound = 0 if strict else options.max_lag_records
    if calm.lag_records > bound:
        accept = "" if strict else "; --max-lag-records accepts that some are missing"
        return (
            f"{calm.lag_records:,} records of {here} are not on {there} yet",
            f"let a driver copy them, with the producers stopped{accept}",
        )
    return "", ""


def cannot_begin(
    flow: Flow, kind: MoveKind, *, here: str, was_started: bool, trouble: str
) -> tuple[str, str]:
    """
    Say why there is nothing to move, and what to do; both empty when there may be.

    Args:
        flow: The flow.
        kind: Which way, and how strict.
        here: The cluster that groups come from.
        was_started: Whether the flow ever was.
        trouble: Why the source was not heard; empty when it was.
    """
    if not was_started:
        return f"{flow} was never started", "start `kmirror run` first"
    if trouble and kind is not MoveKind.FAILOVER:
        return (
            f"{here} was not heard: {trouble}",
            "`kmirror failover` goes on with what was copied",
        )
    return "", ""


def step_names(options: MoveOptions) -> tuple[str, ...]:
    """
    Name the steps of a move, in order.

    Args:
        options: What the operator wants.
    """
    is_real, is_back = not options.drill, options.kind.is_back
    hold = ("hold",) if is_real and not is_back else ()
    release = ("release",) if is_real and is_back else ()
    return ("look", "wait", *hold, "groups", "proof", *release)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveStep:
    """One thing that was done, in words, and how long it took."""

    name: str
    words: str
    took_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicLoss:
    """
    What the other cluster lacks of one topic.

    Args:
        topic: Its name on the cluster that has it.
        records: How many; `None` when that cluster was not heard.
        age_s: As in `Loss`.
    """

    topic: str
    records: int | None
    age_s: float | None = None

    def __str__(self) -> str:
        return f"{self.topic}: {_amount(self.records, self.age_s)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """
    What the other cluster lacks (RPO).

    Args:
        records: How many; `None` when the cluster that has them was not heard.
        age_s: How old the oldest of them is, or, when that is not known, the newest record that
            was copied; `None` when there is none.
        topics: The same by topic; those of which nothing is lacking are left out.
        read_already: Groups that have read some of them where they were, and how many.
    """

    records: int | None = 0
    age_s: float | None = None
    topics: tuple[TopicLoss, ...] = ()
    read_already: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.records is None and self.age_s is None:
            return "unknown; nothing was ever copied"
        return f"{'unknown; ' if self.records is None else ''}{_amount(self.records, self.age_s)}"

    def sentences(self, *, here: str, there: str, with_topics: bool = True) -> Iterator[str]:
        """
        Say what that means.

        Args:
            here, there: The cluster that has the records, and the one that lacks them.
            with_topics: What each topic lacks, too.
        """
        if self.records is None:
            yield (
                f"{here} was not heard: what was written there later is not on {there}, "
                f"and lost if {here} never comes back"
            )
        elif self.records:
            yield (
                f"these are on {here} and not on {there} yet: lost if {here} never comes back, "
                "otherwise they come after `kmirror failback`"
            )
        yield from (f"  {topic}" for topic in self.topics if with_topics)
        for group, count in sorted(self.read_already.items()):
            yield f"  {group} has read {count:,} of them on {here} and will read them again"
        if self.records is None:
            yield (
                f"what groups committed on {here} after their newest checkpoint is not known: "
                "they read that part again; a group without a checkpoint is not listed here"
            )


def _amount(records: int | None, age_s: float | None) -> str:
    if records is None:
        return "" if age_s is None else f"the newest record that was copied is {age_s:.1f} s old"
    age = "" if age_s is None else f", the oldest {age_s:.1f} s old"
    return f"{records:,} records{age}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport:
    """
    The result of a move.

    Args:
        flow: The flow.
        kind: Which way.
        drill: Nothing was changed.
        steps: What was done, in order.
        loss: What was not copied (RPO).
        took_s: From the first command until the end was seen (RTO).
        groups: The groups that go on there.
        left: Groups that do not, and why.
        unknown: Groups' partitions of which nobody knows where the groups go on, and why.
    """

    flow: Flow
    kind: MoveKind
    drill: bool
    steps: tuple[MoveStep, ...]
    loss: Loss
    took_s: float
    groups: tuple[str, ...]
    left: Mapping[str, str]
    unknown: tuple[UnknownPlace, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every group goes on there, and that was seen."""
        return not self.left and not self.unknown
