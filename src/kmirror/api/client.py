"""
The console's REST API from Python, typed.

    from kmirror.api.client import ApiClient

    api = ApiClient("http://127.0.0.1:8089")
    for flow in api.flows():
        print(flow.name, flow.verdict, flow.lag.records)
    api.pause("A->B", topic="orders", reason="a deployment", for_s=1800)
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from kmirror.api.answers import (
    EventList,
    FlowList,
    GroupList,
    LagSummary,
    LogicalTopic,
    PartitionLag,
    PartitionLagList,
    PartitionList,
    PlanView,
    Server,
    TopicList,
    Translation,
)
from kmirror.api.audit_calls import AuditCalls
from kmirror.api.clusters import ClusterList, ClusterView
from kmirror.api.codec import from_plain
from kmirror.api.config import AdviceList, FileChanges, FileView, FlowSettings
from kmirror.api.connection import quoted, whole
from kmirror.api.flows import FlowView
from kmirror.api.left_out import LeftOutList, LetterView, ReplayList, ReplayRequest
from kmirror.api.moves import AbortRequest, MoveList, MovePlanView, MoveRequest, MoveVerb, MoveView
from kmirror.api.orders import ApplyPlan, Ordered, PauseRequest, ReloadFile, SeekRequest
from kmirror.api.plots import PlotList, PlotRange
from kmirror.api.topic_answers import ExplanationView, RecordList, TopicSettingsView


class ApiClient(AuditCalls):
    """
    A console, or a driver that serves one.

    Args:
        base: `http://host:port`.
        user, password: A login; `None` for none.
        token: The same as a token.
        timeout_s: Deadline of each answer, seconds; groups and plans ask the clusters first.

    Every method raises `ApiRefused` when the console says no, and `OSError` when it does not
    answer.
    """

    def server(self) -> Server:
        """Return who answers."""
        return self._get(Server, "/server")

    def flows(self) -> tuple[FlowView, ...]:
        """Return all flows, in the order of the file."""
        return self._get(FlowList, "/flows").flows

    def flow(self, flow: str) -> FlowView:
        """Return one flow, `S->T`."""
        return self._get(FlowView, _path(flow))

    def plots(self, flow: str, span: PlotRange = PlotRange.QUARTER) -> PlotList:
        """Return how a flow was, as far as whoever answers has seen it."""
        return self._get(PlotList, f"{_path(flow)}/plots", {"range": span.value})

    def topic_plots(self, flow: str, topic: str) -> PlotList:
        """Return how a topic was in the last 15 minutes."""
        return self._get(PlotList, f"{_path(flow)}/topics/{quoted(topic)}/plots")

    def topics(self, flow: str) -> TopicList:
        """Return a flow's topics, the worst first."""
        return self._get(TopicList, f"{_path(flow)}/topics")

    def topic_settings(self, flow: str, topic: str) -> TopicSettingsView:
        """Return the settings of a topic and of its copy, and what keeping them equal would do."""
        return self._get(TopicSettingsView, f"{_path(flow)}/topics/{quoted(topic)}/settings")

    def explain(self, flow: str, topic: str) -> ExplanationView:
        """Return why a topic is copied, or is not; it need not be one that is."""
        return self._get(ExplanationView, f"{_path(flow)}/topics/{quoted(topic)}/explanation")

    def records(
        self,
        flow: str,
        topic: str,
        partition: int,
        *,
        at: str | None = None,
        side: str = "source",
        limit: int = 20,
    ) -> RecordList:
        """
        Return records of a partition and of its copy, beside each other.

        Args:
            flow: `S->T`.
            topic, partition: Which one, on the source.
            at: From where on: `earliest`, an offset, or a time; the last ones if absent.
            side: The cluster that an offset is of: `source` or `target`.
            limit: So many of each side at most, up to 100.
        """
        path = f"{_path(flow)}/topics/{quoted(topic)}/partitions/{partition}/records"
        return self._get(RecordList, path, {"at": at, "side": side, "limit": limit})

    def partitions(
        self,
        flow: str,
        *,
        topic: str | None = None,
        state: str | None = None,
        text: str | None = None,
        sort: str | None = None,
        offset: int = 0,
        limit: int = 1000,
    ) -> PartitionList:
        """
        Return a flow's partitions, the worst first.

        Args:
            flow: `S->T`.
            topic: Only those of one topic.
            state: Only those in a state.
            text: Only those whose topic has it.
            sort: By what they are sorted, such as `position`, or `-rate` for the largest first.
            offset, limit: Which of them.
        """
        rows = {"offset": offset, "limit": limit}
        asked = {"topic": topic, "state": state, "q": text, "sort": sort, **rows}
        return self._get(PartitionList, f"{_path(flow)}/partitions", asked)

    def lag_summary(self, flow: str, group: str | None = None) -> LagSummary:
        """Return the lag of a flow, or of a group of its source."""
        return self._get(LagSummary, f"{_of(flow, group)}/lag-summary")

    def lags(self, flow: str, group: str | None = None) -> tuple[PartitionLag, ...]:
        """Return the lag of each partition, the largest first."""
        return self._get(PartitionLagList, f"{_of(flow, group)}/lags").data

    def groups(self, flow: str) -> GroupList:
        """Return the consumer groups of a flow's source."""
        return self._get(GroupList, f"{_path(flow)}/groups")

    def translate(
        self, flow: str, topic: str, partition: int, offset: int | str, *, side: str = "source"
    ) -> Translation:
        """
        Return where one goes on, on the other cluster, who has everything before an offset.

        Args:
            flow: `S->T`.
            topic, partition, offset: Where one is; a text may be a time, `earliest` or `latest`.
            side: The cluster that they are of: `source` or `target`.
        """
        asked = {"topic": topic, "partition": partition, "side": side}
        asked["at" if isinstance(offset, str) else "offset"] = offset
        return self._get(Translation, f"{_path(flow)}/offsets", asked)

    def plan(self, flow: str) -> PlanView:
        """Return what would be changed on the target, besides records."""
        return self._get(PlanView, f"{_path(flow)}/plan")

    def file(self) -> FileView:
        """Return the properties file as it is in effect."""
        return self._get(FileView, "/config")

    def settings(self, flow: str) -> FlowSettings:
        """Return the settings of a flow, and who sets each."""
        return self._get(FlowSettings, f"{_path(flow)}/config")

    def advice(self, flow: str) -> AdviceList:
        """Return advice about the lines that a flow comes from, as `kmirror tune` gives it."""
        return self._get(AdviceList, f"{_path(flow)}/advice")

    def file_changes(self) -> FileChanges:
        """Return what a reload of the file, as it lies on disk now, would change."""
        return self._get(FileChanges, "/config/changes")

    def clusters(self) -> ClusterList:
        """Return all clusters; who asks has them looked at more closely for a while."""
        return self._get(ClusterList, "/clusters")

    def cluster(self, alias: str) -> ClusterView:
        """Return one cluster by its alias."""
        return self._get(ClusterView, f"/clusters/{quoted(alias)}")

    def events(self, *, flow: str | None = None, after: int = 0, limit: int = 500) -> EventList:
        """
        Return events of the driver, the newest first.

        Args:
            flow: Only those of one flow.
            after: Only those whose number is larger.
            limit: So many at most.
        """
        return self._get(EventList, "/events", {"flow": flow, "after": after, "limit": limit})

    def logical_topic(self, region: str, topic: str) -> LogicalTopic:
        """Return where applications of a region find a topic now."""
        return self._get(LogicalTopic, f"/logical/{quoted(region)}/{quoted(topic)}")

    def pause(
        self,
        flow: str,
        *,
        reason: str,
        topic: str | None = None,
        partition: int | None = None,
        for_s: int | None = None,
    ) -> Ordered:
        """Stop copying a flow, a topic or a partition; see `PauseRequest`."""
        asked = PauseRequest(reason=reason, topic=topic, partition=partition, for_s=for_s)
        return self._post(Ordered, f"{_path(flow)}/pause", asked)

    def park(
        self,
        flow: str,
        *,
        reason: str,
        topic: str | None = None,
        partition: int | None = None,
        for_s: int | None = None,
    ) -> Ordered:
        """Pause it as something that needs attention; see `PauseRequest`."""
        asked = PauseRequest(reason=reason, topic=topic, partition=partition, for_s=for_s)
        return self._post(Ordered, f"{_path(flow)}/park", asked)

    def resume(
        self, flow: str, *, reason: str, topic: str | None = None, partition: int | None = None
    ) -> Ordered:
        """Copy again what was paused or parked; see `PauseRequest`."""
        asked = PauseRequest(reason=reason, topic=topic, partition=partition)
        return self._post(Ordered, f"{_path(flow)}/resume", asked)

    def seek(self, asked: SeekRequest) -> Ordered:
        """Let partitions go on elsewhere."""
        return self._post(Ordered, f"{_path(asked.flow)}/seek", asked)

    def skip(self, asked: SeekRequest) -> Ordered:
        """Give up records of a partition, and go on behind them."""
        return self._post(Ordered, f"{_path(asked.flow)}/skip", asked)

    def reload(self, reason: str, *, dry_run: bool = False) -> Ordered:
        """Have the drivers read the properties file again; `kmirror reload` does the same."""
        return self._post(Ordered, "/config/reload", ReloadFile(reason=reason, dry_run=dry_run))

    def apply(self, flow: str, reason: str, *, dry_run: bool = False) -> Ordered:
        """Do what the plan of a flow says; `kmirror apply` does the same."""
        asked = ApplyPlan(reason=reason, flow=flow, dry_run=dry_run)
        return self._post(Ordered, f"{_path(flow)}/apply", asked)

    def left_out(
        self, flow: str, *, topic: str | None = None, offset: int = 0, limit: int = 200
    ) -> LeftOutList:
        """Return what copies of a flow, or of a topic, have gone on without, the newest first."""
        asked = {"topic": topic, "offset": offset, "limit": limit}
        return self._get(LeftOutList, f"{_path(flow)}/left-out", asked)

    def dead_letter(self, flow: str, number: int) -> LetterView:
        """Return a dead letter with what is kept of it."""
        return self._get(LetterView, f"{_path(flow)}/dead-letters/{number}")

    def replay(self, asked: ReplayRequest) -> ReplayList:
        """Write dead letters to the topics that did not take them, each of them once."""
        return self._post(ReplayList, f"{_path(asked.flow)}/dead-letters/replay", asked)

    def move_plan(
        self,
        flow: str,
        kind: MoveVerb,
        *,
        groups: str | None = None,
        max_lag_records: int = 0,
        allow_backwards: bool = False,
        without_source: bool = False,
    ) -> MovePlanView:
        """Return what a move of groups would do now; see `MoveRequest`."""
        asked = {
            "kind": kind.value,
            "groups": groups,
            "max_lag_records": max_lag_records,
            "allow_backwards": str(allow_backwards).lower(),
            "without_source": str(without_source).lower(),
        }
        return self._get(MovePlanView, f"{_path(flow)}/move-plan", asked)

    def moves(self) -> tuple[MoveView, ...]:
        """Return the moves that were ordered there, the newest first."""
        return self._get(MoveList, "/moves").moves

    def move(self, number: int) -> MoveView:
        """Return one of them, with its steps so far."""
        return self._get(MoveView, f"/moves/{number}")

    def begin_move(self, asked: MoveRequest) -> MoveView:
        """Begin to move groups to the other cluster, or back; `move` says how that goes on."""
        return self._post(MoveView, f"{_path(asked.flow)}/moves", asked)

    def abort_move(self, flow: str, *, reason: str) -> Ordered:
        """Let a flow copy again that a move keeps from it; move no groups."""
        asked = AbortRequest(reason=reason, flow=flow)
        return self._post(Ordered, f"{_path(flow)}/moves/abort", asked)

    def follow(self) -> Iterator[FlowList]:
        """Yield all flows, now and whenever they change, until the console ends, or an hour has."""
        kind = ""
        with whole(), self._open("GET", "/live", None, "text/event-stream") as answer:
            for raw in answer:
                name, _, text = raw.decode().rstrip("\r\n").partition(": ")
                if name == "event":
                    kind = text
                elif name == "data" and kind == "flows":
                    yield from_plain(FlowList, json.loads(text), lenient=True)


def _path(flow: str) -> str:
    return f"/flows/{quoted(flow)}"


def _of(flow: str, group: str | None) -> str:
    return _path(flow) if group is None else f"{_path(flow)}/groups/{quoted(group)}"
