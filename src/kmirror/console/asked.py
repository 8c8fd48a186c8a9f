"""The figures of flows that somebody else drives, or nobody: what their clusters tell."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from kmirror.api.canaries import CanarySeen
from kmirror.api.flows import FlowView, Lag, Origin, PartitionView, TopicView, Worst
from kmirror.api.plots import PlotList, PlotRange
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.console.figures import Offsets, by_lag, by_severity
from kmirror.console.history import Counted, History
from kmirror.console.topic_history import TopicHistory, TopicLook
from kmirror.console.verdicts import Verdicts
from kmirror.ends.clients import FlowClients, open_clients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.errors import ClusterError, MirrorError
from kmirror.events.emit import emit
from kmirror.events.table import RUN_CRASHED
from kmirror.inspect.overview import FlowOverview, TopicOverview, survey_flow
from kmirror.inspect.partitions import PartitionOverview, survey_all_partitions
from kmirror.model import Flow
from kmirror.state.paused import pause_lines
from kmirror.state.told import ToldFlow, ToldLag

LOOK_S = 10.0
_END_S_MAX = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the clusters of a flow told last, and why they tell nothing newer."""

    at_ms: int | None = None
    overview: FlowOverview | None = None
    partitions: tuple[PartitionOverview, ...] = ()
    told: ToldFlow | None = None
    error: str = ""


class AskedFigures:
    """
    Asks the clusters of each flow every ten seconds, in a thread for each, until `close`.

    Args:
        configs: The flows.
        ask_driver: Gives what drivers say that can be reached, by flow.
        clock: Where time comes from.
    """

    has_driver = False

    def __init__(
        self,
        configs: Sequence[FlowConfig],
        ask_driver: Callable[[], Mapping[Flow, ToldFlow]],
        clock: Clock,
    ) -> None:
        self._configs = tuple(configs)
        self._ask_driver = ask_driver
        self._clock = clock
        self._known = {config.flow: _Known() for config in configs}
        self._history = History()
        self._verdicts = Verdicts()
        self._topic_history = TopicHistory()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._ask, args=(config,), name=f"console-{config.flow}", daemon=True
            )
            for config in configs
        ]

    def start(self) -> None:
        """Begin to ask."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End that; an answer that is waited for is left behind."""
        self._stop.set()
        until_s = self._clock.monotonic_s() + _END_S_MAX
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until_s - self._clock.monotonic_s()))

    def configs(self) -> Sequence[FlowConfig]:
        """Return the flows' settings."""
        return self._configs

    def flows(self) -> tuple[FlowView, ...]:
        """Return the flows."""
        return tuple(self._flow(config) for config in self._configs)

    def topics(self, config: FlowConfig) -> tuple[int | None, tuple[TopicView, ...]]:
        """Return a flow's topics, the worst first."""
        known = self._known[config.flow]
        if known.overview is None:
            return None, ()
        parked = Counter(each.partition.topic for each in known.overview.parked)
        paused = Counter(each.partition.topic for each in known.overview.paused)
        drift: dict[str, list[str]] = {}
        for change in known.overview.drift:
            drift.setdefault(change.topic, []).append(f"settings differ: {change}")
        lags = {} if known.told is None else dict(known.told.topics)
        found = [
            TopicView(
                flow=str(config.flow),
                topic=each.topic,
                copy=each.copy,
                partitions=each.partitions,
                parked=parked[each.topic],
                paused=paused[each.topic],
                lag=Lag(records=each.lag_records)
                if each.topic not in lags
                else replace(_told_lag(lags[each.topic]), records=each.lag_records),
                notes=(*_notes(each), *drift.get(each.copy, ())),
            )
            for each in known.overview.topics
        ]
        return known.at_ms, by_lag(found)

    def partitions(self, config: FlowConfig) -> tuple[int | None, tuple[PartitionView, ...]]:
        """Return a flow's partitions, the worst first."""
        known = self._known[config.flow]
        remote_topic = config.topic_selection().remote_topic
        found = [
            PartitionView(
                flow=str(config.flow),
                topic=each.partition.topic,
                partition=each.partition.partition,
                copy=remote_topic(each.partition.topic),
                state=each.state.value,
                reason=each.reason,
                position=each.position,
                source_end=each.end,
                lag_records=each.lag_records,
                safe_to_delete_before=each.safe_to_delete_before,
            )
            for each in known.partitions
        ]
        return known.at_ms, by_severity(found)

    def offsets(self, config: FlowConfig) -> Iterable[Offsets]:
        """Return where a flow's partitions are."""
        found = self._known[config.flow].partitions
        return (Offsets(each.partition, each.position, each.end) for each in found)

    def canary(self, config: FlowConfig) -> tuple[int | None, CanarySeen | None]:
        """Return what the driver says of a flow's canary, where it can be asked."""
        known = self._known[config.flow]
        return known.at_ms, None if known.told is None else known.told.canary

    def plots(self, config: FlowConfig, span: PlotRange) -> PlotList:
        """Return how far a flow was behind since this began to ask."""
        return self._history.plots(config.flow, span, self._clock.wall_ms())

    def topic_plots(self, config: FlowConfig, topic: str) -> PlotList:
        """Return how far a topic of a flow was behind in the last 15 minutes."""
        return self._topic_history.plots(config.flow, topic, self._clock.wall_ms())

    def _ask(self, config: FlowConfig) -> None:
        """Look until the end, with clients that are made anew after what nobody foresaw."""
        while not self._stop.is_set():
            try:
                with closing(open_clients(config, self._clock, looks=True)) as clients:
                    while not self._stop.is_set():
                        self._look(config, clients)
                        self._clock.wait(self._stop, LOOK_S)
            except MirrorError as error:
                self._doubt(config.flow, str(error))
            except Exception as error:  # noqa: BLE001 - or old numbers would look like new ones
                if not self._known[config.flow].error:
                    emit(RUN_CRASHED, error=error, trace=error)
                self._doubt(config.flow, f"unexpected: {error!r}")
            self._clock.wait(self._stop, LOOK_S)

    def _doubt(self, flow: Flow, error: str) -> None:
        """Keep what was known before: it is still the best that can be shown, with its age."""
        self._known[flow] = replace(self._known[flow], error=error)
        self._verdicts.note(flow, "UNKNOWN", self._clock.wall_ms())

    def _look(self, config: FlowConfig, clients: FlowClients) -> None:
        try:
            current = with_readable_generations(config, clients)
            overview = survey_flow(current, clients, self._clock)
            partitions = survey_all_partitions(current, clients, self._clock)
        except ClusterError as error:
            self._doubt(config.flow, str(error))
            return
        now_ms = self._clock.wall_ms()
        standing = overview.standing
        self._history.add(
            config.flow,
            Counted(
                at_ms=now_ms,
                lag_records=overview.lag_records,
                lag_seconds=None if standing is None else standing.lag_seconds,
                records=None,
                bytes=None,
            ),
        )
        self._known[config.flow] = _Known(
            at_ms=now_ms,
            overview=overview,
            partitions=partitions,
            told=self._ask_driver().get(config.flow),
        )
        self._verdicts.note(config.flow, self._flow(config).verdict, now_ms)
        if self._topic_history.is_due(config.flow, now_ms):
            looks = [
                TopicLook(topic=each.topic, lag_records=each.lag_records)
                for each in overview.topics
            ]
            self._topic_history.add(config.flow, now_ms, looks)

    def _flow(self, config: FlowConfig) -> FlowView:
        known = self._known[config.flow]
        view = FlowView(
            name=str(config.flow),
            source=config.flow.source,
            target=config.flow.target,
            origin=Origin.CLUSTERS,
            as_of_ms=known.at_ms,
            words="its clusters are being asked" if not known.error else known.error,
            verdict_words=known.error or "nothing is known yet",
            slo_lag_s=config.slo.lag_s,
            slo_rpo_s=config.slo.rpo_s,
            samples=self._history.samples(config.flow),
            error=known.error,
        )
        if known.overview is not None:
            view = _of_clusters(view, known.overview, known.partitions)
            if known.told is not None:
                view = _of_driver(view, known.told)
            if known.error:
                # A verdict is about now: a flow was in sync when it was looked at last, and may
                # not be.
                view = _doubted(view)
        since_ms = self._verdicts.since_ms(config.flow, view.verdict)
        return replace(view, verdict_since_ms=since_ms)


def _of_clusters(
    view: FlowView, overview: FlowOverview, partitions: Sequence[PartitionOverview]
) -> FlowView:
    standing, owner = overview.standing, overview.owner
    worst = max(partitions, key=lambda each: each.lag_records or 0, default=None)
    rests = len(overview.paused)
    is_paused = bool(rests) and rests >= len(partitions) - len(overview.parked)
    judgement = None if standing is None else standing.judgement
    verdict = "UNKNOWN" if judgement is None else judgement.verdict.value
    return replace(
        view,
        words=overview.granularity,
        verdict="PAUSED" if is_paused else verdict,
        verdict_words="; ".join(pause_lines(overview.paused))
        if is_paused
        else ("" if judgement is None else judgement.words),
        lag=Lag(
            records=overview.lag_records,
            seconds=None if standing is None else standing.lag_seconds,
            exactness="timestamps" if standing is not None else "",
        ),
        rpo_s=None if standing is None else standing.lag_seconds,
        worst=None
        if worst is None or not worst.lag_records
        else Worst(
            topic=worst.partition.topic,
            partition=worst.partition.partition,
            lag_records=worst.lag_records,
        ),
        topics=len(overview.topics),
        partitions=sum(each.partitions for each in overview.topics),
        parked=len(overview.parked),
        paused=rests,
        waiting=len(overview.coverage.waiting),
        driver="" if owner is None or owner.owner is None else str(owner.owner),
        generation=None if owner is None else owner.generation,
        notes=(
            *(each.reason for each in overview.parked),
            *pause_lines(overview.paused),
            *overview.coverage.words,
            *(f"settings differ: {each}" for each in overview.drift),
            *(str(each) for each in overview.gone),
        ),
    )


def _of_driver(view: FlowView, told: ToldFlow) -> FlowView:
    """Add what only the driver knows, which answered where it serves metrics."""
    return replace(
        view,
        state=told.state,
        words=told.words,
        verdict=view.verdict if view.verdict == "PAUSED" else told.verdict,
        verdict_words=view.verdict_words if view.verdict == "PAUSED" else told.verdict_words,
        lag=_told_lag(told.lag),
        rpo_s=told.rpo_s,
    )


def _doubted(view: FlowView) -> FlowView:
    """Say that nobody knows how a flow is now; its numbers stay, with their age."""
    return replace(view, words=view.error, verdict="UNKNOWN", verdict_words=view.error, rpo_s=None)


def _told_lag(lag: ToldLag) -> Lag:
    return Lag(
        records=lag.records,
        seconds=lag.seconds,
        exactness=lag.exactness,
        verdict=lag.verdict,
        trend=lag.trend,
        eta_s=lag.eta_s,
    )


def _notes(topic: TopicOverview) -> tuple[str, ...]:
    notes = topic.exceptions
    if topic.holes:
        notes = (*notes, f"{topic.holes:,} offsets without a record")
    return notes
