"""
Why one topic is mirrored, or is not: every cause there is, the first one that matters first.

It decides nothing: what is copied is decided elsewhere, by the same policies and plans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from kmirror.plans.grants import Grant
from kmirror.plans.snapshot import TopicState
from kmirror.plans.text import first_few
from kmirror.plans.topics import TopicProblem
from kmirror.policy.selection import TopicSelection
from kmirror.policy.unmatched import matching, spelling_doubt
from kmirror.policy.upstream import sources_of
from kmirror.units import moment

PAUSED, PARKED_BY_ORDER = "paused", "parked_by_order"
_ORDERS = (PAUSED, PARKED_BY_ORDER)


class Verdict(Enum):
    """What becomes of the topic."""

    MIRRORED = "mirrored"
    PARTLY = "partly mirrored"
    NOT_MIRRORED = "not mirrored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """
    A cause, or what speaks for the topic.

    Args:
        kind: One word, for programs.
        words: What is the case.
        do: What to do; empty where nothing has to be done.
        grants: ACLs to add.
    """

    kind: str
    words: str
    do: str = ""
    grants: tuple[Grant, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NameList:
    """
    `topics` or `topics.exclude`, as a flow has it.

    Args:
        key: As written in the file; the bare name where it is the default.
        where: `file:line`; empty for the default.
        items: Java regexes.
    """

    key: str
    where: str
    items: tuple[str, ...]

    def named(self, topic: str) -> tuple[str, ...]:
        """Return the items that match."""
        return matching(self.items, topic)

    def __str__(self) -> str:
        return f"{self.key} ({self.where or 'the default'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """
    A partition that stands still.

    Args:
        partition: Its number.
        kind: Why, in one word.
        reason: Why, with what resolves it.
        last_ms: The newest record of the copy, milliseconds since the epoch; `None` for none.
    """

    partition: int
    kind: str
    reason: str
    last_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """
    How far the copy of a topic is.

    Args:
        begun: How many partitions have a position.
        lag_records: What is not copied.
        stale: Partitions with records to copy whose positions did not move while it was looked.
        watched_s: How long it was looked.
    """

    begun: int
    lag_records: int
    stale: tuple[int, ...] = ()
    watched_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFacts:
    """
    What clusters and file say of a topic.

    Args:
        selection: Which topics the flow copies.
        topics, exclude: The lists behind it.
        topic: The topic.
        source: As the source has it; `None` where it is not to be seen.
        is_hidden: The source was asked for it by name, and refused.
        target: The copy; `None` where it is not to be seen.
        missing: ACLs that the topic lacks.
        problem: Why the copy cannot be made or grown.
        owner: Who drives the flow; empty where nobody ever did.
        held: Somebody keeps the flow from copying.
        standing: Partitions that stand still.
        progress: `None` where nothing is copied.
        others: Topics of the source with names alike.
    """

    selection: TopicSelection
    topics: NameList
    exclude: NameList
    topic: str
    source: TopicState | None
    is_hidden: bool = False
    target: TopicState | None = None
    missing: tuple[Grant, ...] = ()
    problem: TopicProblem | None = None
    owner: str = ""
    held: str = ""
    standing: tuple[Standing, ...] = ()
    progress: Progress | None = None
    others: tuple[str, ...] = ()

    @property
    def copy(self) -> str:
        """Its name on the target."""
        return self.selection.remote_topic(self.topic)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """
    The answer.

    Args:
        topic: The topic.
        copy: Its name on the target.
        verdict: What becomes of it.
        reasons: Why.
        partitions: How many it has; 0 where that is not known.
        lag_records: What is not copied; `None` where nothing is.
    """

    topic: str
    copy: str
    verdict: Verdict
    reasons: tuple[Reason, ...]
    partitions: int = 0
    lag_records: int | None = None


def explain(facts: TopicFacts) -> Explanation:
    """
    Say why a topic is mirrored or not.

    Args:
        facts: What clusters and file say of it.
    """
    selected = facts.selection.selects(facts.topic)
    against = [] if selected else [not_selected(facts)]
    reasons = [*against, *([selected_by(facts)] if selected else [])]
    if facts.source is None:
        return _answer(facts, Verdict.NOT_MIRRORED, (*reasons, _unseen(facts)))
    if not selected:
        return _answer(facts, Verdict.NOT_MIRRORED, reasons)
    obstacles = tuple(_obstacles(facts))
    verdict = Verdict.MIRRORED
    if obstacles:
        moves = facts.progress is not None and facts.progress.begun > _still(facts)
        verdict = Verdict.PARTLY if moves else Verdict.NOT_MIRRORED
    return _answer(facts, verdict, (*obstacles, *reasons))


def _answer(facts: TopicFacts, verdict: Verdict, reasons: Sequence[Reason]) -> Explanation:
    selected = facts.selection.selects(facts.topic)
    return Explanation(
        topic=facts.topic,
        copy=facts.copy,
        verdict=verdict,
        reasons=tuple(reasons),
        partitions=facts.source.partitions if facts.source is not None else 0,
        lag_records=facts.progress.lag_records if facts.progress and selected else None,
    )


def selected_by(facts: TopicFacts) -> Reason:
    """Say what selects a topic that is selected."""
    named = facts.topics.named(facts.topic)
    if named and not facts.exclude.named(facts.topic):
        return Reason(kind="selected", words=f"{named[0]} in {facts.topics} names it")
    return Reason(
        kind="heartbeats",
        words="it is a heartbeats topic, copied whatever topics and topics.exclude say",
    )


def not_selected(facts: TopicFacts) -> Reason:
    """Say what keeps a topic from being selected."""
    topic, selection = facts.topic, facts.selection
    heartbeats = selection.heartbeats_replication and selection.policy.is_heartbeats_topic(topic)
    excluded = () if heartbeats else facts.exclude.named(topic)
    if excluded:
        items = " and ".join(excluded)
        return Reason(
            kind="excluded",
            words=f"{items} in {facts.exclude} names it, and exclusion wins",
            do=f"take {items} out of {_own_key(facts, facts.exclude)}, or write what matches less",
        )
    if not heartbeats and not facts.topics.named(topic):
        return _not_named(facts)
    if selection.policy.is_internal_topic(topic):
        return Reason(
            kind="internal",
            words="it is an internal topic: names that begin with __ or a dot, and MirrorMaker 2's "
            "own (mm2…internal, …checkpoints.internal), are never copied, whatever the file says",
        )
    ends = (selection.flow.target, selection.flow.source)
    came = next((each for each in sources_of(topic, selection.policy) if each in ends), ends[0])
    return Reason(
        kind="cycle",
        words=f"its name says that it came from {came}: copying it to {selection.flow.target} "
        "would be a loop",
        do="if it did not, rename it, or choose another replication.policy.separator or alias",
    )


def _not_named(facts: TopicFacts) -> Reason:
    doubts = [f"{item}: {doubt}" for item in facts.topics.items if (doubt := spelling_doubt(item))]
    key = _own_key(facts, facts.topics)
    return Reason(
        kind="not_named",
        words=f"nothing in {facts.topics} names it" + "".join(f"; {each}" for each in doubts),
        do=f"add {facts.topic} to {key}; an item has to match the whole name",
    )


def _own_key(facts: TopicFacts, names: NameList) -> str:
    """Return the key to write: a default is not in the file yet."""
    return names.key if names.where else f"{facts.selection.flow}.{names.key}"


def _unseen(facts: TopicFacts) -> Reason:
    source = facts.selection.flow.source
    if facts.is_hidden:
        return Reason(
            kind="missing_right",
            words=f"{source} hides it: kmirror may not describe it, whether it exists or not",
            do="grant what is missing; the flow sees it the next time that it looks for topics",
            grants=facts.missing,
        )
    upstream = facts.selection.policy.upstream_topic(facts.topic)
    if upstream in facts.others and facts.selection.remote_topic(upstream) == facts.topic:
        return Reason(
            kind="is_copy",
            words=f"{source} has no such topic; it is what the copy of {upstream} is called",
            do=f"ask for {upstream}",
        )
    alike = f"; it has {first_few(facts.others)}" if facts.others else ""
    return Reason(kind="absent", words=f"{source} has no such topic{alike}", do="create it")


def _obstacles(facts: TopicFacts) -> Iterator[Reason]:
    """Yield what keeps a topic that is selected and there from being copied."""
    if facts.held:
        yield Reason(
            kind="held",
            words=f"the flow copies nothing: {facts.held}",
            do=f"kmirror failback FILE '{facts.selection.flow}', or the verb's --abort",
        )
    if facts.missing:
        which = ", ".join(
            f"{operation.value} on {grant.resource.value} {grant.name.text} of {grant.cluster}"
            for grant in facts.missing
            for operation in grant.operations
        )
        yield Reason(
            kind="missing_right",
            words=f"a right is missing: {which}",
            do="grant it; the flow goes on by itself",
            grants=facts.missing,
        )
    yield from _of_copy(facts)
    yield from _of_partitions(facts)


def _of_copy(facts: TopicFacts) -> Iterator[Reason]:
    assert facts.source is not None
    there = 0 if facts.target is None else facts.target.partitions
    if facts.problem is not None:
        yield Reason(
            kind="copy_refused" if facts.target is None else "missing_partitions",
            words=facts.problem.reason,
            do=facts.problem.hint,
        )
    elif facts.target is None:
        by = "no driver has run yet" if not facts.owner else "the next look of a driver makes it"
        yield Reason(
            kind="no_copy", words=f"{facts.copy} is not there: {by}", do="kmirror run FILE"
        )
    elif there < facts.source.partitions:
        yield Reason(
            kind="missing_partitions",
            words=f"{facts.copy} has {there} partitions, the source {facts.source.partitions}",
            do="kmirror run FILE: a driver adds them",
        )


def _of_partitions(facts: TopicFacts) -> Iterator[Reason]:
    by_kind: dict[tuple[str, str], list[Standing]] = {}
    for each in facts.standing:
        by_kind.setdefault((each.kind, _cause(facts, each)), []).append(each)
    for (kind, cause), group in by_kind.items():
        numbers = first_few([each.partition for each in group])
        words = f"partition {numbers} stands" if len(group) == 1 else f"partitions {numbers} stand"
        newest_ms = max((each.last_ms for each in group if each.last_ms is not None), default=None)
        since = "" if newest_ms is None else f"; the copy's newest record is of {moment(newest_ms)}"
        yield Reason(
            kind=kind if kind in _ORDERS else f"parked.{kind}",
            words=f"{words} still: {cause}{since}",
        )
    progress = facts.progress
    if progress is None or facts.held:
        return
    if not facts.owner:
        yield Reason(
            kind="never_started", words="the flow was never started", do="kmirror run FILE"
        )
    elif stale := sorted(set(progress.stale) - {each.partition for each in facts.standing}):
        yield Reason(
            kind="stale_position",
            words=f"records wait, but the positions of partitions {first_few(stale)} did "
            f"not move for {progress.watched_s:g} s; the flow was claimed last by {facts.owner}",
            do="look whether that driver runs; what the target refuses stands in its log as "
            "partition.parked",
        )


def _cause(facts: TopicFacts, each: Standing) -> str:
    """Take the partition's own name out of a reason, so that equal ones are one."""
    return each.reason.removeprefix(f"{facts.topic}-{each.partition}: ")


def _still(facts: TopicFacts) -> int:
    stale = facts.progress.stale if facts.progress is not None else ()
    return len({each.partition for each in facts.standing} | set(stale))
