"""Flows that never ran, with everything that a running one could have to say."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.model import ClientError, Flow, TopicPartition
from kmirror.pipeline.desk import CopiedRange, LanePlace, LaneReport, LeftOut, PartitionReport
from kmirror.pipeline.figures import (
    HISTOGRAM_BUCKETS,
    ClientFigures,
    ExecutorFigures,
    Histogram,
    JvmFigures,
    LaneFigures,
    SparkFigures,
)
from kmirror.plans.parking import ParkCause, ParkCode
from kmirror.policy.bottlenecks import LaneTimes
from kmirror.policy.lag_verdicts import DEFAULT_SLO
from kmirror.policy.poison import Poison
from kmirror.state.audit_figures import AuditFigures
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import FlowState
from kmirror.wire.audit_windows import AuditVerdict

NOW_MS = 1_750_000_000_000
DRIVER = JvmFigures(
    heap_bytes=1, heap_max_bytes=8, nonheap_bytes=2, threads=3, collectors=(("G1", 4, 0.5),)
)
JVM = SparkFigures(driver=DRIVER, executors=(ExecutorFigures(executor="1", host="h", jvm=DRIVER),))
CONSUMER = (
    *("fetch-size-avg", "fetch-size-max", "fetch-rate", "fetch-latency-avg"),
    *("fetch-throttle-time-avg", "fetch-throttle-time-max", "incoming-byte-total", "io-ratio"),
    "io-wait-ratio",
)
PRODUCER = (
    *("outgoing-byte-total", "record-error-total", "record-retry-total", "record-retry-rate"),
    *("buffer-available-bytes", "batch-size-avg", "batch-size-max", "requests-in-flight"),
    *("request-latency-avg", "produce-throttle-time-avg", "compression-rate-avg", "io-ratio"),
    "io-wait-ratio",
)
TIMES = Histogram(sum_ms=90, counts=(1,) * HISTOGRAM_BUCKETS)


def figures(*, times: LaneTimes, seams: int = 1) -> LaneFigures:
    """Give what a lane counts."""
    return LaneFigures(
        times=times,
        seams=seams,
        age=TIMES,
        latency=TIMES,
        commits=TIMES,
        clients=(
            ClientFigures(
                kind="consumer", number=0, values=tuple((name, 1.0) for name in CONSUMER)
            ),
            *(
                ClientFigures(
                    kind="producer", number=n, values=tuple((name, 1.0) for name in PRODUCER)
                )
                for n in range(2)
            ),
        ),
    )


def running_flow(
    flow: Flow, *, topics: int, partitions: int, lag: int = 10, now_ms: int = NOW_MS
) -> ObservedFlow:
    """
    Give a flow that copies.

    Args:
        flow: Which one.
        topics, partitions: How many topics, and how many partitions each of them has.
        lag: What each partition lags behind; the last one stands still for a record.
        now_ms: When it was looked at last.
    """
    newest_ms = now_ms
    observed = ObservedFlow.of(flow, slots=2)
    progress, meter = observed.progress, observed.meter
    places = [
        TopicPartition(f"topic-{topic:04}", number)
        for topic in range(topics)
        for number in range(partitions)
    ]
    progress.begin(dict.fromkeys(places, 0))
    for second in range(12):
        now_ms = newest_ms - 12_000 + 1000 * second
        for slot in range(2):
            entries = tuple(_entry(tp, 100 * second, now_ms) for tp in places[slot::2])
            times = LaneTimes(target=0.7 * second, convert=0.2 * second, source=0.1 * second)
            report = LaneReport(
                flow=str(flow),
                slot=slot,
                generation=1,
                last_commit_ms=now_ms,
                last_failure=None,
                partitions=entries,
                figures=figures(times=times),
                place=LanePlace(executor="" if slot else "7", host="worker-3"),
            )
            progress.add(report)
            meter.add(report, now_ms)
        ends = dict.fromkeys(places, 100 * second + lag * (1 + second))
        progress.set_ends(ends, seen_ms=now_ms)
        progress.look(now_ms, DEFAULT_SLO)
    meter.canary, meter.audit = _canary(newest_ms), _audit(places, newest_ms)
    group_places = tuple(
        TopicPartition(f"{flow.source}.{tp.topic}", tp.partition) for tp in places[:3]
    )
    meter.checkpointed({"billing": group_places}, took_ms=3.0, now_ms=newest_ms)
    meter.groups.follow({"billing": dict.fromkeys(places[:3], 5)})
    meter.groups.look(newest_ms, newest_ms, progress.ends)
    meter.certificates = {(flow.source, "client"): newest_ms / 1000 + 86_400}
    meter.broker_certificates = {(flow.source, "broker:9093"): newest_ms / 1000 + 86_400}
    board = observed.board
    board.set_state(FlowState.RUNNING, "copying")
    board.update(
        topics=progress.topics(),
        parked=progress.parked,
        lag_records=progress.lag_records,
        lag=progress.lags.flow,
        rpo_s=progress.lags.rpo_s,
        looked_ms=progress.lags.looked_ms,
        records=progress.records,
        bytes=progress.bytes,
        last_commit_ms=progress.last_commit_ms,
        generation=1,
    )
    return observed


def _canary(now_ms: int) -> CanaryFigures:
    canary = CanaryFigures(overdue_s=30)
    canary.sent(0, 0, now_ms * 1000)
    canary.answered(0, 0, 0.003)
    canary.came(0, 0, 0.09)
    return canary


def _audit(places: Sequence[TopicPartition], now_ms: int) -> AuditFigures:
    return AuditFigures(
        windows={AuditVerdict.IDENTICAL: 7, AuditVerdict.MISSING: 1},
        records=700,
        bytes=70_000,
        standing={(places[0].topic, AuditVerdict.MISSING): 1},
        behind=12,
        caught_up_ms=now_ms,
        safe=dict.fromkeys(places, 5),
    )


def _entry(tp: TopicPartition, position: int, now_ms: int) -> PartitionReport:
    return PartitionReport(
        source=tp,
        target=f"A.{tp.topic}",
        position=position,
        next_target=position,
        records=position,
        bytes=100 * position,
        whole_records=position // 2,
        unpacked="a reason",
        copied=CopiedRange(start=max(0, position - 100), end=position, runs=()),
        copied_ms=now_ms,
        age_ms=5,
        latency_ms=9,
    )


def with_troubles(observed: ObservedFlow) -> ObservedFlow:
    """Have a flow stand still, with a parked partition and some that it went on without."""
    tp = next(iter(observed.progress.positions))
    error = ClientError(name="TopicAuthorizationException", message="not authorized")
    refused = ParkCause(code=ParkCode.NOT_AUTHORIZED, error=error)
    left_out = tuple(
        LeftOut(
            cause=ParkCause(code=ParkCode.RECORD_REFUSED, offset=1200 + n),
            end=1201 + n,
            bytes=1,
            poison=poison,
            reason="too large",
        )
        for n, poison in enumerate((Poison.SKIP, Poison.DLQ))
    )
    observed.progress.add(
        LaneReport(
            flow=str(observed.board.status.flow),
            slot=0,
            generation=1,
            last_commit_ms=NOW_MS,
            last_failure=None,
            partitions=(
                PartitionReport(
                    source=tp,
                    target="A.t",
                    position=1300,
                    next_target=0,
                    records=0,
                    bytes=0,
                    left_out=left_out,
                    parked=refused,
                ),
            ),
        )
    )
    board = observed.board
    board.update(topics=observed.progress.topics(), parked=observed.progress.parked)
    board.set_state(FlowState.WAITING, "cluster B (b:9092): no answer")
    return observed
