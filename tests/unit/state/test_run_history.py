"""What a driver remembers of its run, and the page of it."""

from __future__ import annotations

import json
import logging
from itertools import pairwise

import pytest

from kmirror.clock import ManualClock
from kmirror.events.canary import CANARY_LOST
from kmirror.events.emit import Occurrence
from kmirror.events.table import FLOW_PROGRESS
from kmirror.model import Flow
from kmirror.pages.html import html
from kmirror.pages.page import Chart, Table
from kmirror.state.run_history import RunHistory, fresh_counts, percentile_s
from kmirror.state.run_page import run_page
from kmirror.state.run_record import from_json, to_json
from tests.support.synthetic_flow import running_flow

FLOW = Flow("A", "B")


def _history(*, looks: int, every_s: float = 5.0) -> RunHistory:
    clock, flow = ManualClock(1_750_000_000.0), running_flow(FLOW, topics=3, partitions=2)
    history = RunHistory(lambda: (flow,), "host:1", clock)
    for number in range(looks):
        clock.advance(every_s if number else 0)
        flow.board.update(records=100 * number, bytes=1000 * number, lag_records=7)
        history.look()
    return history


def test_a_long_run_has_no_more_samples_than_a_short_one() -> None:
    """They lie further apart, from the first to the last."""
    (short,) = _history(looks=10).record().flows
    assert len(short.samples) == 10
    (long,) = _history(looks=5000).record().flows
    assert 300 < len(long.samples) <= 720
    assert long.samples[0].records == 0
    gaps = [b.at_ms - a.at_ms for a, b in zip(long.samples, long.samples[1:], strict=False)][:-1]
    assert max(gaps) <= 4 * min(gaps)


def test_the_last_sample_is_how_the_flow_stands_now() -> None:
    """However far apart samples lie: the page's sums are those of the topics."""
    for looks in (1, 2, 719, 720, 721, 5000):
        (flow,) = _history(looks=looks).record().flows
        assert flow.samples[-1].records == 100 * (looks - 1)
        assert flow.samples[-1].at_ms == 1_750_000_000_000 + 5_000 * (looks - 1)
        assert all(a.at_ms < b.at_ms for a, b in pairwise(flow.samples))


def test_events_are_remembered_but_for_figures() -> None:
    """The newest ones, with their lines."""
    history = _history(looks=1)
    lost = {"flow": FLOW, "lost_records": 3}
    for number in range(1200):
        level = logging.WARNING if number else logging.DEBUG
        history(Occurrence(event=CANARY_LOST, level=level, fields=lost))
    history(Occurrence(event=FLOW_PROGRESS, level=logging.INFO, fields={}))
    record = history.record()
    assert (len(record.events), record.events_before) == (1000, 199)
    assert record.events[-1].text.startswith("A->B: 3 records of the canary")
    assert record.events[-1].level == "WARNING"


def test_a_run_is_read_back_from_its_json() -> None:
    """Whole; another form is refused."""
    record = _history(looks=4).record()
    told = json.loads(json.dumps(to_json(record)))
    assert from_json(told) == record
    with pytest.raises(ValueError, match="format 2"):
        from_json(told | {"format": 2})


@pytest.mark.parametrize(
    ("counts", "per_cent", "expected_s"),
    [
        ((4, 0, 0), 50, 0.0005),
        ((0, 0, 4), 50, 0.003),
        ((1, 1, 2), 100, 0.004),
        ((0, 0, 0), 50, None),
        ((), 99, None),
    ],
)
def test_percentiles_of_powers_of_two(
    counts: tuple[float, ...], per_cent: float, expected_s: float | None
) -> None:
    """Within a bucket records count as evenly spread."""
    assert percentile_s(counts, per_cent) == (
        None if expected_s is None else pytest.approx(expected_s)
    )


def test_counts_that_began_anew_are_all_fresh() -> None:
    """A flow that was started again counts from nothing."""
    assert fresh_counts((), (1, 2)) == (1, 2)
    assert fresh_counts((1, 2), (4, 2)) == [3, 0]
    assert fresh_counts((4, 2), (1, 0)) == (1, 0)
    assert fresh_counts((4, 2), ()) == ()


def test_the_page_of_a_run() -> None:
    """Flows, plots, topics and events, in one file that loads nothing."""
    history = _history(looks=4)
    fields = {"flow": FLOW, "lost_records": 3}
    history(Occurrence(event=CANARY_LOST, level=logging.WARNING, fields=fields))
    page = run_page(history.record())
    tables = {part.title: part for part in page.parts if isinstance(part, Table)}
    assert list(tables) == ["Flows", "Topics of A->B", "Events"]
    assert tables["Flows"].rows[0][:2] == ("A->B", "running")
    assert tables["Events"].bad == {0}
    charts = [part.title for part in page.parts if isinstance(part, Chart)]
    assert charts == [
        "Throughput",
        "Throughput in bytes",
        "Lag in time",
        "Lag in records",
        "Latency",
    ]
    text = html(page)
    assert text.count("data:image/svg+xml;base64,") == 2 * len(charts)
    assert "A-&gt;B" in text


def test_the_page_of_a_run_that_has_just_begun() -> None:
    """No sample is no error."""
    clock = ManualClock(1_750_000_000.0)
    empty = RunHistory(lambda: (), "host:1", clock).record()
    assert "What this run of kmirror did" in html(run_page(empty))
