"""Where a flow's groups go on, as its checkpoints say: for a source that does not answer."""

from __future__ import annotations

from collections.abc import Callable

from kmirror.admin.checkpoints import newest_checkpoints
from kmirror.admin.groups import GroupAdmin
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.flows.clients import FlowClients
from kmirror.flows.group_survey import look_there
from kmirror.model import TopicPartition
from kmirror.plans.places import GroupPlace, GroupSurvey
from kmirror.wire.mirror_records import Checkpoint


def survey_checkpoints(
    config: FlowConfig,
    clients: FlowClients,
    target: GroupAdmin,
    *,
    allowed: Callable[[str], bool],
    clock: Clock,
) -> GroupSurvey:
    """
    Say where groups go on, from what the target has.

    Args:
        config: The flow.
        clients: Its clients; only the target is spoken to.
        target: The target's groups.
        allowed: Which groups, by name.
        clock: Where time comes from.

    Raises:
        ClusterError: The target did not answer, or refused.
    """
    with RecordReader(
        clients.target_rdkafka,
        cluster=f"cluster {config.flow.target}",
        timeout_s=config.admin_timeout_s,
        clock=clock,
    ) as reader:
        log = config.policy.checkpoints_topic(config.flow.source)
        points = newest_checkpoints(clients.target, reader, log)
    topics = clients.target.topics()
    places = [
        _place(point, config)
        for point in points
        if allowed(point.group)
        # Checkpoints outlive topics.
        and point.partition.topic in topics
        and point.partition.partition < topics[point.partition.topic].partitions
    ]
    return look_there(places, target)


def _place(point: Checkpoint, config: FlowConfig) -> GroupPlace:
    there = point.partition
    name = config.policy.upstream_topic(there.topic) or there.topic
    return GroupPlace(
        group=point.group,
        here=TopicPartition(name, there.partition),
        offset=point.upstream,
        there=there,
        goes_on=point.downstream,
        committed=None,
        metadata=point.metadata,
    )
