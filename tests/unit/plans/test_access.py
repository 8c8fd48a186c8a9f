"""What kmirror asks of clusters, and the ACLs for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.model import Flow
from kmirror.plans.access import Access, Operation, Resource
from kmirror.plans.access_docs import acls_page
from kmirror.plans.access_table import HEARTBEAT_ROW, ROWS, rows_of
from kmirror.plans.grants import Grant, Need, grants
from kmirror.policy.acl_names import AclName
from kmirror.policy.replication import (
    AliasPolicy,
    DefaultReplicationPolicy,
    IdentityReplicationPolicy,
)

PAGE = Path(__file__).parents[3] / "docs" / "acls.md"

ACCESS = Access(
    flow=Flow("A", "B"),
    policy=DefaultReplicationPolicy(),
    topics=("orders",),
    groups=("billing.*",),
    heartbeats=(),
    offset_storage_topic="mm2-offsets.A.internal",
    exactly_once=True,
    offset_syncs=None,
    checkpoints=False,
    group_offsets=False,
)


def granted(access: Access, *more: Need) -> tuple[Grant, ...]:
    """Give the ACLs of one flow whose clients are all the same principal."""
    needs = [
        Need(cluster=row.end, principal="User:mirror", row=row, name=name)
        for row in rows_of(access)
        for name in row.names(access)
    ]
    return grants([*needs, *more])


def shown(found: tuple[Grant, ...], *, optional: bool = False) -> dict[tuple[str, str, str], str]:
    """Give the operations by cluster, resource and name."""
    return {
        (
            each.cluster,
            each.resource.value,
            each.name.text + "*" * each.name.is_prefix,
        ): " ".join(operation.value for operation in each.operations)
        for each in found
        if each.is_optional is optional
    }


def test_the_least() -> None:
    """A flow with everything switched off that can be."""
    assert shown(granted(ACCESS)) == {
        ("source", "topic", "orders"): "Read DescribeConfigs",
        ("target", "topic", "A.orders"): "Read Write Create Alter",
        ("target", "group", "__kmirror-A-B"): "Read",
        ("target", "transactional-id", "kmirror-A-B-*"): "Write",
        ("target", "topic", "mm2-offsets.A.internal"): "Read Write Create",
        ("target", "topic", "__kmirror-offsets-A-B"): "Read Write Create",
        ("target", "topic", "__kmirror-control-A-B"): "Read Write Create",
    }
    assert shown(granted(ACCESS), optional=True) == {
        ("target", "topic", "A.orders"): "DescribeConfigs",
        ("target", "topic", "kmirror-events"): "Read Write Create",
        ("target", "topic", "__kmirror-audit-A-B"): "Read Write Create",
    }


def test_a_later_copy() -> None:
    """Its rights are asked, and no longer those of the first one."""
    later = replace(ACCESS, topics=("orders", "t"), generations=(("orders", 2),))
    names = {name for _, resource, name in shown(granted(later)) if resource == "topic"}
    assert {"A.orders.g2", "A.t"} <= names
    assert "A.orders" not in names


@pytest.mark.parametrize(
    ("access", "more"),
    [
        (
            replace(ACCESS, checkpoints=True),
            {
                ("source", "group", "billing*"): "Describe",
                ("target", "topic", "A.checkpoints.internal"): "Write Create",
            },
        ),
        (
            replace(ACCESS, group_offsets=True),
            {
                ("source", "group", "billing*"): "Describe",
                ("target", "group", "billing*"): "Read",
                ("target", "topic", "__kmirror-groups-A-B"): "Read Write Create",
            },
        ),
        (
            replace(ACCESS, topic_settings=True),
            {("target", "topic", "A.orders"): "Read Write Create Alter AlterConfigs"},
        ),
        (
            replace(ACCESS, new_generations=True),
            {("target", "topic", "A.orders.g*"): "Read Write Create Alter"},
        ),
        (
            replace(ACCESS, deletions=True, deletes=True),
            {
                ("target", "topic", "A.orders"): "Read Write Create Alter Delete",
                ("target", "topic", "__kmirror-deletions-A-B"): "Read Write Create",
            },
        ),
        (
            replace(ACCESS, acls=True, acls_asked=True, acls_exact=True),
            {
                ("source", "cluster", "kafka-cluster"): "Describe",
                ("target", "cluster", "kafka-cluster"): "Alter",
                ("target", "topic", "__kmirror-acls-A-B"): "Read Write Create",
            },
        ),
        (
            replace(ACCESS, moves=True),
            {
                ("source", "group", "billing*"): "Read",
                ("target", "group", "billing*"): "Read",
                ("target", "topic", "__kmirror-groups-A-B"): "Read Write Create",
            },
        ),
        (
            replace(ACCESS, offset_syncs="source"),
            {("source", "topic", "mm2-offset-syncs.B.internal"): "Write Create"},
        ),
        (
            replace(ACCESS, offset_syncs="target"),
            {("target", "topic", "mm2-offset-syncs.A.internal"): "Write Create"},
        ),
        (
            replace(ACCESS, heartbeats=("heartbeats",)),
            {
                ("source", "topic", "heartbeats"): "Read DescribeConfigs",
                ("target", "topic", "A.heartbeats"): "Read Write Create Alter",
            },
        ),
    ],
)
def test_what_is_on_adds_its_own(access: Access, more: dict[tuple[str, str, str], str]) -> None:
    """Nothing that is switched off is asked for."""
    assert shown(granted(access)) == shown(granted(ACCESS)) | more


@pytest.mark.parametrize(
    ("policy", "topics", "copies"),
    [
        (DefaultReplicationPolicy(), (".*",), "A.*"),
        (DefaultReplicationPolicy(separator="_"), ("app.*",), "A_app*"),
        (IdentityReplicationPolicy(source_alias="A"), ("app.*",), "app*"),
        (IdentityReplicationPolicy(source_alias="A"), (".*",), "*"),
        (AliasPolicy(name="all-orders"), (".*",), "all-orders"),
    ],
)
def test_copies_are_called_as_the_policy_says(
    policy: DefaultReplicationPolicy, topics: tuple[str, ...], copies: str
) -> None:
    """A prefix of the source's names is one of the copies', too."""
    found = shown(granted(replace(ACCESS, policy=policy, topics=topics)))
    writable = {place for place, operations in found.items() if "Alter" in operations}
    assert writable == {("target", "topic", copies)}


def test_an_alias_topic_has_no_offset_map() -> None:
    """Nobody goes over from one topic of a cluster to another."""
    found = shown(granted(replace(ACCESS, policy=AliasPolicy(name="all-orders"))))
    assert ("target", "topic", "__kmirror-offsets-A-B") not in found


def test_a_prefix_allows_the_internal_topic_below_it() -> None:
    """`A.*` may be created and written, and so may A.checkpoints.internal."""
    found = shown(granted(replace(ACCESS, topics=(".*",), checkpoints=True)))
    assert ("target", "topic", "A.checkpoints.internal") not in found


def test_principals_are_told_apart() -> None:
    """What one may do does not help another."""
    beat = Need(
        cluster="target", principal="User:beat", row=HEARTBEAT_ROW, name=AclName("A.heartbeats")
    )
    found = granted(replace(ACCESS, topics=(".*",)), beat)
    (own,) = (each for each in found if each.principal == "User:beat")
    assert own.operations == (Operation.WRITE, Operation.CREATE)


def test_rows_say_when_they_count() -> None:
    """Words and rule agree: a row that does not always count says when it does."""
    off = replace(ACCESS, exactly_once=False, policy=AliasPolicy(name="all"))
    for row in ROWS:
        assert bool(row.only) is not row.when(off), row.why


def test_what_is_needed_is_no_option() -> None:
    """AlterConfigs allows to read settings, too."""
    optional = shown(granted(replace(ACCESS, topic_settings=True)), optional=True)
    assert ("target", "topic", "A.orders") not in optional


def test_describe_is_implied() -> None:
    """No row asks for Describe where Read or Write is asked for anyway."""
    for grant in granted(replace(ACCESS, moves=True, checkpoints=True, group_offsets=True)):
        if grant.resource is Resource.GROUP:
            assert Operation.DESCRIBE not in grant.operations


def test_the_page_is_the_table() -> None:
    """`make pages` writes docs/acls.md."""
    assert PAGE.read_text(encoding="utf-8") == acls_page()


def test_acls_that_nobody_asked_for_are_optional() -> None:
    """Alter on a cluster is the right to change every ACL there."""
    access = replace(ACCESS, acls=True)
    assert shown(granted(access)) == shown(granted(ACCESS))
    assert shown(granted(access), optional=True) == shown(granted(ACCESS), optional=True) | {
        ("source", "cluster", "kafka-cluster"): "Describe",
        ("target", "cluster", "kafka-cluster"): "Alter",
    }
