"""What the table of `plans.access_table` is made of: clients, operations, and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from kmirror.model import Flow
from kmirror.policy.acl_names import AclName, acl_names, without_covered
from kmirror.policy.poison import dlq_topic
from kmirror.policy.replication import HEARTBEATS_TOPIC, ReplicationPolicy
from kmirror.policy.routed import RoutedPolicy
from kmirror.policy.selection import EVENTS_TOPIC, generation_name
from kmirror.wire.audits import audit_topic
from kmirror.wire.control_orders import control_topic
from kmirror.wire.created_acls import created_acls_topic
from kmirror.wire.dead_letters import replays_topic
from kmirror.wire.deletions import deletions_topic
from kmirror.wire.flow_names import offset_map_topic, owner_transactional_id, position_group
from kmirror.wire.worker_group import NODES_GROUP, nodes_topic
from kmirror.wire.written_offsets import written_offsets_topic

End = Literal["source", "target"]
CLUSTER_NAME = "kafka-cluster"


class Resource(Enum):
    """A kind of resource; the value is the option of kafka-acls.sh without its dashes."""

    TOPIC = "topic"
    GROUP = "group"
    TRANSACTIONAL_ID = "transactional-id"
    CLUSTER = "cluster"


class Operation(Enum):
    """An operation; the value is its name in kafka-acls.sh."""

    READ = "Read"
    WRITE = "Write"
    CREATE = "Create"
    ALTER = "Alter"
    DELETE = "Delete"
    DESCRIBE = "Describe"
    DESCRIBE_CONFIGS = "DescribeConfigs"
    ALTER_CONFIGS = "AlterConfigs"


class Client(Enum):
    """Who asks: each may log in as somebody else."""

    CONTROL = "control plane"
    READER = "consumer of the lanes"
    WRITER = "producer of the lanes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """
    What decides which rows of the table count for a flow.

    Args:
        flow: The flow.
        policy: Names topics.
        topics, groups: Java regexes, as in the file.
        heartbeats: Heartbeats topics of the source that are copied whatever *topics* says.
        offset_storage_topic: MirrorMaker 2's positions.
        own_offsets_topics: The same, where a connector has its own.
        exactly_once: Records and positions are written in one transaction.
        offset_syncs: The end that has their topic; `None` where none are written.
        checkpoints: Checkpoints are written.
        group_offsets: Groups' offsets are committed on the target.
        topic_settings: Settings of copies are kept equal.
        dead_letters: What copies go on without may be kept.
        new_generations: A gap may begin a new generation of a copy.
        generations: Topics whose copies are not the first ones, with the numbers of these; known
            only of topics that are there.
        deletions: Something becomes of copies whose topics are deleted.
        deletes: Some of these copies are deleted, or records at their beginnings.
        acls: ACLs of topics are copied.
        acls_asked: The file itself says so.
        acls_exact: They are taken back, too.
        canary_topic: The topic of the driver's canary; empty without one.
        moves: `kmirror failover`, `promote`, `failback` and `offsets reset` are used, too.
    """

    flow: Flow
    policy: ReplicationPolicy
    topics: tuple[str, ...]
    groups: tuple[str, ...]
    heartbeats: tuple[str, ...]
    offset_storage_topic: str
    exactly_once: bool
    offset_syncs: End | None
    checkpoints: bool
    group_offsets: bool
    own_offsets_topics: tuple[str, ...] = ()
    topic_settings: bool = False
    dead_letters: bool = False
    new_generations: bool = False
    generations: tuple[tuple[str, int], ...] = ()
    deletions: bool = False
    deletes: bool = False
    acls: bool = False
    acls_asked: bool = False
    acls_exact: bool = False
    canary_topic: str = ""
    moves: bool = False

    @property
    def follows_groups(self) -> bool:
        """Whether anything is asked of groups."""
        return self.checkpoints or self.group_offsets or self.moves


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    A row of the table.

    Args:
        end: Which cluster is asked.
        clients: Who asks.
        resource: What kind of thing it is about.
        names: Its names.
        operations: What is done to it.
        why: What for.
        without: What happens where it is not allowed.
        when: Whether a flow does so.
        only: The same in words; empty where every flow does.
        is_optional: Everything is copied and done without it.
    """

    end: End
    clients: tuple[Client, ...]
    resource: Resource
    names: Callable[[Access], Sequence[AclName]]
    operations: tuple[Operation, ...]
    why: str
    without: str
    when: Callable[[Access], bool] = lambda _: True
    only: str = ""
    is_optional: bool = False


def mirrored_names(access: Access) -> Sequence[AclName]:
    """Return the topics of the source that are copied."""
    return without_covered([*acl_names(access.topics), *map(AclName, access.heartbeats)])


def copy_names(access: Access) -> Sequence[AclName]:
    """Return the copies on the target."""
    policy, source = access.policy, access.flow.source
    if policy.merges:
        return (AclName(policy.format_remote_topic(source, "")),)
    beats = [policy.format_remote_topic(source, topic) for topic in access.heartbeats]
    copies = [_copy_name(name, access) for name in acl_names(access.topics)]
    if access.new_generations:
        # Of prefixes they are parts.
        copies += [
            AclName(f"{each.text}.g", is_prefix=True)
            for each in copies
            if not (each.is_any or each.is_prefix)
        ]
    return without_covered([*copies, *map(AclName, beats)])


def _copy_name(name: AclName, access: Access) -> AclName:
    policy, source = access.policy, access.flow.source
    if not (name.is_any or name.is_prefix):
        first = policy.format_remote_topic(source, name.text)
        return AclName(generation_name(first, dict(access.generations).get(name.text, 1)))
    if isinstance(policy, RoutedPolicy):
        # What transforms make of all names that begin so, nobody can say.
        return AclName("*", is_wider=True)
    if not policy.names_carry_source:
        return name
    begin = "" if name.is_any else name.text
    copy = policy.format_remote_topic(source, begin)
    return AclName(copy, is_prefix=True, is_wider=name.is_wider)


def group_names(access: Access) -> Sequence[AclName]:
    """Return the groups that are followed."""
    return acl_names(access.groups)


def position_groups(access: Access) -> Sequence[AclName]:
    """Return the group that holds a flow's positions."""
    return (AclName(position_group(access.flow)),)


def transactional_ids(access: Access) -> Sequence[AclName]:
    """Return what the transactional ids of a flow begin with."""
    begin = owner_transactional_id(access.flow).removesuffix("owner")
    return (AclName(begin, is_prefix=True),)


def offset_storage_topics(access: Access) -> Sequence[AclName]:
    """Return the topics of MirrorMaker 2's positions."""
    return tuple(map(AclName, (access.offset_storage_topic, *access.own_offsets_topics)))


def offset_map_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of the exact offset map."""
    return (AclName(offset_map_topic(access.flow)),)


def dlq_topics(access: Access) -> Sequence[AclName]:
    """Return the topic for dead letters."""
    return (AclName(dlq_topic(access.flow.source)),)


def replays_topics(access: Access) -> Sequence[AclName]:
    """Return the topic that tells what was replayed."""
    return (AclName(replays_topic(access.flow)),)


def control_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of what operators order."""
    return (AclName(control_topic(access.flow)),)


def events_topics(_: Access) -> Sequence[AclName]:
    """Return the topic in which gaps are told of."""
    return (AclName(EVENTS_TOPIC),)


def created_acls_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of which ACLs were created."""
    return (AclName(created_acls_topic(access.flow)),)


def written_offsets_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of what was committed for groups."""
    return (AclName(written_offsets_topic(access.flow)),)


def deletions_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of what was deleted on the source."""
    return (AclName(deletions_topic(access.flow)),)


def audit_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of what was found identical."""
    return (AclName(audit_topic(access.flow)),)


def checkpoints_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of the checkpoints."""
    return (AclName(access.policy.checkpoints_topic(access.flow.source)),)


def offset_syncs_topics(access: Access) -> Sequence[AclName]:
    """Return the topic of the offset syncs."""
    flow = access.flow
    other = flow.target if access.offset_syncs == "source" else flow.source
    return (AclName(access.policy.offset_syncs_topic(other)),)


def the_cluster(_: Access) -> Sequence[AclName]:
    """Return the name that Kafka gives to the resource that a cluster is."""
    return (AclName(CLUSTER_NAME),)


def heartbeats_topics(_: Access) -> Sequence[AclName]:
    """Return the topic that heartbeats are written to."""
    return (AclName(HEARTBEATS_TOPIC),)


def nodes_topics(_: Access) -> Sequence[AclName]:
    """Return the topic in which nodes meet that share flows."""
    return (AclName(nodes_topic(NODES_GROUP)),)
