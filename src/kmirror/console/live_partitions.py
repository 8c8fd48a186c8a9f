"""What a driver knows of the partitions of its own flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kmirror.api.flows import PartitionView
from kmirror.config.flows import FlowConfig
from kmirror.model import TopicPartition
from kmirror.plans.coverage import NOT_PLANNED, SILENT
from kmirror.plans.partition_states import PartitionState
from kmirror.policy.lag_verdicts import LagVerdict
from kmirror.state.observed import ObservedFlow
from kmirror.state.paused import pause_lines
from kmirror.state.status import FlowState, FlowStatus


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
    rests = _rests(status)
    ends, positions = progress.ends, progress.positions
    found = [
        PartitionView(
            flow=name,
            topic=tp.topic,
            partition=tp.partition,
            copy=remote_topic(tp.topic),
            state=PartitionState.WAITING.value,
            reason=NOT_PLANNED,
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
        rest = rests.get(tp) or _Rest(_state(status, records), "")
        records_per_s, bytes_per_s = last_minute(observed, tp, now_ms)
        found.append(
            PartitionView(
                flow=name,
                topic=tp.topic,
                partition=tp.partition,
                copy=measured.target if measured is not None else remote_topic(tp.topic),
                state=rest.state.value,
                reason=rest.reason,
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


class _Rest(NamedTuple):
    """What a partition is at, and what keeps it from going on; a tuple: one is made of each."""

    state: PartitionState
    reason: str


def _rests(status: FlowStatus) -> dict[TopicPartition, _Rest]:
    """Return the partitions that do not go on by themselves."""
    silent = () if status.coverage is None else status.coverage.silent
    rests = {tp: _Rest(PartitionState.WAITING, SILENT) for tp in silent}
    for paused in status.paused:
        rests[paused.partition] = _Rest(PartitionState.PAUSED, pause_lines((paused,))[0])
    for parked in status.parked:
        rests[parked.partition] = _Rest(PartitionState.PARKED, parked.reason)
    return rests


def _state(status: FlowStatus, lag: int | None) -> PartitionState:
    if not status.moves:
        if status.state is FlowState.STARTING:
            return PartitionState.INITIALIZING
        return PartitionState.STOPPED
    if lag is None or lag:
        return PartitionState.MIRRORING
    return PartitionState.CAUGHT_UP
