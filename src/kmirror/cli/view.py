"""The live terminal view of running flows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from kmirror.cli.rows import Bar, Rows
from kmirror.model import Flow
from kmirror.policy.bottlenecks import Bottleneck, SlotJudgement
from kmirror.policy.lag_times import LagExactness
from kmirror.policy.lag_verdicts import LagVerdict, SloVerdict, Trend
from kmirror.state.lags import LagStatus
from kmirror.state.paused import pause_lines
from kmirror.state.status import FlowState, FlowStatus, TopicStatus
from kmirror.units import size

_TOPICS_MAX = 20
_GOOD = {FlowState.RUNNING, FlowState.COMPLETE, FlowState.STOPPED}
_BAD = {FlowState.FAILED, FlowState.FENCED}
_NO_BOTTLENECKS: Mapping[Flow, Sequence[SlotJudgement]] = {}
_VERDICT_COLOURS = {
    SloVerdict.IN_SYNC: "green",
    SloVerdict.BEHIND: "yellow",
    SloVerdict.BROKEN: "red",
}


@dataclass(slots=True)
class _Rate:
    """Records and bytes a second, between two looks that lie a moment apart."""

    at_s: float = 0.0
    records: int = 0
    bytes: int = 0
    records_per_s: float = 0.0
    bytes_per_s: float = 0.0

    def look(self, status: FlowStatus, now_s: float) -> None:
        elapsed_s = now_s - self.at_s
        if elapsed_s < 1.0:
            return
        if self.at_s:
            self.records_per_s = max(0.0, (status.records - self.records) / elapsed_s)
            self.bytes_per_s = max(0.0, (status.bytes - self.bytes) / elapsed_s)
        self.at_s, self.records, self.bytes = now_s, status.records, status.bytes


class FlowsView:
    """Draws flows; keeps what it needs for rates."""

    def __init__(self) -> None:
        self._rates: dict[str, _Rate] = {}

    def render(
        self,
        statuses: Sequence[FlowStatus],
        bottlenecks: Mapping[Flow, Sequence[SlotJudgement]] = _NO_BOTTLENECKS,
    ) -> RenderableType:
        """
        Return one picture of all flows.

        Args:
            statuses: They.
            bottlenecks: What holds up the slots of each of them.
        """
        return Group(*(self._flow(status, bottlenecks.get(status.flow, ())) for status in statuses))

    def rates(self, status: FlowStatus) -> tuple[float, float]:
        """Return a flow's records and bytes per second."""
        rate = self._rates.setdefault(str(status.flow), _Rate())
        rate.look(status, time.monotonic())
        return rate.records_per_s, rate.bytes_per_s

    def _flow(self, status: FlowStatus, slots: Sequence[SlotJudgement]) -> RenderableType:
        records_per_s, bytes_per_s = self.rates(status)
        colour = "green" if status.state in _GOOD else "red" if status.state in _BAD else "yellow"
        head = Text.assemble(
            (f"{status.flow}  ", "bold"),
            (status.state.value, colour),
            f"  {status.words}" if status.words != status.state.value else "",
        )
        line = Text(
            f"{records_per_s:,.0f} records/s   {size(bytes_per_s)}/s   "
            f"lag {_count(status.lag_records)}{_lag_words(status.lag)}   "
            f"last commit {_age(status.last_commit_ms)}"
        )
        judgement = status.judgement(time.time_ns() // 1_000_000)
        verdict = verdict_line(judgement.verdict, judgement.words)
        catch_up = Bar("initial catch-up", status.caught_up_share)
        return Group(
            head,
            line,
            verdict,
            *_held_up(slots),
            catch_up,
            _topics(status),
            left_out(status),
            Text(""),
        )


def _topics(status: FlowStatus) -> RenderableType:
    columns = ("topic", ">partitions", ">lag", ">copied", ">bytes", "in whole batches", "lag is")
    shown = sorted(status.topics, key=lambda topic: (-topic.lag_records, topic.topic))[:_TOPICS_MAX]
    rows = [
        (
            topic.topic,
            str(topic.partitions),
            f"{topic.lag_records:,}",
            f"{topic.records:,}",
            size(topic.bytes),
            _whole(topic),
            _lag_is(topic.lag),
        )
        for topic in shown
    ]
    more = len(status.topics) - len(shown)
    return Group(Rows(columns, rows), *([Text(f"and {more} more topics")] if more else []))


def left_out(status: FlowStatus) -> RenderableType:
    """Draw what of a flow stands still or is not mirrored, and why."""
    reasons = [f"parked: {parked.reason}" for parked in status.parked]
    reasons += status.coverage.words if status.coverage is not None else ()
    yellow = [*_poison_lines(status.topics), *pause_lines(status.paused)]
    return Group(red_lines(reasons), lines_in("yellow", yellow))


def _poison_lines(topics: Sequence[TopicStatus]) -> list[str]:
    return [
        f"went on without {topic.topic}: {topic.skipped} skipped, {topic.kept} kept"
        for topic in topics
        if topic.skipped or topic.kept
    ]


def red_lines(reasons: Sequence[str]) -> RenderableType:
    """Draw what is wrong, one thing a line."""
    return lines_in("red", reasons)


def lines_in(colour: str, reasons: Sequence[str]) -> RenderableType:
    """Draw the first of many things, one a line, and how many more there are."""
    lines = [Text(reason, style=colour, overflow="fold") for reason in reasons[:_TOPICS_MAX]]
    if len(reasons) > len(lines):
        lines.append(Text(f"and {len(reasons) - len(lines)} more", style=colour))
    return Group(*lines)


def verdict_line(verdict: SloVerdict, words: str) -> Text:
    """Draw how a flow stands against its SLO."""
    return Text.assemble((verdict.value, _VERDICT_COLOURS[verdict]), f": {words}", overflow="fold")


def _held_up(slots: Sequence[SlotJudgement]) -> list[Text]:
    """Give a line for each slot that something holds up."""
    return [
        Text(f"slot {each.slot}: {each.words}", overflow="fold")
        for each in slots
        if each.bottleneck is not Bottleneck.IDLE
    ]


def _lag_words(lag: LagStatus) -> str:
    """Say a lag in time, where it goes, and when it is gone; nothing of none."""
    if not lag.seconds:
        return ""
    words = f", {lag_time(lag)}"
    if lag.trend is not Trend.UNKNOWN:
        words += f", {lag.trend.value}"
    return words if lag.eta_s is None else f"{words}, gone in {lag.eta_s:,.0f} s"


def lag_time(lag: LagStatus) -> str:
    """Give a lag in time for people."""
    if lag.seconds is None:
        return "?"
    at_least = "at least " if lag.exactness is LagExactness.AT_LEAST else ""
    return f"{at_least}{lag.seconds:,.1f} s"


def _lag_is(lag: LagStatus) -> str:
    if lag.verdict is LagVerdict.OK:
        return lag_time(lag) if lag.seconds else "OK"
    return f"{lag.verdict.name}, {lag_time(lag)}"


def _whole(topic: TopicStatus) -> str:
    if not topic.records:
        return "-"
    share = f"{topic.whole_records / topic.records:.0%}"
    return f"{share}; not whole: {topic.unpacked}" if topic.unpacked else share


def _count(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def _age(wall_ms: int) -> str:
    if not wall_ms:
        return "none yet"
    return f"{max(0.0, time.time() - wall_ms / 1000):.1f} s ago"
