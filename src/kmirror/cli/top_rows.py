"""The tables of `kmirror top`: flows, partitions, topics and events as rows."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from kmirror.api.answers import EventView
from kmirror.api.flows import FlowView, PartitionView, TopicView
from kmirror.errors import one_line
from kmirror.server.console import words

_SPARK = "▁▂▃▄▅▆▇█"
_SPARK_COLUMNS = 16
_COLOURS = {"ok": "green", "warn": "yellow", "bad": "red", "rest": "magenta", "none": "dim"}
_SIGNS = {"ok": "✓", "warn": "◷", "bad": "▲", "rest": "⏸", "none": "…"}
FLOWS = (
    *("flow", "verdict", "lag", "behind", "15 min", "records/s", "MB/s", "RPO", "audit", "worst"),
    "why",
)
PARTITIONS = (
    *("partition", "state", "lag", "behind", "position", "end", "copy's end", "records/s"),
    *("slot", "why"),
)
TOPICS = (
    *("topic", "copy", "partitions", "lag", "behind", "records/s", "copied", "whole", "parked"),
    "paused",
)
EVENTS = ("when", "level", "event")

Rows = Sequence[tuple[str, Sequence[str | Text]]]
"""Of a table: each with its key."""


def toned(word: str, shown: str = "") -> Text:
    """Give a verdict or a state with its sign and colour: never colour alone."""
    tone = words.tone(word)
    return Text(f"{_SIGNS[tone]} {one_line(shown or word)}", style=_COLOURS[tone])


def sparkline(flow: FlowView) -> str:
    """Draw a flow's lag of the last 15 minutes."""
    known = [each.lag_records for each in flow.samples if each.lag_records is not None]
    if len(known) < 2:
        return ""
    step = max(1, len(known) // _SPARK_COLUMNS)
    picked = known[::-step][:_SPARK_COLUMNS][::-1]
    top = max(*picked, 1)
    return "".join(_SPARK[round(each / top * (len(_SPARK) - 1))] for each in picked)


def partition_key(each: PartitionView) -> str:
    """Name a partition, as its row."""
    return f"{each.topic}-{each.partition}"


def _worst(flow: FlowView) -> str:
    if flow.worst is None:
        return ""
    lag = words.count(flow.worst.lag_records)
    return f"{flow.worst.topic}-{flow.worst.partition} ({lag})"


def flow_rows(flows: Sequence[FlowView]) -> Rows:
    """Give the rows of flows."""
    return [
        (
            each.name,
            (
                Text(one_line(each.name)),
                toned(each.verdict, words.verdict(each.verdict)),
                _right(words.count(each.lag.records), words.arrow(each.lag.trend)),
                _right(words.duration(each.lag.seconds)),
                sparkline(each),
                _right(words.count(each.records_per_s)),
                _right(words.megabytes(each.bytes_per_s)),
                _right(words.duration(each.rpo_s)),
                words.UNKNOWN if each.audited is None else toned(each.audited.value),
                Text(one_line(_worst(each))),
                Text(one_line(each.verdict_words or each.words)),
            ),
        )
        for each in flows
    ]


def partition_rows(partitions: Sequence[PartitionView]) -> Rows:
    """Give the rows of partitions."""
    return [
        (
            partition_key(each),
            (
                Text(one_line(partition_key(each))),
                toned(each.state),
                _right(words.count(each.lag_records)),
                _right(words.duration(each.lag_seconds)),
                _right(words.count(each.position)),
                _right(words.count(each.source_end)),
                _right(words.count(each.target_end)),
                _right(words.count(each.records_per_s)),
                _right(words.count(each.slot)),
                Text(one_line(each.reason)),
            ),
        )
        for each in partitions
    ]


def topic_rows(topics: Sequence[TopicView]) -> Rows:
    """Give the rows of topics."""
    return [
        (
            each.topic,
            (
                Text(one_line(each.topic)),
                Text(one_line(each.copy)),
                _right(words.count(each.partitions)),
                _right(words.count(each.lag.records)),
                _right(words.duration(each.lag.seconds)),
                _right(words.count(each.records_per_s)),
                _right(words.count(each.records)),
                _right(words.share(each.whole_share)),
                _right(words.count(each.parked)),
                _right(words.count(each.paused)),
            ),
        )
        for each in topics
    ]


def event_rows(events: Sequence[EventView]) -> Rows:
    """Give the rows of events."""
    return [
        (
            str(each.number),
            (
                words.exact(each.at_ms),
                toned(each.level, each.level.lower()),
                Text(one_line(each.text)),
            ),
        )
        for each in events
    ]


def _right(number: str, sign: str = "") -> Text:
    return Text(f"{number} {sign}".rstrip(), justify="right")
