"""What `kmirror top` draws of flows that never change: `python -m tests.support.top_snapshots`."""

from __future__ import annotations

import asyncio
import html
import re
import sys
from collections import defaultdict
from pathlib import Path

from textual.widgets import TabbedContent

from kmirror.api.answers import EventList, EventView, PartitionList, TopicList
from kmirror.api.audits import Audited
from kmirror.api.flows import FlowView, Lag, Origin, PartitionView, Sample, TopicView, Worst
from kmirror.api.orders import Ordered
from kmirror.cli.top_app import TopApp

FOLDER = Path(__file__).parents[1] / "data" / "top"
# A wide terminal, and the least that a login over SSH has.
SIZES = ((180, 30), (80, 24))
TABS = ("partitions", "topics", "events")
_AT_MS = 1_750_000_000_000
_CELL_W, _DRAWN_S_MAX = 12.2, 60.0


def _samples(*lags: int) -> tuple[Sample, ...]:
    return tuple(
        Sample(
            at_ms=_AT_MS + 5000 * at,
            lag_records=lag,
            lag_seconds=None,
            records_per_s=None,
            bytes_per_s=None,
        )
        for at, lag in enumerate(lags)
    )


FLOWS = (
    FlowView(
        name="A->B",
        source="A",
        target="B",
        origin=Origin.DRIVER,
        verdict="IN_SYNC",
        verdict_words="lag 0.3 s, within 30 s",
        lag=Lag(records=1_240, seconds=0.3, trend="shrinking"),
        rpo_s=0.4,
        records_per_s=48_000.0,
        bytes_per_s=51_300_000.0,
        worst=Worst(topic="orders", partition=3, lag_records=900),
        samples=_samples(*range(32, 0, -1)),
        audited=Audited.IDENTICAL,
    ),
    FlowView(
        name="B->A",
        source="B",
        target="A",
        origin=Origin.DRIVER,
        verdict="BROKEN",
        verdict_words="cluster A (a:9092): no answer",
    ),
)
_PARTITIONS = (
    PartitionView(
        flow="A->B",
        topic="orders",
        partition=1,
        copy="A.orders",
        state="parked",
        reason="B refuses it: not authorized",
        position=77,
        source_end=4_100,
        lag_records=4_023,
    ),
    PartitionView(
        flow="A->B",
        topic="orders",
        partition=3,
        copy="A.orders",
        state="mirroring",
        position=120_000,
        source_end=120_900,
        target_end=119_000,
        lag_records=900,
        lag_seconds=0.3,
        records_per_s=48_000.0,
        slot=1,
    ),
)
_TOPICS = (
    TopicView(
        flow="A->B",
        topic="orders",
        copy="A.orders",
        partitions=4,
        parked=1,
        paused=0,
        lag=Lag(records=1_240, seconds=0.3),
        records=9_000_000,
        records_per_s=48_000.0,
        whole_share=0.987,
    ),
)
_EVENTS = (
    EventView(
        number=7,
        at_ms=_AT_MS,
        name="partition.parked",
        level="WARNING",
        text="A->B: orders-1 is parked",
        flow="A->B",
    ),
)


class Still:
    """A source that always says the same."""

    def flows(self) -> tuple[FlowView, ...]:
        """Give two flows."""
        return FLOWS

    def topics(self, flow: str) -> TopicList:
        """Give one topic."""
        assert flow
        return TopicList(as_of_ms=_AT_MS, topics=_TOPICS)

    def partitions(self, flow: str, *, text: str) -> PartitionList:
        """Give two partitions, of whatever flow."""
        assert flow
        assert not text
        return PartitionList(as_of_ms=_AT_MS, total=2, partitions=_PARTITIONS)

    def events(self, flow: str) -> EventList:
        """Give an event."""
        assert flow
        return EventList(since_ms=_AT_MS, events=_EVENTS)

    def pause(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """Order nothing."""
        raise AssertionError((flow, topic, partition, reason))

    resume = pause


async def drawn(size: tuple[int, int], tab: str) -> str:
    """Draw the screen of a terminal, and give its lines."""
    app = TopApp(Still())
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        app.query_one(TabbedContent).active = tab
        async with asyncio.timeout(_DRAWN_S_MAX):
            while app.looks < 2:
                await pilot.pause(0.05)
        await pilot.pause()
        return _lines(app.export_screenshot())


def name_of(size: tuple[int, int], tab: str) -> str:
    """Name the file that has it."""
    return f"{tab}-{size[0]}.txt"


def _lines(svg: str) -> str:
    """Give the words of a screen where they stand."""
    rows: dict[int, dict[int, str]] = defaultdict(dict)
    for match in re.finditer(
        r'<text [^>]*\bx="([\d.]+)"[^>]*-line-(\d+)\)"[^>]*>([^<]*)</text>', svg
    ):
        column = round(float(match[1]) / _CELL_W)
        rows[int(match[2])][column] = html.unescape(match[3]).replace("\xa0", " ")
    lines = []
    for row in range(max(rows) + 1):
        line = ""
        for column, text in sorted(rows[row].items()):
            line = line.ljust(column) + text
        lines.append(line.rstrip())
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in SIZES:
        for one in TABS:
            (FOLDER / name_of(each, one)).write_text(asyncio.run(drawn(each, one)), "utf-8")
    sys.stdout.write(f"written to {FOLDER}\n")
