"""What the API says of moves of consumer groups to the other cluster and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kmirror.api.orders import REASON


class MoveVerb(StrEnum):
    """Which move: `failover` and `promote` go from a flow's source to its target."""

    FAILOVER = "failover"
    PROMOTE = "promote"
    FAILBACK = "failback"


class MoveState(StrEnum):
    """How a move stands, or how it ended."""

    RUNNING = "running"
    DONE = "done"
    INCOMPLETE = "incomplete"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRequest:
    """
    An order to move consumer groups.

    Args:
        kind: Which move.
        reason: Why, for whoever asks later.
        flow: The flow's name again: its groups go on elsewhere.
        groups: A Java regex of whole names of groups; null for those that the file names.
        max_lag_records: Go on although so many records are not copied; only for a failover.
        wait_s: How long to wait until everything is copied and nobody consumes any more.
        drill: Run every step that changes nothing, and measure.
        allow_backwards: Set offsets back, too, that a consumer has committed where groups go.
        without_source: Do not ask the source, of which a part may answer, and go on with what the
            target knows; only for a failover.
    """

    kind: MoveVerb
    reason: str = field(metadata=REASON)
    flow: str
    groups: str | None = field(default=None, metadata={"minLength": 1, "maxLength": 1000})
    max_lag_records: int = field(default=0, metadata={"minimum": 0})
    wait_s: int = field(default=30, metadata={"minimum": 0, "maximum": 86_400})
    drill: bool = False
    allow_backwards: bool = False
    without_source: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortRequest:
    """
    An order to let a flow copy again whose groups were moved, and to move nobody.

    Args:
        reason: Why, for whoever asks later.
        flow: The flow's name again.
    """

    reason: str = field(metadata=REASON)
    flow: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicLossView:
    """
    What the other cluster lacks of a topic.

    Args:
        topic: Its name on the cluster that has it.
        records: How many; null when that cluster does not answer.
        age_s: How old the oldest is, or, when that is not known, the newest that was copied; null
            when there is none.
    """

    topic: str
    records: int | None
    age_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LossView:
    """
    What the other cluster lacks: RPO.

    Args:
        records: How many records; null when the cluster that has them does not answer.
        age_s: As of a topic.
        words: The same for people.
        sentences: What that means, and which groups will read some of it again.
        topics: The same by topic; those of which nothing is lacking are left out.
    """

    records: int | None
    age_s: float | None
    words: str
    sentences: tuple[str, ...] = ()
    topics: tuple[TopicLossView, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlaceView:
    """
    A group in a partition, on both clusters.

    Args:
        group: Its name.
        topic, partition: Where it is.
        offset: Its offset there.
        copy: The topic where it goes.
        goes_on: Where it goes on there.
        committed: What it has committed there; null for nothing.
        is_set: Whether the move would set it.
        lacks: Records of the partition that are not where it goes: lost if they never come.
        reads_again: Of these, those that it has read: it reads them again when they come.
        goes_back: Offsets that a consumer has read there, and would read again.
    """

    group: str
    topic: str
    partition: int
    offset: int
    copy: str
    goes_on: int
    committed: int | None
    is_set: bool
    lacks: int = 0
    reads_again: int = 0
    goes_back: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftGroup:
    """
    A group that does not go on there.

    Args:
        group: Its name.
        why: Why.
    """

    group: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlanView:
    """
    What a move would do now; nothing is changed.

    Args:
        flow: `S->T`.
        kind: Which move.
        here, there: The clusters that groups would go from, and to.
        as_of_ms: When the clusters were asked, milliseconds since the epoch.
        why_not: Why it would be refused now; empty when it would not be.
        hint: What to do about that.
        trouble: Why the source does not answer; empty when it does.
        owner: Who has the flow; empty when it was never started.
        is_held: Whether a move keeps it from copying.
        active: Groups with members where they come from.
        lag_records: What is not copied; null when the source does not answer.
        loss: What would be lost, or late.
        places: Where groups are, and go on.
        left: Groups that would not be moved.
        unknown: Groups of which nobody knows where they go on.
    """

    flow: str
    kind: MoveVerb
    here: str
    there: str
    as_of_ms: int
    why_not: str
    hint: str
    trouble: str
    owner: str
    is_held: bool
    active: tuple[str, ...]
    lag_records: int | None
    loss: LossView
    places: tuple[MovePlaceView, ...]
    left: tuple[LeftGroup, ...]
    unknown: tuple[LeftGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveStepView:
    """
    A step of a move that is done.

    Args:
        name: `look`, `wait`, `hold`, `groups`, `proof` or `release`.
        words: What was seen.
        took_s: How long it took, seconds.
        at_ms: When it was done, milliseconds since the epoch.
    """

    name: str
    words: str
    took_s: float
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveView:
    """
    A move that was ordered here.

    Args:
        number: Counts those of the process, from 1.
        flow: `S->T`.
        kind: Which move.
        drill: Whether nothing is changed.
        state: How it stands, or how it ended.
        by: Who ordered it.
        reason: Why.
        here, there: The clusters that groups go from, and to.
        began_ms: When, milliseconds since the epoch.
        ended_ms: When it ended; null while it runs.
        doing: The step that it is at; empty when it has ended.
        steps: What is done.
        problem: Why it was refused, or failed; empty otherwise.
        hint: What to do about that, or next.
        loss: What was not copied; null while it runs, or when it did not come so far.
        took_s: From the order until the end was seen (RTO), seconds; null as for `loss`.
        groups: The groups that go on there.
        left: Those that do not, or of which nobody knows.
    """

    number: int
    flow: str
    kind: MoveVerb
    drill: bool
    state: MoveState
    by: str
    reason: str
    here: str
    there: str
    began_ms: int
    ended_ms: int | None = None
    doing: str = ""
    steps: tuple[MoveStepView, ...] = ()
    problem: str = ""
    hint: str = ""
    loss: LossView | None = None
    took_s: float | None = None
    groups: tuple[str, ...] = ()
    left: tuple[LeftGroup, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveList:
    """
    Moves that were ordered here since the process began, the newest first.

    Args:
        moves: They.
    """

    moves: tuple[MoveView, ...]
