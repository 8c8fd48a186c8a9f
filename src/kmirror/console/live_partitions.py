"""What a driver knows of the partitions of its own flows."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.api.flows import PartitionView
from kmirror.config.flows import FlowConfig
from kmirror.model import TopicPartition
from kmirror.plans.partition_states import PartitionState
from kmirror.policy.lag_verdicts import LagVerdict
from kmirror.state.observed import ObservedFlow
from kmirror.state.paused import pause_lines
from kmirror.state.status import FlowState, FlowStatus

WAITING = "waiting"
"""What a partition is at that no plan has."""


def last_minute(observed: ObservedFlow, tp: TopicPartition, now_ms: int) -> tuple[float, float]:
    """
    Return records and bytes a second of the last minute.

    Args:
        observed: The flow.
        tp: One of its partitions.
        now_ms: The time, milliseconds since the epoch.
    """
    records, size, _ = observed.progress.counts(tp)
    with observed.meter.lock:
        meter = observed.meter.partitions.get(tp)
        if meter is None:
            return 0.0, 0.0
        return meter.records.at(now_ms, records), meter.bytes.at(now_ms, size)


def live_partitions(
    config: FlowConfig, observed: ObservedFlow, driver: str, now_ms: int
) -> Sequence[PartitionView]:
    """
    Return a flow's partitions.

    Args:
        config: The flow.
        observed: What its driver knows of it.
        driver: Names that.
        now_ms: The time, milliseconds since the epoch.
    """
    status, progress, name = observed.board.status, observed.progress, str(config.flow)
    remote_topic = config.topic_selection().remote_topic
    parked = {each.partition: each.reason for each in status.parked}
    paused = {each.partition: pause_lines((each,))[0] for each in status.paused}
    ends, positions = progress.ends, progress.positions
    found = [
        PartitionView(
            flow=name,
            topic=tp.topic,
            partition=tp.partition,
            copy=remote_topic(tp.topic),
            state=WAITING,
            reason="it is in no plan yet",
        )
        for tp in progress.waiting
        if tp not in positions
    ]
    for tp, position in positions.items():
        lag, measured = progress.lags.of(tp), observed.meter.partitions.get(tp)
        end = ends.get(tp)
        slot = None if measured is None else measured.slot
        executor, node = ("", "") if slot is None else _where(observed, slot, driver)
        records = None if end is None else max(0, end - position)
        records_per_s, bytes_per_s = last_minute(observed, tp, now_ms)
        found.append(
            PartitionView(
                flow=name,
                topic=tp.topic,
                partition=tp.partition,
                copy=measured.target if measured is not None else remote_topic(tp.topic),
                state=_state(status, tp, records, parked, paused),
                reason=parked.get(tp) or paused.get(tp, ""),
                position=position,
                source_end=end,
                target_end=progress.next_target(tp),
                lag_records=records,
                lag_seconds=None if lag is None else lag.seconds,
                verdict="" if lag is None else LagVerdict(lag.verdict).name,
                records_per_s=records_per_s,
                bytes_per_s=bytes_per_s,
                slot=slot,
                executor=executor,
                node=node,
            )
        )
    return found


def _where(observed: ObservedFlow, slot: int, driver: str) -> tuple[str, str]:
    """Return the executor that has a slot, and its host; or the driver, where that has it."""
    place = observed.meter.places.get(slot)
    if place is None:
        return "", ""
    return (place.executor, place.host) if place.executor else ("", driver)


def _state(
    status: FlowStatus,
    tp: TopicPartition,
    lag: int | None,
    parked: dict[TopicPartition, str],
    paused: dict[TopicPartition, str],
) -> str:
    if tp in parked:
        return PartitionState.PARKED.value
    if tp in paused:
        return PartitionState.PAUSED.value
    if not status.moves:
        if status.state is FlowState.STARTING:
            return PartitionState.INITIALIZING.value
        return PartitionState.STOPPED.value
    if lag is None or lag:
        return PartitionState.MIRRORING.value
    return PartitionState.CAUGHT_UP.value
