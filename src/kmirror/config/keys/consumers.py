"""The keys of what lets consumers move: heartbeats, offset syncs, checkpoints, group offsets."""

from __future__ import annotations

from functools import partial

from kmirror.config.checks import one_of_classes
from kmirror.config.keys.flow_key import (
    flow_flag,
    flow_key,
    flow_regexes,
    flow_replicas,
    flow_seconds,
)
from kmirror.config.keys.key import KeyType
from kmirror.policy.filters import GROUPS_DEFAULT, GROUPS_EXCLUDE_DEFAULT

_GROUP_FILTER = "org.apache.kafka.connect.mirror.DefaultGroupFilter"

_seconds = partial(flow_seconds, high=86_400)

CONSUMER_KEYS = (
    flow_flag(name="emit.offset-syncs.enabled", default=True, doc="Write offset syncs (KIP-1031)."),
    flow_key(
        name="offset-syncs.topic.location",
        type=KeyType.STRING,
        default="source",
        choices=("source", "target"),
        doc="The cluster that holds the offset-syncs topic (KIP-716).",
    ),
    flow_replicas(
        name="offset-syncs.topic.replication.factor",
        default=3,
        doc="Replication factor of the offset-syncs topic.",
    ),
    flow_key(
        name="offset.lag.max",
        type=KeyType.LONG,
        default=100,
        low=0,
        doc="Records between two offset syncs of a partition.",
    ),
    flow_regexes(name="groups", default=GROUPS_DEFAULT, doc="Consumer groups to follow."),
    flow_regexes(
        name="groups.exclude",
        default=GROUPS_EXCLUDE_DEFAULT,
        doc="Consumer groups not to follow.",
    ),
    flow_flag(name="refresh.groups.enabled", default=True, doc="Look for new groups."),
    _seconds(
        name="refresh.groups.interval.seconds",
        default=5,
        mm2_default="600",
        why="A new group is followed within seconds instead of minutes; one request is cheap.",
        doc="How often to look for new groups; -1 means never.",
    ),
    flow_flag(name="emit.checkpoints.enabled", default=True, doc="Write checkpoints."),
    _seconds(
        name="emit.checkpoints.interval.seconds",
        default=1,
        mm2_default="60",
        why="A failover needs fresh checkpoints; unchanged ones are not written.",
        doc="How often to write checkpoints; -1 means never.",
    ),
    flow_flag(
        name="sync.group.offsets.enabled",
        default=False,
        doc="Commit translated offsets on the target (KIP-545).",
    ),
    _seconds(
        name="sync.group.offsets.interval.seconds",
        default=1,
        mm2_default="60",
        why="A failover needs fresh offsets; unchanged ones are not committed.",
        doc="How often to commit translated offsets; -1 means never.",
    ),
    flow_replicas(
        name="checkpoints.topic.replication.factor",
        default=3,
        doc="Replication factor of the checkpoints topic.",
    ),
    flow_flag(name="emit.heartbeats.enabled", default=True, doc="Write heartbeats to the target."),
    _seconds(
        name="emit.heartbeats.interval.seconds", default=1, doc="How often to write heartbeats."
    ),
    flow_replicas(
        name="heartbeats.topic.replication.factor",
        default=3,
        doc="Replication factor of the heartbeats topic.",
    ),
    flow_key(
        name="group.filter.class",
        type=KeyType.CLASS,
        default=_GROUP_FILTER,
        check=one_of_classes(_GROUP_FILTER),
        doc="The filter that reads `groups` and `groups.exclude`.",
    ),
)
