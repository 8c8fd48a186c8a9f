"""What the live view and `kmirror status` say of a flow's lag, its SLO and its slots."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from rich.console import Console

from kmirror.cli.status import render
from kmirror.cli.view import FlowsView
from kmirror.inspect.overview import FlowOverview
from kmirror.inspect.standing import Standing
from kmirror.model import Flow
from kmirror.plans.coverage import Coverage
from kmirror.policy.lag_verdicts import FlowJudgement, SloVerdict
from kmirror.state.told import told
from tests.support.synthetic_flow import NOW_MS, running_flow, with_troubles

AB = Flow("A", "B")
SLOT = "slot 0: 70% of the time waiting for the target; a quota of the target holds it back"


def text_of(picture: object) -> str:
    console = Console(width=160, file=StringIO())
    with console.capture() as captured:
        console.print(picture)
    return captured.get()


def test_the_live_view() -> None:
    """The lag in time with its trend, the verdict in words, and what holds each slot up."""
    flow = running_flow(AB, topics=1, partitions=2, lag=1000)
    text = text_of(FlowsView().render([flow.board.status], {AB: flow.bottlenecks()}))
    assert SLOT in text
    assert ", growing   last commit" in text
    assert any(f"{verdict.value}: " in text for verdict in SloVerdict)


def test_a_flow_that_does_not_run_is_broken() -> None:
    flow = with_troubles(running_flow(AB, topics=1, partitions=2))
    text = text_of(FlowsView().render([flow.board.status]))
    assert "BROKEN: cluster B (b:9092): no answer" in text


def test_kmirror_status() -> None:
    """The driver's own words come first; without it the clusters' are shown."""
    judgement = FlowJudgement(verdict=SloVerdict.BEHIND, words="31 s behind, and 30 s are wanted")
    overview = FlowOverview(
        flow=AB,
        owner=None,
        granularity="whole batches",
        topics=(),
        parked=(),
        paused=(),
        coverage=Coverage(selected=0),
        standing=Standing(lag_seconds=31.0, sign_age_seconds=1.0, judgement=judgement),
    )
    assert "BEHIND: 31 s behind, and 30 s are wanted" in text_of(render(overview))
    flow = running_flow(AB, topics=1, partitions=2, lag=1000)
    text = text_of(render(overview, told(flow, NOW_MS)))
    assert "BEHIND: 31 s" not in text
    assert "and growing" in text
    assert SLOT in text
    assert text_of(render(replace(overview, standing=None))).startswith("A->B")
