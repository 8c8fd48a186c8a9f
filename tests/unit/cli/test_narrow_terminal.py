"""What is drawn is whole at any width: nothing cut, nothing beyond the edge."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from kmirror.admin.owner_entry import OwnerEntry
from kmirror.cli.rows import Rows
from kmirror.cli.status import render
from kmirror.cli.view import FlowsView
from kmirror.inspect.overview import FlowOverview, TopicOverview
from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
from kmirror.plans.topics import TopicProblem
from kmirror.state.status import FlowState, FlowStatus, ParkedPartition, TopicStatus
from kmirror.wire.position import Owner

WIDTHS = (20, 40, 59, 60, 80, 120)
FLOW = Flow("us-west-2", "us-east-2")
LONG = "a-topic-whose-name-is-longer-than-any-column-of-a-narrow-terminal"
PARKED = ParkedPartition(
    partition=TopicPartition("orders", 0), kind="DataGap", reason="orders-0: data gap: 1 to 9"
)
COVERAGE = Coverage(
    selected=3, problems=(TopicProblem(source_topic="plain", reason="3 replicas", hint="set 1"),)
)


def drawn(what: RenderableType, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False).print(what)
    return out.getvalue()


def assert_whole(text: str, width: int, *parts: str) -> None:
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    assert "…" not in text
    found = re.sub(r"\s", "", text)
    for part in parts:
        assert re.sub(r"\s", "", part) in found, (part, text)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_live_view(width: int) -> None:
    topics = [
        TopicStatus(
            topic=name,
            partitions=24,
            lag_records=1_234_567,
            records=98_765_432,
            bytes=5_000_000_000,
            whole_records=49_382_716,
            unpacked="its timestamps are the source broker's",
        )
        for name in ("orders", LONG)
    ]
    status = FlowStatus(
        flow=FLOW,
        state=FlowState.RUNNING,
        words="copying; 1 partitions parked",
        topics=tuple(topics),
        parked=(PARKED,),
        coverage=COVERAGE,
        lag_records=2_469_134,
        caught_up_share=0.5,
    )
    text = drawn(FlowsView().render([status]), width)
    assert_whole(text, width, "us-west-2->us-east-2", "running", "copying; 1 partitions parked")
    assert_whole(text, width, "orders", LONG, "1,234,567", "98,765,432", "5.0 GB", "2,469,134")
    assert_whole(text, width, "initial catch-up", "50%", f"parked: {PARKED.reason}")
    assert_whole(text, width, "not mirrored: plain: 3 replicas (set 1)")
    # Above all numbers stay in one piece.
    assert text.count("1,234,567") == 2
    assert text.count("98,765,432") == 2


@pytest.mark.parametrize("width", WIDTHS)
def test_the_status(width: int) -> None:
    owner = Owner(driver="d", host="host-b", pid=7, started_ms=1, slots=1)
    topic = TopicOverview(
        topic=LONG,
        copy=f"us-west-2.{LONG}",
        partitions=12,
        positions=11,
        lag_records=1_234_567,
        exceptions=("record by record: its timestamps are the source broker's",),
    )
    overview = FlowOverview(
        flow=FLOW,
        owner=OwnerEntry(generation=3, owner=owner),
        granularity="whole batches",
        topics=(topic,),
        parked=(PARKED,),
        paused=(),
        coverage=COVERAGE,
    )
    text = drawn(render(overview), width)
    assert_whole(text, width, LONG, f"us-west-2.{LONG}", *topic.exceptions, "generation 3")
    assert_whole(text, width, f"parked: {PARKED.reason}", "not mirrored: plain: 3 replicas (set 1)")
    assert text.count("1,234,567") == 2  # the topic's, and the sum


def test_a_wide_terminal_has_a_table() -> None:
    topic = TopicStatus(topic="orders", partitions=1, lag_records=5, records=0, bytes=0)
    status = FlowStatus(flow=FLOW, state=FlowState.RUNNING, words="", topics=(topic,))
    lines = drawn(FlowsView().render([status]), 80).splitlines()
    assert any(re.match(r"topic +partitions +lag +copied +bytes", line) for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_name_controls_the_terminal(width: int) -> None:
    """A group may have any name."""
    text = drawn(Rows(("group", "what"), [("a\x1b[2Jb", "one\ntwo\x9b")]), width)
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "a\\x1b[2Jb" in text.replace("\n", "")
