"""The figures of a driver's own flows."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from kmirror.api.audits import Audited, WindowCounts
from kmirror.api.canaries import CanarySeen
from kmirror.api.flows import FlowView, Lag, Origin, PartitionView, Slot, TopicView, Worst
from kmirror.api.plots import PlotList, PlotRange
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.console.audit_views import verdict_of
from kmirror.console.figures import Offsets, by_lag, by_severity
from kmirror.console.history import SAMPLE_S, Counted, History
from kmirror.console.live_partitions import last_minute, live_partitions
from kmirror.console.questions import SeenGroups
from kmirror.console.topic_history import TopicHistory, TopicLook
from kmirror.console.verdicts import Verdicts
from kmirror.events.emit import emit
from kmirror.events.table import RUN_CRASHED
from kmirror.model import Flow
from kmirror.state.audit_figures import AuditFigures
from kmirror.state.canary_seen import seen_of
from kmirror.state.lags import LagStatus
from kmirror.state.observed import ObservedFlow
from kmirror.state.paused import pause_lines
from kmirror.state.run_history import time_counts
from kmirror.state.status import FlowState, FlowStatus, TopicStatus
from kmirror.wire.audit_windows import AuditVerdict

_END_S_MAX = 2.0


class LiveFigures:
    """
    What a driver knows of its flows. It takes samples from `start` to `close`.

    Args:
        configs: Gives the flows' settings, in the order of the file.
        observed: Gives the flows.
        driver: Names the process.
        clock: Where time comes from.
        history: How the flows were before, if anybody knows, and what is known from now on.
    """

    has_driver = True

    def __init__(
        self,
        configs: Callable[[], Sequence[FlowConfig]],
        observed: Callable[[], Sequence[ObservedFlow]],
        driver: str,
        clock: Clock,
        history: History | None = None,
    ) -> None:
        self._configs = configs
        self._observed = observed
        self._driver = driver
        self._clock = clock
        self._history = History() if history is None else history
        self._verdicts = Verdicts()
        self._topic_history = TopicHistory()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="console-samples", daemon=True)

    def start(self) -> None:
        """Begin to take samples."""
        self._thread.start()

    def close(self) -> None:
        """End that."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_END_S_MAX)

    def configs(self) -> Sequence[FlowConfig]:
        """Return the flows' settings."""
        return self._configs()

    def flows(self) -> tuple[FlowView, ...]:
        """Return the flows."""
        now_ms = self._clock.wall_ms()
        found = {each.board.status.flow: each for each in self._observed()}
        return tuple(
            self._flow(found[config.flow], now_ms)
            for config in self._configs()
            if config.flow in found
        )

    def topics(self, config: FlowConfig) -> tuple[int | None, tuple[TopicView, ...]]:
        """Return a flow's topics, the worst first."""
        observed = self.find(config.flow)
        if observed is None:
            return None, ()
        now_ms, status = self._clock.wall_ms(), observed.board.status
        parked = Counter(each.partition.topic for each in status.parked)
        paused = Counter(each.partition.topic for each in status.paused)
        rates = self._topic_rates(observed, now_ms)
        remote_topic = config.topic_selection().remote_topic
        found = tuple(
            replace(
                _topic(each, str(config.flow), remote_topic(each.topic), rates),
                parked=parked[each.topic],
                paused=paused[each.topic],
            )
            for each in status.topics
        )
        return now_ms, by_lag(found)

    def partitions(self, config: FlowConfig) -> tuple[int | None, tuple[PartitionView, ...]]:
        """Return a flow's partitions, the worst first."""
        observed = self.find(config.flow)
        if observed is None:
            return None, ()
        now_ms = self._clock.wall_ms()
        return now_ms, by_severity(live_partitions(config, observed, self._driver, now_ms))

    def offsets(self, config: FlowConfig) -> Iterable[Offsets]:
        """Return where a flow's partitions are."""
        observed = self.find(config.flow)
        if observed is None:
            return ()
        ends = observed.progress.ends
        positions = observed.progress.positions
        return (Offsets(tp, position, ends.get(tp)) for tp, position in positions.items())

    def canary(self, config: FlowConfig) -> tuple[int | None, CanarySeen | None]:
        """Return what a flow's canary has seen."""
        observed, now_ms = self.find(config.flow), self._clock.wall_ms()
        return now_ms, None if observed is None else seen_of(observed, now_ms)

    def plots(self, config: FlowConfig, span: PlotRange) -> PlotList:
        """Return how a flow was since the driver began, the flow came here, or as it is kept."""
        return self._history.plots(config.flow, span, self._clock.wall_ms())

    def topic_plots(self, config: FlowConfig, topic: str) -> PlotList:
        """Return how a topic of a flow was in the last 15 minutes."""
        return self._topic_history.plots(config.flow, topic, self._clock.wall_ms())

    def groups(self, flow: Flow) -> SeenGroups:
        """Return what is known of the groups that a flow follows."""
        observed = self.find(flow)
        if observed is None:
            return SeenGroups()
        meter = observed.meter
        return SeenGroups(lags=meter.groups.groups, checkpointed_ms=meter.checkpointed_ms or None)

    def audit(self, flow: Flow) -> AuditFigures | None:
        """Return what the audit beside a flow has found; `None` where there is none."""
        observed = self.find(flow)
        return None if observed is None else observed.meter.audit

    def find(self, flow: Flow) -> ObservedFlow | None:
        """Return a flow that is driven here; `None` for any other."""
        return next((each for each in self._observed() if each.board.status.flow == flow), None)

    def sample(self) -> None:
        """Take one sample of every flow."""
        now_ms = self._clock.wall_ms()
        observed = tuple(self._observed())
        for each in observed:
            status = each.board.status
            self._history.add(
                status.flow,
                Counted(
                    at_ms=now_ms,
                    lag_records=status.lag_records,
                    lag_seconds=status.lag_s(now_ms),
                    records=status.records,
                    bytes=status.bytes,
                    latency=time_counts(each, lambda slot: slot.latency),
                    age=time_counts(each, lambda slot: slot.age),
                    commits=time_counts(each, lambda slot: slot.commits),
                ),
            )
            # Rates are of the time between two looks.
            rates = self._topic_rates(each, now_ms)
            if self._topic_history.is_due(status.flow, now_ms):
                self._topic_history.add(status.flow, now_ms, _looks(status, rates))
            self._verdicts.note(status.flow, _verdict(each, status, now_ms)[0], now_ms)
        flows = frozenset(each.board.status.flow for each in observed)
        self._history.forget_others(flows)
        self._verdicts.forget_others(flows)
        self._topic_history.forget_others(flows)

    def _sample(self) -> None:
        is_told = False
        while not self._stop.is_set():
            try:
                self.sample()
            except Exception as error:  # noqa: BLE001 - or the last rates would stay for ever
                if not is_told:
                    emit(RUN_CRASHED, error=error, trace=error)
                is_told = True
            self._clock.wait(self._stop, SAMPLE_S)

    def _flow(self, observed: ObservedFlow, now_ms: int) -> FlowView:
        status = observed.board.status
        records_per_s, bytes_per_s = self._history.rates(status.flow)
        verdict, words = _verdict(observed, status, now_ms)
        coverage = status.coverage
        lines = (*(each.reason for each in status.parked), *pause_lines(status.paused))
        return FlowView(
            name=str(status.flow),
            source=status.flow.source,
            target=status.flow.target,
            origin=Origin.DRIVER,
            as_of_ms=status.looked_ms or None,
            state=status.state.value,
            words=status.words,
            verdict=verdict,
            verdict_words=words,
            verdict_since_ms=self._verdicts.since_ms(status.flow, verdict),
            slo_lag_s=status.slo.lag_s,
            slo_rpo_s=status.slo.rpo_s,
            lag=_lag(status.lag, status.lag_records, status.lag_s(now_ms)),
            rpo_s=status.rpo_s_max(now_ms),
            records_per_s=records_per_s,
            bytes_per_s=bytes_per_s,
            records=status.records,
            bytes=status.bytes,
            worst=_worst(observed),
            topics=len(status.topics),
            partitions=len(observed.progress.positions),
            parked=len(status.parked),
            paused=len(status.paused),
            waiting=0 if coverage is None else len(coverage.waiting),
            driver=self._driver,
            generation=status.generation,
            last_commit_ms=status.last_commit_ms or None,
            caught_up_share=status.caught_up_share,
            notes=(*lines, *(() if coverage is None else coverage.words)),
            slots=_slots(observed, now_ms),
            samples=self._history.samples(status.flow),
            audited=_audited(observed.meter.audit),
            error="" if status.moves or status.state is FlowState.STARTING else status.words,
        )

    def _topic_rates(self, observed: ObservedFlow, now_ms: int) -> dict[str, tuple[float, float]]:
        rates: dict[str, tuple[float, float]] = {}
        for tp in observed.progress.positions:
            records, size = last_minute(observed, tp, now_ms)
            before = rates.get(tp.topic, (0.0, 0.0))
            rates[tp.topic] = (before[0] + records, before[1] + size)
        return rates


def _verdict(observed: ObservedFlow, status: FlowStatus, now_ms: int) -> tuple[str, str]:
    """Say how a flow stands: what somebody wants to stand still is not behind."""
    if status.state is FlowState.STARTING:
        return "UNKNOWN", status.words
    count = len(observed.progress.positions)
    if status.moves and status.paused and len(status.paused) >= count - len(status.parked):
        return "PAUSED", "; ".join(pause_lines(status.paused))
    judgement = status.judgement(now_ms)
    return judgement.verdict.value, judgement.words


def _audited(audit: AuditFigures | None) -> Audited | None:
    """Return the worst of what the audit beside the copy has found; `None` where there is none."""
    if audit is None:
        return None
    counts: Counter[str] = Counter()
    for (_, verdict), count in audit.standing.items():
        counts[verdict.value] += count
    counts[AuditVerdict.IDENTICAL.value] = audit.windows.get(AuditVerdict.IDENTICAL, 0)
    return verdict_of(WindowCounts(**counts), is_audited=bool(audit.safe))


def _lag(lag: LagStatus, records: int | None, seconds: float | None) -> Lag:
    return Lag(
        records=records,
        seconds=seconds,
        exactness=lag.exactness.value,
        verdict=lag.verdict.name,
        trend=lag.trend.value,
        eta_s=lag.eta_s,
    )


def _worst(observed: ObservedFlow) -> Worst | None:
    lags = observed.progress.lag_by_partition()
    tp = max(lags, key=lambda each: lags[each], default=None)
    if tp is None or not lags[tp]:
        return None
    found = observed.progress.lags.of(tp)
    return Worst(
        topic=tp.topic,
        partition=tp.partition,
        lag_records=lags[tp],
        lag_seconds=None if found is None else found.seconds,
    )


def _slots(observed: ObservedFlow, now_ms: int) -> tuple[Slot, ...]:
    meter = observed.meter
    judgements = observed.bottlenecks()
    with meter.lock:
        positions = observed.progress.positions
        sizes = Counter(meter.partitions[tp].slot for tp in positions if tp in meter.partitions)
        found = []
        for each in judgements:
            slot = meter.slots[each.slot]
            times, total = slot.lately, slot.lately.total or 1.0
            commit = slot.commit_ms.at(now_ms)
            found.append(
                Slot(
                    slot=each.slot,
                    bottleneck=each.bottleneck.value,
                    words=each.words,
                    source_share=times.source / total,
                    convert_share=times.convert / total,
                    target_share=times.target / total,
                    throttled_share=times.throttled / total,
                    idle_share=times.idle / total,
                    partitions=sizes[each.slot],
                    commit_ms=None if commit is None else commit.last,
                )
            )
        return tuple(found)


def _looks(status: FlowStatus, rates: Mapping[str, tuple[float, float]]) -> list[TopicLook]:
    found = []
    for each in status.topics:
        records_per_s, bytes_per_s = rates.get(each.topic, (0.0, 0.0))
        found.append(
            TopicLook(
                topic=each.topic,
                lag_records=each.lag_records,
                records_per_s=records_per_s,
                bytes_per_s=bytes_per_s,
            )
        )
    return found


def _topic(
    each: TopicStatus,
    flow: str,
    copy: str,
    rates: dict[str, tuple[float, float]],
) -> TopicView:
    records_per_s, bytes_per_s = rates.get(each.topic, (0.0, 0.0))
    return TopicView(
        flow=flow,
        topic=each.topic,
        copy=copy,
        partitions=each.partitions,
        lag=_lag(each.lag, each.lag_records, each.lag.seconds),
        records=each.records,
        bytes=each.bytes,
        records_per_s=records_per_s,
        bytes_per_s=bytes_per_s,
        whole_share=each.whole_records / each.records if each.records else None,
        not_whole=each.unpacked,
        skipped=each.skipped,
        kept=each.kept,
    )
