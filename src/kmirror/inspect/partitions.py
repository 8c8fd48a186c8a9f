"""The partitions of one topic of a flow, as both clusters have them."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import read_orders
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery
from kmirror.ends.facts import FactsReader
from kmirror.ends.positions import parked_by
from kmirror.errors import ClusterError, OrderRefused
from kmirror.inspect.overview import stretches
from kmirror.model import TopicPartition
from kmirror.plans.partition_states import PartitionState, partition_state
from kmirror.state.paused import parked_by_order, pause_lines, paused_by_order


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionOverview:
    """
    One partition.

    Args:
        partition: On the source.
        state: What it is at.
        position: The next source offset to copy, or where the log begins.
        end: Where the source's log ends.
        lag_records: What lies between.
        reason: Why it stands still, and what ends that; empty when it does not.
    """

    partition: TopicPartition
    state: PartitionState
    position: int
    end: int
    lag_records: int
    reason: str = ""


def last_sign_ms(config: FlowConfig, target: ClusterAdmin) -> int | None:
    """
    Return when a driver of a flow last gave a sign of life, milliseconds since the epoch.

    Drivers write the second copy of their positions once a minute. `None` when nothing is known:
    nothing was ever copied, or the brokers are older than Kafka 3.0 (KIP-734).

    Args:
        config: The flow.
        target: The target's control plane.
    """
    topic = config.offset_storage_topic
    places = [TopicPartition(topic, n) for n in range(config.offset_storage_partitions)]
    try:
        return max(target.newest_ms(places).values(), default=None)
    except ClusterError:
        return None


def survey_partitions(
    config: FlowConfig, clients: FlowClients, topic: str, clock: Clock
) -> tuple[PartitionOverview, ...]:
    """
    Ask both clusters; nothing is written anywhere.

    Args:
        config: The flow.
        clients: Its clients.
        topic: A topic of the source.
        clock: Where time comes from.

    Raises:
        OrderRefused: The flow does not copy such a topic.
        ClusterError: One of the clusters does not answer, or refuses.
    """
    state = clients.source.topics().get(topic)
    if state is None or not config.topic_selection().selects(topic):
        raise OrderRefused(
            f"{config.flow} does not copy a topic {topic}",
            hint=f"`kmirror explain FILE '{config.flow}' {topic}` says why",
        )
    mirrored = [
        each
        for each in Discovery(config, clients.source, clients.target, clock).present()
        if each.source.topic == topic
    ]
    standing = FactsReader(config, clients).standing(mirrored, group_is_older=True)
    orders = read_orders(
        config, clients.target, clients.target_rdkafka, clients.target.topics(), clock
    )
    now_ms = clock.wall_ms()
    pauses = orders.rest([each.source for each in mirrored], now_ms).pauses
    parked = [*map(parked_by, standing), *parked_by_order(pauses)]
    why = {each.partition: each.reason for each in parked}
    paused = {each.partition: pause_lines((each,))[0] for each in paused_by_order(pauses)}
    sign_ms = last_sign_ms(config, clients.target)
    return tuple(
        PartitionOverview(
            partition=each.partition,
            state=partition_state(
                has_begun=each.has_begun,
                lag_records=each.records,
                is_parked=each.partition in why,
                is_paused=each.partition in paused,
                sign_age_s=None if sign_ms is None else (now_ms - sign_ms) / 1000,
            ),
            position=each.start,
            end=each.end,
            lag_records=each.records,
            reason=why.get(each.partition) or paused.get(each.partition, ""),
        )
        for each in stretches(config, clients, {topic: state.partitions})
    )
