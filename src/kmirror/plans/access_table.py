"""
What kmirror asks of two clusters: the one table that ACLs, checks and documentation come from.

A row says which client does what to which resource of which end, when it does so, and what happens
where it may not. Read and Write imply Describe, and AlterConfigs implies DescribeConfigs
(`AclEntry.java`): these are left out beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kmirror.plans.access import (
    Access,
    Client,
    Operation,
    Resource,
    Row,
    audit_topics,
    checkpoints_topics,
    control_topics,
    copy_names,
    created_acls_topics,
    deletions_topics,
    dlq_topics,
    events_topics,
    group_names,
    heartbeats_topics,
    mirrored_names,
    offset_map_topics,
    offset_storage_topics,
    offset_syncs_topics,
    position_groups,
    replays_topics,
    the_cluster,
    transactional_ids,
    written_offsets_topics,
)
from kmirror.plans.canary_access import CANARY_ROWS

_CONTROL, _READER, _WRITER = (Client.CONTROL,), (Client.READER,), (Client.WRITER,)
_TOPIC, _GROUP = Resource.TOPIC, Resource.GROUP
_READ, _WRITE, _CREATE = Operation.READ, Operation.WRITE, Operation.CREATE
_DLQ = "with `kmirror.poison = dlq`"
_SYNCS, _NO_SYNCS = "offset syncs for MirrorMaker 2's tools", "there are no offset syncs"

_source_topic = partial(Row, end="source", clients=_CONTROL, resource=_TOPIC)
_target_topic = partial(Row, end="target", clients=_CONTROL, resource=_TOPIC)


def _acls(*, is_asked: bool) -> Iterator[Row]:
    """Yield what ACLs of topics ask; it is optional where only the default is to copy them."""
    row = partial(
        Row,
        clients=_CONTROL,
        resource=Resource.CLUSTER,
        names=the_cluster,
        without="ACLs of topics are not copied",
        when=lambda access: access.acls and access.acls_asked == is_asked,
        only="with `sync.topic.acls.enabled = true` in the file, or `kmirror.acls = exact`"
        if is_asked
        else "unless `sync.topic.acls.enabled = false`",
        is_optional=not is_asked,
    )
    yield row(end="source", operations=(Operation.DESCRIBE,), why="reading ACLs")
    yield row(end="target", operations=(Operation.ALTER,), why="reading and creating ACLs")


ROWS = (
    Row(
        end="source",
        clients=_READER + _CONTROL,
        resource=_TOPIC,
        names=mirrored_names,
        operations=(_READ,),
        why="reading records",
        without="the topic is invisible and is not mirrored; if it was visible, it is parked",
    ),
    _source_topic(
        names=mirrored_names,
        operations=(Operation.DESCRIBE_CONFIGS,),
        why="giving copies the topic's settings",
        without="a topic whose copy is not there yet is not mirrored",
    ),
    Row(
        end="source",
        clients=_CONTROL,
        resource=_GROUP,
        names=group_names,
        operations=(Operation.DESCRIBE,),
        why="reading where groups are",
        without="the group is invisible: it has no checkpoints, and its offsets do not follow",
        when=lambda access: access.follows_groups,
        only="with checkpoints or `sync.group.offsets.enabled`",
    ),
    Row(
        end="source",
        clients=_CONTROL,
        resource=_GROUP,
        names=group_names,
        operations=(_READ,),
        why="`kmirror failback` and `offsets reset --back`: setting offsets of groups",
        without="the group cannot go back",
        when=lambda access: access.moves,
        only="with `--moves`",
    ),
    _target_topic(
        names=copy_names,
        operations=(_CREATE,),
        why="creating copies",
        without="a topic whose copy is not there yet is not mirrored",
    ),
    _target_topic(
        names=copy_names,
        operations=(Operation.ALTER,),
        why="adding partitions to copies",
        without="partitions that are added at the source are not mirrored",
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=_TOPIC,
        names=copy_names,
        operations=(_WRITE,),
        why="writing records",
        without="the topic is parked",
    ),
    _target_topic(
        names=copy_names,
        operations=(_READ,),
        why="positions and groups' offsets of copies; finding lost positions",
        without="the flow does not start",
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=_TOPIC,
        names=copy_names,
        operations=(_READ,),
        why="positions in the records' transactions",
        without="nothing is committed",
        when=lambda access: access.exactly_once,
        only="unless `kmirror.exactly.once = false`",
    ),
    _target_topic(
        names=copy_names,
        operations=(Operation.ALTER_CONFIGS,),
        why="keeping the copies' settings equal",
        without="settings that differ stay so",
        when=lambda access: access.topic_settings,
        only="unless `sync.topic.configs.enabled = false`",
    ),
    _target_topic(
        names=copy_names,
        operations=(Operation.DESCRIBE_CONFIGS,),
        why="knowing how large a batch may be, and which copies are compacted",
        without="large records beside small ones are copied less smoothly where max.message.bytes "
        "is not Kafka's default, and `kmirror verify` takes compacted copies for others",
        is_optional=True,
    ),
    Row(
        end="target",
        clients=_CONTROL,
        resource=_GROUP,
        names=position_groups,
        operations=(_READ,),
        why="the flow's positions and owner",
        without="the flow does not start",
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=_GROUP,
        names=position_groups,
        operations=(_READ,),
        why="positions in the records' transactions",
        without="nothing is committed",
        when=lambda access: access.exactly_once,
        only="unless `kmirror.exactly.once = false`",
    ),
    Row(
        end="target",
        clients=_CONTROL,
        resource=Resource.TRANSACTIONAL_ID,
        names=transactional_ids,
        operations=(_WRITE,),
        why="claiming the flow and fencing earlier drivers",
        without="the flow does not start",
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=Resource.TRANSACTIONAL_ID,
        names=transactional_ids,
        operations=(_WRITE,),
        why="exactly once",
        without="nothing is committed",
        when=lambda access: access.exactly_once,
        only="unless `kmirror.exactly.once = false`",
    ),
    _target_topic(
        names=offset_storage_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="MirrorMaker 2's positions, and the flow's owner",
        without="the flow does not start; without Write the second copy of the positions is old",
    ),
    _target_topic(
        names=offset_map_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="the exact offset map",
        without="groups' offsets are not translated",
        when=lambda access: not access.policy.merges,
        only="not of alias topics",
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=_TOPIC,
        names=offset_map_topics,
        operations=(_WRITE,),
        why="the exact offset map",
        without="groups' offsets are not translated",
        when=lambda access: not access.policy.merges,
        only="not of alias topics",
    ),
    _target_topic(
        names=control_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="reading what operators order, and saying that it is in effect",
        without="`kmirror pause` and the like are not obeyed",
    ),
    _target_topic(
        names=dlq_topics,
        operations=(_CREATE, _READ),
        why="keeping what a copy goes on without; `kmirror dlq`",
        without="partitions are parked at what they cannot copy",
        when=lambda access: access.dead_letters,
        only=_DLQ,
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=_TOPIC,
        names=dlq_topics,
        operations=(_WRITE,),
        why="keeping what a copy goes on without",
        without="partitions are parked at what they cannot copy",
        when=lambda access: access.dead_letters,
        only=_DLQ,
    ),
    Row(
        end="target",
        clients=_WRITER,
        resource=_TOPIC,
        names=dlq_topics,
        operations=(Operation.DESCRIBE_CONFIGS,),
        why="knowing how much of a large record can be kept",
        without="more than 1 MiB of a record is not kept",
        when=lambda access: access.dead_letters,
        only=_DLQ,
        is_optional=True,
    ),
    _target_topic(
        names=copy_names,
        operations=(_WRITE,),
        why="`kmirror dlq replay`",
        without="nothing is replayed",
        when=lambda access: access.dead_letters,
        only=_DLQ,
        is_optional=True,
    ),
    _target_topic(
        names=replays_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="`kmirror dlq`: knowing what was replayed",
        without="nothing is replayed",
        when=lambda access: access.dead_letters,
        only=_DLQ,
        is_optional=True,
    ),
    _target_topic(
        names=events_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="telling of gaps in the topic `kmirror-events`",
        without="gaps are told in the log alone",
        is_optional=True,
    ),
    _target_topic(
        names=deletions_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="writing down which topics were deleted on the source, and when",
        without="no copy is put in quarantine or deleted",
        when=lambda access: access.deletions,
        only="with `kmirror.topic.deletion`",
    ),
    _target_topic(
        names=copy_names,
        operations=(Operation.DELETE,),
        why="deleting copies whose topics were deleted, and records that the source deleted at "
        "its beginning",
        without="these stay",
        when=lambda access: access.deletes,
        only="with `kmirror.topic.deletion = delete-after=…` or `kmirror.sync.log.start`",
    ),
    _target_topic(
        names=audit_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="audits and `kmirror verify --record`: writing down what is identical, and what is not",
        without="there is no audit, and nothing is known to be safe to delete on the source",
        is_optional=True,
    ),
    _target_topic(
        names=checkpoints_topics,
        operations=(_CREATE, _WRITE),
        why="checkpoints for MirrorMaker 2's tools",
        without="there are no checkpoints",
        when=lambda access: access.checkpoints,
        only="unless `emit.checkpoints.enabled = false`",
    ),
    _target_topic(
        names=checkpoints_topics,
        operations=(_READ,),
        why="`kmirror failover` while the source does not answer",
        without="without the source no group can be moved",
        when=lambda access: access.checkpoints and access.moves,
        only="with `--moves`",
    ),
    Row(
        end="target",
        clients=_CONTROL,
        resource=_GROUP,
        names=group_names,
        operations=(_READ,),
        why="committing groups' offsets",
        without="the group's offsets do not follow",
        when=lambda access: access.group_offsets or access.moves,
        only="with `sync.group.offsets.enabled` or `--moves`",
    ),
    _target_topic(
        names=written_offsets_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="telling kmirror's commits from consumers'",
        without="groups are only moved forwards",
        when=lambda access: access.group_offsets or access.moves,
        only="with `sync.group.offsets.enabled` or `--moves`",
    ),
    _source_topic(
        names=offset_syncs_topics,
        operations=(_CREATE, _WRITE),
        why=_SYNCS,
        without=_NO_SYNCS,
        when=lambda access: access.offset_syncs == "source",
        only="unless `emit.offset-syncs.enabled = false`",
    ),
    _target_topic(
        names=offset_syncs_topics,
        operations=(_CREATE, _WRITE),
        why=_SYNCS,
        without=_NO_SYNCS,
        when=lambda access: access.offset_syncs == "target",
        only="with `offset-syncs.topic.location = target`",
    ),
    _target_topic(
        names=created_acls_topics,
        operations=(_CREATE, _READ, _WRITE),
        why="remembering which ACLs the flow has created",
        without="ACLs are neither created nor removed",
        when=lambda access: access.acls_exact,
        only="with `kmirror.acls = exact`",
    ),
    *(_acls(is_asked=True)),
    *(_acls(is_asked=False)),
    *CANARY_ROWS,
)
"""All that a flow asks of its clusters."""

HEARTBEAT_ROW = _target_topic(
    names=heartbeats_topics,
    operations=(_CREATE, _WRITE),
    why="heartbeats",
    without="there are no heartbeats",
    only="unless `emit.heartbeats.enabled = false`",
)
"""What a heartbeat asks of its target."""


def rows_of(access: Access) -> Iterator[Row]:
    """Yield the rows that count for a flow."""
    return (row for row in ROWS if row.when(access))
