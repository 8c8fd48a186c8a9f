"""Why a topic is mirrored, or is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import Flow
from kmirror.plans.access_table import ROWS
from kmirror.plans.explanation import (
    Explanation,
    NameList,
    Progress,
    Standing,
    TopicFacts,
    Verdict,
    explain,
)
from kmirror.plans.grants import Grant, Need, grants
from kmirror.plans.snapshot import TopicState
from kmirror.plans.topics import TopicProblem
from kmirror.policy.acl_names import AclName
from kmirror.policy.filters import TOPICS_EXCLUDE_DEFAULT, NameFilter
from kmirror.policy.replication import DefaultReplicationPolicy
from kmirror.policy.selection import TopicSelection

FILE = "mm2.properties"


def facts(topic: str, include: str = "orders.*", exclude: str = "") -> TopicFacts:
    """Give a topic of A with two partitions that is copied well, or would be."""
    items = tuple(include.split(","))
    out = tuple(exclude.split(",")) if exclude else TOPICS_EXCLUDE_DEFAULT
    return TopicFacts(
        selection=TopicSelection(
            flow=Flow("A", "B"), filter=NameFilter(items, out), policy=DefaultReplicationPolicy()
        ),
        topics=NameList(key="A->B.topics", where=f"{FILE}:5", items=items),
        exclude=NameList(
            key="topics.exclude", where=f"{FILE}:6" if exclude else "", items=tuple(out)
        ),
        topic=topic,
        source=TopicState(name=topic, partitions=2),
        target=TopicState(name=f"A.{topic}", partitions=2),
        owner="driver 1 on mirror-1",
        progress=Progress(begun=2, lag_records=0),
    )


def right(number: int) -> tuple[Grant, ...]:
    """Give the ACL of a row of the table."""
    row = ROWS[number]
    return grants([Need(cluster="A", principal="User:m", row=row, name=AclName("orders"))])


def kinds(answer: Explanation) -> list[str]:
    """Give the reasons' kinds."""
    return [reason.kind for reason in answer.reasons]


def test_a_topic_that_is_copied() -> None:
    """The item that names it is shown, with its line."""
    answer = explain(facts("orders-eu", include="payments,orders.*"))
    assert answer.verdict is Verdict.MIRRORED
    assert answer.copy == "A.orders-eu"
    (reason,) = answer.reasons
    assert reason.words == f"orders.* in A->B.topics ({FILE}:5) names it"


@pytest.mark.parametrize(
    ("given", "kind", "words", "do"),
    [
        (
            facts("orders-old", exclude="x,.*-old"),
            "excluded",
            f".*-old in topics.exclude ({FILE}:6) names it",
            "take .*-old out of topics.exclude",
        ),
        (
            facts("orders.replica"),
            "excluded",
            r".*\.replica in topics.exclude (the default) names it",
            "out of A->B.topics.exclude",
        ),
        (
            facts("payments"),
            "not_named",
            f"nothing in A->B.topics ({FILE}:5) names it",
            "add payments to A->B.topics",
        ),
        (
            facts("orders-eu", include='"orders-eu"'),
            "not_named",
            "quotes are part of it",
            "add orders-eu",
        ),
        (facts("__orders", include=".*", exclude="x"), "internal", "an internal topic", ""),
        (
            facts("B.orders", include=".*"),
            "cycle",
            "its name says that it came from B",
            "rename it",
        ),
        (facts("A.orders", include=".*"), "cycle", "its name says that it came from A", ""),
        (
            replace(facts("orders"), source=None, others=("Orders",)),
            "absent",
            "A has no such topic; it has Orders",
            "create it",
        ),
        (
            replace(facts("A.orders", include=".*"), source=None, others=("orders",)),
            "is_copy",
            "what the copy of orders is called",
            "ask for orders",
        ),
        (
            replace(facts("orders"), source=None, is_hidden=True, missing=right(0)),
            "missing_right",
            "A hides it",
            "grant",
        ),
        (
            replace(facts("orders"), missing=right(0)),
            "missing_right",
            "Read on topic orders of A",
            "grant it",
        ),
        (
            replace(
                facts("orders"),
                target=None,
                progress=None,
                problem=TopicProblem(source_topic="orders", reason="same name", hint="exclude"),
            ),
            "copy_refused",
            "same name",
            "exclude",
        ),
        (
            replace(facts("orders"), target=None, progress=None, owner=""),
            "no_copy",
            "no driver has run yet",
            "kmirror run",
        ),
        (
            replace(facts("orders"), target=TopicState(name="A.orders", partitions=1)),
            "missing_partitions",
            "A.orders has 1 partitions, the source 2",
            "kmirror run",
        ),
        (
            replace(facts("orders"), held="A->B is kept from copying by x"),
            "held",
            "kept from copying by x",
            "kmirror failback",
        ),
        (
            replace(facts("orders"), progress=Progress(begun=2, lag_records=9, stale=(1,))),
            "stale_position",
            "partitions 1 did not move",
            "whether that driver runs",
        ),
        (
            replace(facts("orders"), progress=Progress(begun=0, lag_records=9), owner=""),
            "never_started",
            "never started",
            "kmirror run",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_keeps_a_topic(given: TopicFacts, kind: str, words: str, do: str) -> None:
    """Each cause is named, with what to do about it."""
    answer = explain(given)
    assert answer.verdict is not Verdict.MIRRORED
    reason = next(each for each in answer.reasons if each.kind == kind)
    assert words in reason.words
    assert do in reason.do


def test_what_is_selected_is_what_is_copied() -> None:
    """Explanation and selection are of one opinion, whatever the topic is called."""
    for name in (
        "orders",
        "payments",
        "__x",
        "B.orders",
        "A.orders",
        "heartbeats",
        "orders.replica",
    ):
        given = facts(name, include=".*|orders")
        assert given.selection.selects(name) is (explain(given).verdict is Verdict.MIRRORED), name


def test_heartbeats_are_copied_whatever_lists_say() -> None:
    """They are not named, and mirrored all the same."""
    answer = explain(facts("heartbeats"))
    assert answer.verdict is Verdict.MIRRORED
    assert kinds(answer) == ["heartbeats"]


def test_parked_partitions_are_told_together() -> None:
    """The same cause is one reason, with the newest record of the copies."""
    standing = tuple(
        Standing(
            partition=number,
            kind="DataGap",
            reason=f"orders-{number}: the next record is gone (set kmirror.data.gap = continue)",
            last_ms=1_768_240_576_000 + number,
        )
        for number in range(2)
    )
    given = replace(facts("orders"), standing=standing)
    answer = explain(given)
    assert answer.verdict is Verdict.NOT_MIRRORED
    reason = answer.reasons[0]
    assert reason.kind == "parked.DataGap"
    assert reason.words == (
        "partitions 0, 1 stand still: the next record is gone (set kmirror.data.gap = continue); "
        "the copy's newest record is of 2026-01-12 17:56:16 UTC"
    )
    one = explain(replace(given, standing=standing[:1]))
    assert one.verdict is Verdict.PARTLY


def test_an_order_is_no_trouble() -> None:
    """What somebody has paused is not stale, too."""
    pause = Standing(partition=1, kind="paused", reason="paused by ann")
    progress = Progress(begun=2, lag_records=9, stale=(1,))
    answer = explain(replace(facts("orders"), standing=(pause,), progress=progress))
    assert kinds(answer) == ["paused", "selected"]
    assert answer.verdict is Verdict.PARTLY


def test_a_right_is_not_told_twice() -> None:
    """It is missing for the copy; the copy's absence is no cause of its own."""
    given = replace(facts("orders"), target=None, progress=None, missing=right(4))
    assert kinds(explain(given))[0] == "missing_right"
    assert explain(given).reasons[0].grants
