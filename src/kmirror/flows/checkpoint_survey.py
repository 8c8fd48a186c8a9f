"""Where a flow's groups go on, as its checkpoints say: for a source that does not answer."""

from __future__ import annotations

from collections.abc import Callable

from kmirror.admin.groups import GroupAdmin
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.flows.clients import FlowClients
from kmirror.model import TopicPartition
from kmirror.plans.groups import held_back
from kmirror.plans.places import GroupPlace, GroupSurvey, with_committed
from kmirror.wire.mirror_records import Checkpoint, decode_checkpoint


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
    topics = clients.target.topics()
    points = [
        point
        for point in (_newest(config, clients, clock) if _topic(config) in topics else ())
        if allowed(point.group)
        # Checkpoints outlive topics.
        and point.partition.topic in topics
        and point.partition.partition < topics[point.partition.topic].partitions
    ]
    groups = sorted({point.group for point in points})
    committed = target.offsets(groups)
    states = target.groups()
    held = {group: why for group in groups if (why := held_back(group, states))}
    return GroupSurvey(
        places=with_committed((_place(point, config) for point in points), committed.positions),
        held=held | {group: str(error) for group, error in committed.failed.items()},
    )


def _topic(config: FlowConfig) -> str:
    return config.policy.checkpoints_topic(config.flow.source)


def _newest(config: FlowConfig, clients: FlowClients, clock: Clock) -> list[Checkpoint]:
    """Read the last checkpoint of each group and partition."""
    found: dict[tuple[str, TopicPartition], Checkpoint] = {}

    def take(key: bytes | None, value: bytes | None) -> None:
        point = decode_checkpoint(key, value)
        if point is not None:
            found[point.group, point.partition] = point

    with RecordReader(
        clients.target_rdkafka,
        cluster=f"cluster {config.flow.target}",
        timeout_s=config.admin_timeout_s,
        clock=clock,
    ) as reader:
        reader.read_on(clients.target, TopicPartition(_topic(config), 0), take)
    return [found[place] for place in sorted(found)]


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
