"""kmirror's own metrics of one flow."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from kmirror.model import TopicPartition
from kmirror.plans.parking import ParkCode
from kmirror.policy.bottlenecks import Bottleneck, LaneTimes
from kmirror.policy.lag_verdicts import LagVerdict, SloVerdict, Trend
from kmirror.state.metrics.canary_metrics import put_canary
from kmirror.state.metrics.scrape import Scrape
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import FlowState, TopicStatus
from kmirror.wire.audit_windows import AuditVerdict

_TRENDS = {Trend.SHRINKING: -1, Trend.STEADY: 0, Trend.UNKNOWN: 0, Trend.GROWING: 1}
_REFUSED = {
    ParkCode.NOT_AUTHORIZED.value,
    ParkCode.TARGET_REFUSES_PARTITION.value,
    "not_authorized",
}
_REASON_MAX = 200
_PARKED_MAX = 100
_BROKERS_MAX = 100
_GROUPS_MAX = 200
_STANDING_MAX = 200
# Ages reach from milliseconds to years: every other power of two is fine enough.
_AGE_EVERY = 2


class FlowMetrics:
    """
    Puts what is known of one flow into a scrape.

    Args:
        observed: The flow.
        scrape: What is served.
        now_ms: The time, milliseconds since the epoch.
    """

    def __init__(self, observed: ObservedFlow, scrape: Scrape, now_ms: int) -> None:
        self._observed = observed
        self._scrape = scrape
        self._now_ms = now_ms
        self._status = observed.board.status
        self._positions = observed.progress.positions
        self._flow = str(self._status.flow)

    def put(self, topics: list[str], partitions: list[TopicPartition]) -> None:
        """
        Put all of it.

        Args:
            topics: Those that have series of their own.
            partitions: The same of partitions.
        """
        self._put_state()
        self._put_certificates()
        self._put_lag()
        self._put_slo()
        self._put_copy()
        self._put_slots()
        self._put_audit()
        shown = set(topics)
        for topic in self._status.topics:
            if topic.topic in shown:
                self._put_topic(topic)
        self._put_partitions(partitions)
        self._put_groups()
        if (canary := self._observed.meter.canary) is not None:
            put_canary(self._scrape, self._flow, canary, self._now_ms)

    def _put_state(self) -> None:
        scrape, status, flow = self._scrape, self._status, self._flow
        for state in FlowState:
            scrape.put("kmirror_flow_state", status.state is state, flow, state.value)
        if not status.moves:
            scrape.put("kmirror_flow_trouble_info", 1, flow, status.words[:_REASON_MAX])
        scrape.put("kmirror_generation", status.generation, flow)
        coverage = status.coverage
        waiting, silent = ((), ()) if coverage is None else (coverage.waiting, coverage.silent)
        copied = len(self._positions) - len(status.paused) - len(silent)
        for state_name, count in (
            ("copied", max(0, copied)),
            ("parked", len(status.parked)),
            ("paused", len(status.paused)),
            ("waiting", len(waiting)),
        ):
            scrape.put("kmirror_partitions", count, flow, state_name)
        refused: Counter[str] = Counter()
        for parked in status.parked:
            refused[parked.partition.topic] += parked.kind in _REFUSED
        for topic, count in refused.items():
            if count:
                scrape.put("kmirror_refused_partitions", count, flow, topic)
        for parked in status.parked[:_PARKED_MAX]:
            where = (parked.partition.topic, parked.partition.partition)
            scrape.put("kmirror_parked_partition_info", 1, flow, *where, parked.kind)

    def _put_certificates(self) -> None:
        meter = self._observed.meter
        for (cluster, kind), end_s in meter.certificates.items():
            where = (self._flow, cluster, kind)
            self._scrape.put("kmirror_certificate_expiry_timestamp_seconds", end_s, *where)
        by_end = sorted(meter.broker_certificates.items(), key=lambda each: (each[1], each[0]))
        for (cluster, broker), end_s in by_end[:_BROKERS_MAX]:
            where = (self._flow, cluster, broker)
            self._scrape.put("kmirror_broker_certificate_expiry_timestamp_seconds", end_s, *where)

    def _put_lag(self) -> None:
        scrape, status, flow = self._scrape, self._status, self._flow
        scrape.put("kmirror_lag_records", status.lag_records, flow)
        scrape.put("kmirror_lag_seconds", status.lag_s(self._now_ms), flow)
        scrape.put("kmirror_rpo_seconds", status.rpo_s_max(self._now_ms), flow)
        scrape.put("kmirror_lag_eta_seconds", status.lag.eta_s, flow)
        scrape.put("kmirror_lag_trend", _TRENDS[status.lag.trend], flow)
        scrape.put("kmirror_lag_verdict", status.lag.verdict, flow)
        verdicts = self._observed.progress.lags.verdicts
        for verdict in LagVerdict:
            count = verdicts.get(verdict, 0)
            scrape.put("kmirror_lag_verdict_partitions", count, flow, verdict.name)

    def _put_slo(self) -> None:
        scrape, status, flow = self._scrape, self._status, self._flow
        found = status.judgement(self._now_ms).verdict
        for verdict in SloVerdict:
            scrape.put("kmirror_slo_verdict", verdict is found, flow, verdict.value)
        scrape.put("kmirror_slo_lag_seconds", status.slo.lag_s, flow)
        scrape.put("kmirror_slo_rpo_seconds", status.slo.rpo_s, flow)

    def _put_copy(self) -> None:
        scrape, status, flow = self._scrape, self._status, self._flow
        scrape.put("kmirror_records_total", status.records, flow)
        scrape.put("kmirror_bytes_total", status.bytes, flow)
        whole = sum(topic.whole_records for topic in status.topics)
        scrape.put("kmirror_whole_batch_records_total", whole, flow)
        if status.last_commit_ms:
            at_s = status.last_commit_ms / 1000
            scrape.put("kmirror_last_commit_timestamp_seconds", at_s, flow)
        meter = self._observed.meter
        if meter.checkpointed_ms:
            at_s = meter.checkpointed_ms / 1000
            scrape.put("kmirror_checkpoint_timestamp_seconds", at_s, flow)
        slots = list(meter.slots.values())
        for name, sums, every in (
            ("kmirror_event_age_seconds", [slot.age for slot in slots], _AGE_EVERY),
            ("kmirror_pipeline_latency_seconds", [slot.latency for slot in slots], 1),
            ("kmirror_commit_seconds", [slot.commits for slot in slots], 1),
        ):
            if sums:
                counts = [
                    sum(column) for column in zip(*(each.counts for each in sums), strict=True)
                ]
                sum_s = sum(each.sum_s for each in sums)
                scrape.put_histogram(name, counts, sum_s, flow, every=every)
        scrape.put("kmirror_seams_total", sum(slot.seams.totals[0] for slot in slots), flow)

    def _put_slots(self) -> None:
        scrape, flow, meter = self._scrape, self._flow, self._observed.meter
        # What is paused has no slot, though its last one was the last to tell of it.
        paused = {each.partition for each in self._status.paused}
        sizes = Counter(
            meter.partitions[tp].slot
            for tp in self._positions
            if tp in meter.partitions and tp not in paused
        )
        for number, slot in sorted(meter.slots.items()):
            for each in fields(LaneTimes):
                seconds = getattr(slot.times, each.name)
                scrape.put("kmirror_lane_seconds_total", seconds, flow, number, each.name)
            scrape.put("kmirror_slot_partitions", sizes[number], flow, number)
        for found in self._observed.bottlenecks():
            for kind in Bottleneck:
                is_it = kind is found.bottleneck
                scrape.put("kmirror_bottleneck", is_it, flow, found.slot, kind.value)

    def _put_audit(self) -> None:
        scrape, flow, audit = self._scrape, self._flow, self._observed.meter.audit
        if audit is None:
            return
        for verdict in AuditVerdict:
            count = audit.windows.get(verdict, 0)
            scrape.put("kmirror_audit_windows_total", count, flow, verdict.value)
        scrape.put("kmirror_audit_records_total", audit.records, flow)
        scrape.put("kmirror_audit_bytes_total", audit.bytes, flow)
        worst = sorted(audit.standing.items(), key=lambda each: (-each[1], each[0]))
        for (topic, verdict), count in worst[:_STANDING_MAX]:
            where = (flow, topic, verdict.value)
            scrape.put("kmirror_audit_standing_windows", count, *where)
        scrape.put("kmirror_audit_lag_records", audit.behind, flow)
        if audit.caught_up_ms:
            at_s = audit.caught_up_ms / 1000
            scrape.put("kmirror_audit_caught_up_timestamp_seconds", at_s, flow)

    def _put_topic(self, topic: TopicStatus) -> None:
        scrape, where = self._scrape, (self._flow, topic.topic)
        scrape.put("kmirror_topic_lag_records", topic.lag_records, *where)
        scrape.put("kmirror_topic_lag_seconds", topic.lag.seconds, *where)
        scrape.put("kmirror_topic_lag_verdict", topic.lag.verdict, *where)
        scrape.put("kmirror_topic_records_total", topic.records, *where)
        scrape.put("kmirror_topic_bytes_total", topic.bytes, *where)
        scrape.put("kmirror_topic_whole_batch_records_total", topic.whole_records, *where)
        if topic.unpacked:
            scrape.put("kmirror_topic_unpacked_info", 1, *where, topic.unpacked)
        for poison, count in (("skip", topic.skipped), ("dlq", topic.kept)):
            if count:
                scrape.put("kmirror_left_out_records_total", count, *where, poison)

    def _put_partitions(self, partitions: list[TopicPartition]) -> None:
        scrape, meter = self._scrape, self._observed.meter
        lags = self._observed.progress.lags
        for tp in partitions:
            where = (self._flow, tp.topic, tp.partition)
            scrape.put("kmirror_partition_position", self._positions.get(tp), *where)
            if (lag := lags.of(tp)) is not None:
                scrape.put("kmirror_partition_lag_records", lag.lag, *where)
                scrape.put("kmirror_partition_lag_seconds", lag.seconds, *where)
                scrape.put("kmirror_partition_lag_verdict", lag.verdict, *where)
            if meter.audit is not None:
                safe = meter.audit.safe.get(tp)
                scrape.put("kmirror_safe_to_delete_before", safe, *where)
            if (measured := meter.partitions.get(tp)) is not None:
                scrape.put("kmirror_partition_slot", measured.slot, *where)

    def _put_groups(self) -> None:
        groups = self._observed.meter.groups.groups
        worst = sorted(groups, key=lambda name: (-groups[name].records, name))[:_GROUPS_MAX]
        for name in sorted(worst):
            lag = groups[name]
            self._scrape.put("kmirror_group_lag_records", lag.records, self._flow, name)
            self._scrape.put("kmirror_group_lag_seconds", lag.seconds, self._flow, name)
            self._scrape.put("kmirror_group_lag_verdict", lag.verdict, self._flow, name)
