"""The partitions of a flow, or of one of its topics, as both clusters have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.admin.owner_entry import read_owner
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import read_orders
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery
from kmirror.ends.facts import FactsReader
from kmirror.ends.positions import parked_by
from kmirror.ends.safe_offsets import safe_offsets
from kmirror.errors import OrderRefused
from kmirror.inspect.gone_copies import gone_copies
from kmirror.inspect.overview import selected_sizes, stretches
from kmirror.inspect.signs import last_sign_ms
from kmirror.model import TopicPartition
from kmirror.plans.coverage import SILENT
from kmirror.plans.partition_states import PartitionState, partition_state
from kmirror.plans.positions import QUARANTINED
from kmirror.plans.windows import rest_at
from kmirror.state.paused import parked_by_order, pause_lines, paused_by_order
from kmirror.wire.flow_names import position_group


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionOverview:
    """
    One partition.

    Args:
        partition: On the source.
        state: What it is at.
        position: The next source offset to copy, or where the log begins.
        end: Where the source's log ends; `None` while no leader tells.
        lag_records: What lies between.
        reason: Why it stands still, and what ends that; empty when it does not.
        safe_to_delete_before: Below this source offset everything is committed on the target, and
            audited there; `None` while nothing was audited.
    """

    partition: TopicPartition
    state: PartitionState
    position: int
    end: int | None
    lag_records: int | None
    reason: str = ""
    safe_to_delete_before: int | None = None


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
    state = clients.source.topic(topic)
    if state is None and (gone := _gone(config, clients, topic)):
        return gone
    if state is None or not config.topic_selection().selects(topic):
        raise OrderRefused(
            f"{config.flow} does not copy a topic {topic}",
            hint=f"`kmirror explain FILE '{config.flow}' {topic}` says why",
        )
    return _survey(config, clients, {topic: state.partitions}, clock)


def survey_all_partitions(
    config: FlowConfig, clients: FlowClients, clock: Clock
) -> tuple[PartitionOverview, ...]:
    """
    Ask both clusters for the partitions of all topics; nothing is written anywhere.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.

    Raises:
        ClusterError: One of the clusters does not answer, or refuses.
    """
    return _survey(config, clients, selected_sizes(config, clients.source.topics()), clock)


def _survey(
    config: FlowConfig, clients: FlowClients, sizes: Mapping[str, int], clock: Clock
) -> tuple[PartitionOverview, ...]:
    mirrored = [
        each
        for each in Discovery(config, clients.source, clients.target, clock).present()
        if each.source.topic in sizes
    ]
    standing = FactsReader(config, clients).standing(mirrored, group_is_older=True)
    orders = read_orders(
        config, clients.target, clients.target_rdkafka, clients.target.topics(), clock
    )
    held = {each.partition for each in standing if each.kind == QUARANTINED}
    held_topics = {each.topic for each in held}
    now_ms = clock.wall_ms()
    pauses = rest_at(orders, config.window, [each.source for each in mirrored], now_ms).pauses
    parked = [*map(parked_by, standing), *parked_by_order(pauses)]
    why = {each.partition: each.reason for each in parked}
    paused = {each.partition: pause_lines((each,))[0] for each in paused_by_order(pauses)}
    entry = read_owner(config.flow, clients.target, config.offset_storage_topic)
    sign_ms = last_sign_ms(config, clients.target, entry)
    safe = safe_offsets(config, clients, mirrored)
    return tuple(
        PartitionOverview(
            partition=each.partition,
            state=PartitionState.QUARANTINED
            if each.partition in held
            or (each.partition.topic in held_topics and not each.has_begun)
            else partition_state(
                has_begun=each.has_begun,
                lag_records=each.records,
                is_parked=each.partition in why,
                is_paused=each.partition in paused,
                is_silent=not each.is_known,
                sign_age_s=None if sign_ms is None else (now_ms - sign_ms) / 1000,
            ),
            position=each.start,
            end=each.end if each.is_known else None,
            lag_records=each.records if each.is_known else None,
            reason=why.get(each.partition)
            or paused.get(each.partition)
            or ("" if each.is_known else f"{each.partition}: {SILENT}"),
            safe_to_delete_before=safe.get(each.partition),
        )
        for each in stretches(config, clients, sizes)
    )


def _gone(config: FlowConfig, clients: FlowClients, topic: str) -> tuple[PartitionOverview, ...]:
    """Return the partitions of a deleted topic whose copy is in quarantine."""
    for each in gone_copies(config, clients):
        if each.gone.topic == topic and each.quarantined:
            state = clients.target.topic(each.gone.copy)
            places = [
                TopicPartition(each.gone.copy, at) for at in range(state.partitions if state else 0)
            ]
            positions = clients.target.group_positions(position_group(config.flow), places)
            return tuple(
                PartitionOverview(
                    partition=TopicPartition(topic, place.partition),
                    state=PartitionState.QUARANTINED,
                    position=position.offset,
                    end=position.offset,
                    lag_records=0,
                    reason=str(each),
                )
                for place, position in sorted(positions.items())
            )
    return ()
