"""What the source's ACLs are on the target, and which are taken away; and once is enough."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.model import Flow
from kmirror.plans.acl_binding import AclBinding
from kmirror.plans.exact_acls import ExactRules, KnownAcls, plan_exact_acls
from kmirror.plans.topic_acls import AclPlan
from kmirror.policy.filters import NameFilter
from kmirror.policy.replication import DefaultReplicationPolicy, IdentityReplicationPolicy
from kmirror.policy.selection import TopicSelection
from tests.support.bindings import acl

SELECTION = TopicSelection(
    flow=Flow("A", "B"),
    filter=NameFilter(("t.*",), ("t-secret",)),
    policy=DefaultReplicationPolicy(),
)
IDENTITY = replace(SELECTION, policy=IdentityReplicationPolicy(source_alias="A"))
RULES = ExactRules(
    selection=SELECTION,
    allows_group=NameFilter(("g.*",), ()).allows,
    principals={"User:alice": "User:alice-dr"},
)
TOPICS = ("t1", "t2", "other")
ALL = ["ALTER", "ALTER_CONFIGS", "CREATE", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS", "READ"]


def known(
    source: Collection[AclBinding],
    target: Collection[AclBinding] = (),
    created: Collection[AclBinding] = (),
    *,
    is_complete: bool = True,
) -> KnownAcls:
    """Give what is known."""
    return KnownAcls(
        source=source, target=target, created=created, topics=TOPICS, is_complete=is_complete
    )


def copies(source: AclBinding, rules: ExactRules = RULES) -> list[AclBinding]:
    """Give what one ACL becomes."""
    return [new.binding for new in plan_exact_acls(known([source]), rules).create]


@pytest.mark.parametrize(
    ("source", "copy"),
    [
        (acl("t1", who="bob"), acl("A.t1", who="bob")),
        (acl("t1"), acl("A.t1", who="alice-dr")),
        (acl("t*", "DESCRIBE", "bob"), acl("A.t*", "DESCRIBE", "bob")),
        (acl("*", who="bob"), acl("A.*", who="bob")),
        (acl("t1", "WRITE", "bob", denies=True), acl("A.t1", "WRITE", "bob", denies=True)),
        (acl("*", "ALL", "bob", denies=True), acl("A.*", "ALL", "bob", denies=True)),
        (acl("t1", who="bob", host="10.0.0.1"), acl("A.t1", who="bob", host="10.0.0.1")),
        *(
            (acl(name, "ALL", "bob", resource=kind), acl(name, "ALL", "bob", resource=kind))
            for kind in ("GROUP", "TRANSACTIONAL_ID")
            for name in ("g1", "g*", "*")
        ),
        (
            acl("x", "WRITE", "bob", resource="TRANSACTIONAL_ID"),
            acl("x", "WRITE", "bob", resource="TRANSACTIONAL_ID"),
        ),
    ],
)
def test_what_is_copied(source: AclBinding, copy: AclBinding) -> None:
    """Every kind of name, Allow and Deny, under the names of the target."""
    assert copies(source) == [copy]


def test_names_that_stay_the_same() -> None:
    """With the Identity policy a prefix is the same prefix, and all topics are all topics."""
    rules = replace(RULES, selection=IDENTITY)
    for name in ("t1", "t*", "*"):
        assert copies(acl(name, who="bob"), rules) == [acl(name, who="bob")]


@pytest.mark.parametrize(
    "source",
    [
        acl("other"),
        acl("t-secret"),
        acl("o*"),
        acl("t-sec*"),
        acl("h1", resource="GROUP"),
        acl("kafka-cluster", "ALTER", resource="CLUSTER"),
        acl("token", "DESCRIBE", resource="DELEGATION_TOKEN"),
    ],
)
def test_what_is_none_of_the_flows(source: AclBinding) -> None:
    """Topics that are not mirrored, prefixes of no mirrored topic, groups that are not followed."""
    assert not copies(source)


@pytest.mark.parametrize("name", ["t1", "t*", "*"])
def test_nobody_may_write_to_a_copy(name: str) -> None:
    """Unless the file says so; All is all the others."""
    plan = plan_exact_acls(known([acl(name, "WRITE", "bob")]), RULES)
    assert not plan
    assert str(plan.left_out[0]) == "1 ACL is left out (a copy is written by the flow alone)"
    assert [each.operation for each in copies(acl(name, "ALL", "bob"))] == ALL
    rules = replace(RULES, allows_write=True)
    for operation in ("WRITE", "ALL"):
        assert [each.operation for each in copies(acl(name, operation, "bob"), rules)] == [
            operation
        ]


def test_what_is_removed() -> None:
    """Only what the flow has created, and only if the source has said all that it has."""
    ours, theirs = acl("A.t1", who="bob"), acl("A.t2", who="bob")
    here = known([acl("t2", who="eve")], [ours, theirs], [ours])
    plan = plan_exact_acls(here, RULES)
    assert [gone.binding for gone in plan.remove] == [ours]
    assert str(plan.remove[0]) == ("allow User:bob Read on topic A.t1 (the source has it no more)")
    assert not plan_exact_acls(replace(here, is_complete=False), RULES).remove


def test_what_the_filters_select_no_more_stays() -> None:
    """The file was changed, not the source."""
    ours = acl("A.other", who="bob")
    plan = plan_exact_acls(known([acl("other", who="bob")], [ours], [ours]), RULES)
    assert not plan


def test_a_new_generation_of_a_copy() -> None:
    """It gets the ACLs, and the generations before it keep theirs."""
    selection = replace(SELECTION, generations=(("t1", 3),))
    rules = replace(RULES, selection=selection)
    older = [acl(name, who="bob") for name in ("A.t1", "A.t1.g2")]
    plan = plan_exact_acls(known([acl("t1", who="bob")], older, older), rules)
    assert [new.binding for new in plan.create] == [acl("A.t1.g3", who="bob")]
    assert not plan.remove
    assert copies(acl("t1*", who="bob"), rules) == [acl("A.t1*", who="bob")]
    assert len(plan_exact_acls(known([acl("t2")], older, older), rules).remove) == 2


def test_somebody_elses_is_not_created_again() -> None:
    """So it never becomes ours."""
    assert not plan_exact_acls(known([acl("t1", who="bob")], [acl("A.t1", who="bob")]), RULES)


ACLS = st.builds(
    acl,
    st.sampled_from(["t1", "t2", "t*", "t1*", "*", "other", "g1", "A.t1", "A.t*"]),
    st.sampled_from(["READ", "WRITE", "ALL", "DESCRIBE"]),
    st.sampled_from(["alice", "alice-dr", "bob"]),
    resource=st.sampled_from(["TOPIC", "GROUP", "TRANSACTIONAL_ID", "CLUSTER"]),
    denies=st.booleans(),
)
SETS = st.frozensets(ACLS, max_size=12)


def applied(
    plan: AclPlan, target: frozenset[AclBinding], created: frozenset[AclBinding]
) -> tuple[frozenset[AclBinding], frozenset[AclBinding]]:
    """Do what a plan says."""
    new = frozenset(each.binding for each in plan.create)
    gone = frozenset(each.binding for each in plan.remove)
    return (target | new) - gone, (created | new) - gone - frozenset(plan.forget)


VARIANTS = [
    replace(RULES, selection=selection, allows_write=allows_write)
    for selection in (SELECTION, IDENTITY)
    for allows_write in (False, True)
]


@given(SETS, SETS, SETS, SETS, st.sampled_from(VARIANTS))
def test_once_is_enough_and_nothing_of_others_is_touched(
    first: frozenset[AclBinding],
    second: frozenset[AclBinding],
    foreign: frozenset[AclBinding],
    lost: frozenset[AclBinding],
    rules: ExactRules,
) -> None:
    """Whatever the source has, has then, and somebody takes away on the target in between."""
    target, created = foreign, frozenset[AclBinding]()
    for source in (first, second):
        plan = plan_exact_acls(known(source, target, created), rules)
        target, created = applied(plan, target, created)
        again = plan_exact_acls(known(source, target, created), rules)
        assert not again
        assert not again.forget
        assert target >= foreign - lost
        assert not created & foreign
        target -= lost - foreign
    if not rules.allows_write:
        written = {each for each in created if each.resource == "TOPIC"}
        assert not [
            each
            for each in written
            if each.permission == "ALLOW" and each.operation in {"WRITE", "ALL"}
        ]
