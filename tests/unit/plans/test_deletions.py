"""What proves that a topic is gone, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.plans.deletions import (
    CopiedTopic,
    DeletionFacts,
    DeletionPlan,
    Deletions,
    is_quarantined,
    plan_deletions,
)
from kmirror.policy.deletion import Deletion, DeletionVerb
from kmirror.policy.per_topic import PerTopic
from kmirror.wire.deletions import GoneTopic, KnownSource

DAY_MS = 86_400_000
IGNORE = Deletion()
QUARANTINE = Deletion(verb=DeletionVerb.QUARANTINE, text="quarantine")
DELETE = Deletion(verb=DeletionVerb.DELETE_AFTER, text="delete-after=1d", after_ms=DAY_MS)
ORDERS = CopiedTopic(topic="orders", topic_ids=("old",), copy="A.orders", copy_id="copy")
GONE = GoneTopic(
    topic="orders",
    topic_id="old",
    copy="A.orders",
    copy_id="copy",
    seen_ms=0,
    by="ann",
    policy=DELETE.text,
)
FACTS = DeletionFacts(
    copied=(ORDERS,), told={"orders": None}, copies={"A.orders": "copy"}, cluster_id="here"
)


def planned(
    policy: Deletion,
    *records: GoneTopic | KnownSource,
    facts: DeletionFacts = FACTS,
    now_ms: int = 0,
) -> DeletionPlan:
    """Plan with what is written down, on the cluster that was copied from."""
    known = Deletions().with_records([KnownSource(cluster_id="here"), *records])
    return plan_deletions(known, facts, PerTopic(default=policy), now_ms=now_ms, by="ann")


def test_ignore_does_nothing() -> None:
    assert planned(IGNORE) == DeletionPlan()


@pytest.mark.parametrize("policy", [QUARANTINE, DELETE])
@pytest.mark.parametrize("told", [None, "new"])
def test_what_is_proved_is_written_down_once(policy: Deletion, told: str | None) -> None:
    """No topic has the name, or another one."""
    facts = replace(FACTS, told={"orders": told})
    plan = planned(policy, facts=facts)
    assert plan.note == (replace(GONE, policy=policy.text),)
    assert not planned(policy, *plan.note, facts=facts)


@pytest.mark.parametrize("policy", [QUARANTINE, DELETE])
def test_absence_proves_nothing(policy: Deletion) -> None:
    """Not even when it was proved before."""
    for records in ((), (GONE,)):
        plan = planned(policy, *records, facts=replace(FACTS, told={}), now_ms=9 * DAY_MS)
        assert not plan
        assert "does not say" in plan.left[0].why


def test_another_cluster_proves_nothing() -> None:
    """Nor does one of which nobody knows that it was copied from."""
    plan = planned(DELETE, GONE, facts=replace(FACTS, cluster_id="there"), now_ms=9 * DAY_MS)
    assert not plan
    assert "another cluster" in plan.left[0].why
    unknown = plan_deletions(
        Deletions(), FACTS, PerTopic(default=DELETE), now_ms=9 * DAY_MS, by="ann"
    )
    assert not unknown
    assert unknown.source is None


def test_a_cluster_is_known_by_a_topic_that_was_copied() -> None:
    stays = CopiedTopic(topic="stays", topic_ids=("s",), copy="A.stays", copy_id="c")
    facts = replace(FACTS, copied=(ORDERS, stays), told={"orders": None, "stays": "s"})
    plan = plan_deletions(Deletions(), facts, PerTopic(default=DELETE), now_ms=0, by="ann")
    assert plan.source == KnownSource(cluster_id="here")
    assert plan.note == (GONE,)


def test_the_time_counts_from_the_proof() -> None:
    early = planned(DELETE, GONE, now_ms=DAY_MS - 1)
    assert not early
    assert [due.at_ms for due in early.waiting] == [DAY_MS]
    assert [due.gone for due in planned(DELETE, GONE, now_ms=DAY_MS).delete] == [GONE]


@pytest.mark.parametrize(
    ("facts", "record"),
    [
        (replace(FACTS, told={"orders": "new"}), GONE),
        (replace(FACTS, copies={"A.orders": "another"}), GONE),
        (replace(FACTS, copies={}), GONE),
        (FACTS, replace(GONE, copy_id="")),
        (FACTS, replace(GONE, released_ms=1)),
        (FACTS, replace(GONE, deleted_ms=1)),
    ],
)
def test_what_is_never_deleted(facts: DeletionFacts, record: GoneTopic) -> None:
    """A copy of a name that is there again, one that is not ours, one that was released."""
    assert not planned(DELETE, record, facts=facts, now_ms=9 * DAY_MS)


def test_a_topic_that_is_back_is_forgotten() -> None:
    """A restored cluster has the old ids."""
    facts = replace(FACTS, told={"orders": "old"})
    for policy in (IGNORE, QUARANTINE, DELETE):
        plan = planned(policy, GONE, facts=facts, now_ms=9 * DAY_MS)
        assert plan.back == (GONE,)
        assert not plan.delete


def test_what_is_released_is_forgotten_once_the_new_topic_is_copied() -> None:
    goes_on = replace(FACTS, copied=(replace(ORDERS, topic_ids=("new",)),), told={"orders": "new"})
    released = replace(GONE, policy="quarantine", released_ms=1)
    assert planned(QUARANTINE, released, facts=goes_on).back == (released,)
    assert not planned(QUARANTINE, released, facts=replace(FACTS, told={"orders": "new"}))


def test_the_file_may_change_its_mind() -> None:
    """The time of the proof stays; what was in quarantine stays there with `ignore`."""
    held = replace(GONE, policy="quarantine")
    assert planned(DELETE, held, now_ms=5).note == (GONE,)
    assert not planned(IGNORE, held)
    known = Deletions().with_records([held])
    assert known.quarantine("orders", topic_id="new", known_id="", policy=IGNORE) is not None


def test_who_is_in_quarantine() -> None:
    """Also one that nobody has written down yet; the topic itself never."""
    held = replace(GONE, policy="quarantine")
    known, empty = Deletions().with_records([held]), Deletions()
    assert is_quarantined(held)
    new, old = {"topic_id": "new", "known_id": "old"}, {"topic_id": "old", "known_id": "old"}
    assert known.quarantine("orders", **new, policy=QUARANTINE) is not None
    assert known.quarantine("orders", **old, policy=QUARANTINE) is None
    assert empty.quarantine("orders", **new, policy=QUARANTINE) is not None
    assert empty.quarantine("orders", **new, policy=DELETE) is None
    assert empty.quarantine("orders", topic_id="", known_id="old", policy=QUARANTINE) is None
    released = Deletions().with_records([replace(held, released_ms=1)])
    assert released.quarantine("orders", **new, policy=QUARANTINE) is None


def test_who_made_way() -> None:
    known = Deletions().with_records([replace(GONE, deleted_ms=1)])
    assert known.made_way("orders", topic_id="new")
    assert not known.made_way("orders", topic_id="old")
    assert not Deletions().with_records([GONE]).made_way("orders", topic_id="new")
    assert not known.with_records(["orders"]).made_way("orders", topic_id="new")
