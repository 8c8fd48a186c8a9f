"""All that a console shows and does, whoever serves it, and to whom."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from kmirror.api.answers import (
    EventList,
    FlowList,
    LagSummary,
    PartitionLag,
    PartitionLagList,
    PartitionList,
    TopicList,
)
from kmirror.api.audits import AuditList
from kmirror.api.canaries import CanaryList, CanaryView
from kmirror.api.config import AdviceList
from kmirror.api.flows import FlowView, TopicView
from kmirror.api.plots import PlotList, PlotRange
from kmirror.clock import Clock
from kmirror.config.connectors import ConnectorFlow
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.console.advice import advice_for
from kmirror.console.audits import Audits
from kmirror.console.canaries import canary_view
from kmirror.console.choices import OF_LOGS, RowChoice, chosen_partitions
from kmirror.console.clusters import Clusters
from kmirror.console.confluent_lags import flow_lags, group_lags
from kmirror.console.event_log import EventLog
from kmirror.console.figures import Figures, config_of
from kmirror.console.left_out import LeftOut
from kmirror.console.moves import Moves
from kmirror.console.orders import Orders
from kmirror.console.questions import Questions
from kmirror.console.settings_file import SettingsFile
from kmirror.console.side_by_side import side_by_side
from kmirror.console.source_logs import SourceLogs, SourceLooks, mirrored_shares, with_logs
from kmirror.console.stopped import stopped_view, stopped_words
from kmirror.console.topic_questions import TopicQuestions
from kmirror.errors import BadRequest, NotFound, OrderRefused
from kmirror.model import Flow
from kmirror.wire.flow_names import position_group

# Many tabs look at the same figures.
_KEEP_S = 0.5


class Console:
    """
    Answers whatever is asked of the flows of a file.

    Args:
        config: Gives the file as it is now.
        figures: Knows how the flows are.
        questions: Asks their clusters.
        file: Answers about what the flows are made of.
        clusters: Watches its clusters.
        audits: Reads what audits have found there.
        moves: Moves consumer groups; says what that would do where nothing can be ordered, too.
        orders: Gives orders; `None` where nothing can be ordered.
        event_log: Has the driver's events; `None` where there is no driver.
        clock: Where time comes from.
        has_it: Names the process that drives a flow that is not driven here; empty if not known.
        stopped: Gives the flows of connectors that are stopped.
    """

    def __init__(
        self,
        *,
        config: Callable[[], MirrorConfig],
        figures: Figures,
        questions: Questions,
        file: SettingsFile,
        clusters: Clusters,
        audits: Audits,
        moves: Moves,
        orders: Orders | None,
        event_log: EventLog | None,
        clock: Clock,
        has_it: Callable[[Flow], str] = lambda _: "",
        stopped: Callable[[], Sequence[ConnectorFlow]] = tuple,
    ) -> None:
        self.config = config
        self.figures = figures
        self.questions = questions
        self.file = file
        self.clusters = clusters
        self.audits = audits
        self.moves = moves
        self.topic_questions = TopicQuestions(config, file.lines, questions, clock)
        self.left_out = LeftOut(self.topic_questions.require_records, clock)
        self.event_log = event_log
        self.clock = clock
        self._orders = orders
        self._sources = SourceLooks(clock)
        self._has_it = has_it
        self._stopped = stopped
        self._lock = threading.Lock()
        self._flows: tuple[FlowView, ...] = ()
        self._flows_s = float("-inf")

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be ordered here."""
        return self._orders is None

    @property
    def orders(self) -> Orders:
        """
        What gives orders.

        Raises:
            OrderRefused: Nothing can be ordered here.
        """
        self.require_orders()
        assert self._orders is not None, "it was required"
        return self._orders

    def require_orders(self) -> None:
        """
        Refuse what cannot be ordered here.

        Raises:
            OrderRefused: Nothing can be.
        """
        if self._orders is None:
            raise OrderRefused(
                "this console only shows what the clusters know",
                hint="the console of the flow's driver gives orders, and so does the command line: "
                "`kmirror pause`, `kmirror failover`",
            )

    def flow_config(self, flow: str) -> FlowConfig:
        """
        Return a flow's settings.

        Raises:
            NotFound: There is no such flow, or it is stopped.
        """
        if (stopped := self._stopped_flow(flow)) is not None:
            raise NotFound(f"{flow}: {stopped_words(stopped)}")
        return config_of(self.figures, flow)

    def flows(self) -> FlowList:
        """Return all flows."""
        with self._lock:
            now_s = self.clock.monotonic_s()
            if now_s - self._flows_s >= _KEEP_S:
                stopped = map(stopped_view, self._stopped())
                self._flows = (*self.figures.flows(), *stopped)
                self._flows_s = now_s
            return FlowList(now_ms=self.clock.wall_ms(), flows=self._flows)

    def look_anew(self) -> None:
        """Keep no look at flows any longer: something was changed."""
        with self._lock:
            self._flows_s = float("-inf")

    def flow(self, name: str) -> FlowView:
        """
        Return one flow, `S->T`.

        Raises:
            NotFound: There is no such flow.
        """
        for flow in self.flows().flows:
            if flow.name == name:
                return flow
        config = self.flow_config(name)
        who = self._has_it(config.flow)
        raise NotFound(
            f"{name} is not driven here" + (f": {who} has it" if who else ", or not known yet"),
            hint=f"the console of {who} shows it" if who else "",
        )

    def elsewhere(self) -> tuple[str, ...]:
        """
        Return flows that are not driven here, or not yet, with who has them where that is known.

        Of several nodes, or workers, each has some of the flows: all that are here is not all.
        """
        here = {each.name for each in self.flows().flows}
        away = (each.flow for each in self.figures.configs() if str(each.flow) not in here)
        return tuple(
            f"{flow} ({who} has it)" if (who := self._has_it(flow)) else str(flow) for flow in away
        )

    def plots(self, flow: str, span: str | None) -> PlotList:
        """
        Return how a flow was.

        Args:
            flow: `S->T`.
            span: How far back, one of `PlotRange`; the shortest if absent.

        Raises:
            NotFound: There is no such flow.
            BadRequest: There is no such range.
        """
        config = self.flow_config(flow)
        if span not in {None, *PlotRange}:
            raise BadRequest(f"range: expected one of {', '.join(PlotRange)}")
        return self.figures.plots(config, PlotRange(span or PlotRange.QUARTER))

    def topic_plots(self, flow: str, topic: str) -> PlotList:
        """
        Return how a topic was in the last 15 minutes.

        Raises:
            NotFound: There is no such flow.
        """
        return self.figures.topic_plots(self.flow_config(flow), topic)

    def topics(self, flow: str) -> TopicList:
        """
        Return a flow's topics, the worst first.

        Raises:
            NotFound: There is no such flow.
        """
        if self._stopped_flow(flow) is not None:
            return TopicList(as_of_ms=None, topics=())
        config = self.flow_config(flow)
        as_of_ms, topics = self.figures.topics(config)
        logs = self._source_logs(config)
        shares = mirrored_shares(self.figures.offsets(config), logs)
        return TopicList(
            as_of_ms=as_of_ms,
            topics=tuple(replace(each, mirrored_share=shares.get(each.topic)) for each in topics),
            logs_error=logs.error,
        )

    def topic(self, flow: str, topic: str) -> TopicView:
        """
        Return one of them.

        Raises:
            NotFound: The flow does not copy such a topic.
        """
        for each in self.topics(flow).topics:
            if each.topic == topic:
                return each
        raise NotFound(f"{flow} does not copy a topic {topic}")

    def partitions(self, flow: str, choice: RowChoice) -> PartitionList:
        """
        Return a flow's partitions, the worst first if nothing else is asked for.

        Args:
            flow: `S->T`.
            choice: Which of them.

        Raises:
            NotFound: There is no such flow.
            BadRequest: They cannot be sorted so.
        """
        if self._stopped_flow(flow) is not None:
            return PartitionList(as_of_ms=None, total=0, partitions=())
        config = self.flow_config(flow)
        as_of_ms, found = self.figures.partitions(config)
        logs = self._source_logs(config)
        if choice.sort.removeprefix("-") in OF_LOGS:
            found = with_logs(found, logs)
        chosen = chosen_partitions(found, choice)
        return PartitionList(
            as_of_ms=as_of_ms,
            total=len(chosen),
            partitions=with_logs(choice.page(chosen), logs),
            logs_as_of_ms=logs.as_of_ms,
            logs_error=logs.error,
        )

    def _source_logs(self, config: FlowConfig) -> SourceLogs:
        return self._sources.of(
            config, lambda: (each.partition for each in self.figures.offsets(config))
        )

    def lags(self, flow: str, group: str | None = None) -> PartitionLagList:
        """
        Return the lag of each partition of a flow, or of a group of its source.

        Args:
            flow: `S->T`.
            group: The group.

        Raises:
            NotFound: There is no such flow, or no such group.
            ClusterError: The clusters were asked for the group, and did not answer.
        """
        config = self.flow_config(flow)
        if group is None:
            found = list(flow_lags(config, self.figures.partitions(config)[1]))
        else:
            found = list(group_lags(config, self.questions.group(config, group)))
        found.sort(key=lambda each: (-each.lag, each.topic_name, each.partition_id))
        return PartitionLagList(data=tuple(found))

    def lag_summary(self, flow: str, group: str | None = None) -> LagSummary:
        """
        Return all of them in one; see `lags`.

        Raises:
            NotFound: Nobody knows the lag yet, which is not to be taken for none.
        """
        config, lags = self.flow_config(flow), self.lags(flow, group).data
        if group is None:
            is_known = self.flow(flow).lag.records is not None
        else:
            is_known = self.questions.group(config, group).source_lag is not None
        if not is_known:
            raise NotFound(f"the lag of {group or flow} is not known yet")
        worst = lags[0] if lags and lags[0].lag else None
        return LagSummary(
            cluster_id=config.flow.source,
            consumer_group_id=group or position_group(config.flow),
            max_lag=0 if worst is None else worst.lag,
            max_lag_topic_name=None if worst is None else worst.topic_name,
            max_lag_partition_id=None if worst is None else worst.partition_id,
            total_lag=sum(each.lag for each in lags),
        )

    def partition_lag(
        self, flow: str, topic: str, partition: int, group: str | None = None
    ) -> PartitionLag:
        """
        Return one of them; see `lags`.

        Raises:
            NotFound: There is no such partition.
        """
        for each in self.lags(flow, group).data:
            if (each.topic_name, each.partition_id) == (topic, partition):
                return each
        raise NotFound(f"{group or flow} has no partition {topic}-{partition}, or not known yet")

    def advice(self, flow: str) -> AdviceList:
        """
        Return advice about the lines that a flow comes from.

        Raises:
            NotFound: There is no such flow.
            EnvironmentProblem: Its lines cannot be read any more.
        """
        config = self.flow_config(flow)
        told = {each.where for each in self.file.file().findings}
        return advice_for(config.flow, self.file.lines(config), told, self.clock)

    def audit_list(self) -> AuditList:
        """Return how far each flow is audited; what a cluster does not tell is said there."""
        audits = side_by_side(self.audits.tried, self.figures.configs())
        return AuditList(now_ms=self.clock.wall_ms(), audits=audits)

    def canaries(self) -> CanaryList:
        """Return the canaries of all flows."""
        canaries = tuple(map(self._canary, self.figures.configs()))
        return CanaryList(now_ms=self.clock.wall_ms(), canaries=canaries)

    def canary(self, flow: str) -> CanaryView:
        """
        Return one of them.

        Raises:
            NotFound: There is no such flow.
        """
        return self._canary(self.flow_config(flow))

    def _stopped_flow(self, flow: str) -> ConnectorFlow | None:
        return next((each for each in self._stopped() if str(each.flow) == flow), None)

    def _canary(self, config: FlowConfig) -> CanaryView:
        as_of_ms, seen = self.figures.canary(config)
        has_driver = self.figures.has_driver
        return canary_view(config, seen, as_of_ms=as_of_ms, has_driver=has_driver)

    def events(
        self,
        *,
        flow: str | None = None,
        level: str | None = None,
        text: str | None = None,
        after: int = 0,
        limit: int = 500,
    ) -> EventList:
        """Return events of the driver; see `EventLog.events`."""
        if self.event_log is None:
            return EventList(since_ms=None, events=())
        return self.event_log.events(flow=flow, level=level, text=text, after=after, limit=limit)
