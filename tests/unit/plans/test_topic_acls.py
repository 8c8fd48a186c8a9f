"""Which ACLs copies get, by MirrorMaker 2's rules."""

from __future__ import annotations

import pytest

from kmirror.model import Flow
from kmirror.plans.acl_binding import AclBinding
from kmirror.plans.topic_acls import plan_topic_acls
from kmirror.policy.filters import NameFilter
from kmirror.policy.replication import DefaultReplicationPolicy
from kmirror.policy.selection import TopicSelection
from tests.support.bindings import acl

SELECTION = TopicSelection(
    flow=Flow("A", "B"),
    filter=NameFilter(("orders", "t.*", ".*\\*"), ("t-secret",)),
    policy=DefaultReplicationPolicy(),
)


@pytest.mark.parametrize(
    ("source", "copy"),
    [
        (acl("orders"), acl("A.orders")),
        (acl("orders", "ALL"), acl("A.orders", "READ")),
        (acl("orders", "ALL", denies=True), acl("A.orders", "ALL", denies=True)),
        (acl("orders", "WRITE", denies=True), acl("A.orders", "WRITE", denies=True)),
        (acl("orders", "DESCRIBE"), acl("A.orders", "DESCRIBE")),
        (acl("orders", "CREATE", "bob"), acl("A.orders", "CREATE", "bob")),
        (acl("orders", host="10.0.0.1"), acl("A.orders", host="10.0.0.1")),
    ],
)
def test_what_is_copied(source: AclBinding, copy: AclBinding) -> None:
    """With everything else as it is; and not again once it is there."""
    plan = plan_topic_acls([source], [acl("A.other")], SELECTION)
    assert [new.binding for new in plan.create] == [copy]
    assert not plan.left_out
    assert not plan_topic_acls([source], [copy], SELECTION)


@pytest.mark.parametrize(
    "source",
    [
        acl("other"),
        acl("t-secret"),
        acl("B.t"),
        acl("orders", resource="GROUP"),
        acl("kafka-cluster", resource="CLUSTER"),
    ],
)
def test_what_is_none_of_the_flows(source: AclBinding) -> None:
    """Nothing is said of it either."""
    plan = plan_topic_acls([source], [], SELECTION)
    assert not plan.create
    assert not plan.left_out


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ([acl("orders", "WRITE"), acl("t1", "WRITE")], "2 ACLs are left out (a copy is written"),
        ([acl("orders*")], "1 ACL is left out (only ACLs of single topics are copied"),
        ([acl("*")], "1 ACL is left out (only ACLs of single topics are copied"),
    ],
)
def test_what_is_left_out_is_said(source: list[AclBinding], words: str) -> None:
    """Once for all of a kind."""
    plan = plan_topic_acls(source, [], SELECTION)
    assert not plan
    (left,) = plan.left_out
    assert str(left).startswith(words)


def test_a_line_for_people() -> None:
    """Who, what, from where, and why."""
    plan = plan_topic_acls(
        [acl("orders", "ALL"), acl("t1", "DESCRIBE_CONFIGS", host="10.0.0.1", denies=True)],
        [],
        SELECTION,
    )
    assert [f"{new.binding.verb} {new}" for new in plan.create] == [
        "allow User:alice Read on topic A.orders (All on orders, and a copy is written by the flow "
        "alone)",
        "deny User:alice DescribeConfigs on topic A.t1 from 10.0.0.1 (as on t1)",
    ]
    assert str(acl("g*", resource="TRANSACTIONAL_ID")) == (
        "allow User:alice Read on transactional ids g*"
    )
