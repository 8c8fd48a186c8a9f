"""How a flow was, as drawings."""

from __future__ import annotations

from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.api.client import ApiClient
from kmirror.api.plots import PlotList, PlotPoint, PlotRange
from kmirror.clock import SystemClock
from kmirror.console import live
from kmirror.server.console.plots import drawings
from kmirror.server.console.words import UNKNOWN
from tests.support.console_server import FILE, serving_console
from tests.support.rest_server import RestClient


def test_plots_of_a_young_driver() -> None:
    """They are as long as was asked for: what nobody has seen is empty, and no curve is pulled."""
    points = tuple(
        PlotPoint(at_ms=1000 * at, lag_records=at - 86_000, latency_p50_s=0.01, latency_p99_s=0.04)
        for at in (86_000, 86_200, 86_400)
    )
    span = PlotRange.DAY
    found = PlotList(
        flow="A->B",
        range=span,
        step_s=span.step_s,
        from_ms=0,
        to_ms=86_400_000,
        since_ms=1,
        points=points,
    )
    lag, _, _, rate, latency, *_ = drawings(found)
    (stroke,) = lag.lines[0].line.strokes
    assert stroke == "M597.2 119.0 L598.6 60.0 L600.0 1.0"
    assert (lag.top, lag.lines[0].last) == ("400", "400")
    assert not rate.is_drawn
    assert (lag.kind, rate.kind, latency.kind) == ("count", "rate", "time")
    assert latency.points.startswith("[[86000000,0.01,null,0.04],")
    # By one scale: where one line is a quarter of the other, it is drawn so.
    assert [(each.name, each.last) for each in latency.lines] == [
        ("50 %", "10 ms"),
        ("95 %", UNKNOWN),
        ("99 %", "40 ms"),
    ]
    assert latency.lines[0].line.strokes[0].endswith("600.0 89.5")


def test_a_driver_that_was_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its plots go on where they were, if its file says where they are kept."""
    monkeypatch.setattr(live, "SAMPLE_S", 0.05)
    file = f"{FILE}kmirror.console.history.file = {tmp_path / 'history.db'}\n"

    def first_ms(client: RestClient) -> int | None:
        points = ApiClient(client.base).plots("A->B", PlotRange.QUARTER).points
        return points[0].at_ms if points else None

    with serving_console(tmp_path, file=file) as client:
        wait_until(lambda: first_ms(client), "a point", timeout_s=30, pause_s=0.1)
    stopped_ms = SystemClock().wall_ms()
    with serving_console(tmp_path, file=file) as client:
        wait_until(
            lambda: (first_ms(client) or stopped_ms) < stopped_ms, "read", timeout_s=30, pause_s=0.1
        )
        page = client.get("/flows/A-%3EB/plots").text
    assert "keeps plots over a restart" not in page
