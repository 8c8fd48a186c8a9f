"""What somebody chooses on the console's pages: sorting, ranges, tables for programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import pytest

import kmirror
from kmirror.api.client import ApiClient
from kmirror.api.plots import PlotRange
from kmirror.events.emit import emit
from kmirror.events.table import FLOW_INCOMPLETE
from kmirror.model import Flow
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console."""
    with serving_console(tmp_path_factory.mktemp("console")) as client:
        yield client


def test_processes(served: RestClient) -> None:
    """Who serves this, with the flows it runs; what only Java has is not known without it."""
    page = served.get("/clusters").text
    assert "driver-host:7<small>driver, serves this" in page
    assert 'href="/flows/A-%3EB/slots">A-&gt;B</a> <span class="less">2 slots' in page
    (process,) = ApiClient(served.base).clusters().processes
    assert (process.version, process.heap_bytes) == (kmirror.__version__, None)


def test_a_table_is_sorted(served: RestClient) -> None:
    """By a column's head, or the choice beside the filter; the filter stays, and so in the CSV."""
    page = served.get("/flows/A-%3EB?q=topic&sort=-slot").text
    heads = re.findall(r'<th[^>]*aria-sort="descending"><a href="([^"]*)"', page)
    assert [each.replace("&amp;", "&") for each in heads] == ["?q=topic&sort=slot"]
    assert '<option value="-slot" selected>' in page
    text = served.get("/flows/A-%3EB/partitions.csv?sort=-topic").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert (rows[0]["topic"], rows[0]["partition"]) == ("topic-0001", "2")
    text = served.get("/flows/A-%3EB/topics.csv?sort=topic").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["topic"] for row in rows] == ["topic-0000", "topic-0001"]
    assert float(rows[0]["lag_records"]) > 0
    refused = served.get("/flows/A-%3EB/topics?sort=colour")
    assert refused.status == 400
    assert "expected one of topic, partitions, lag" in refused.text


def test_a_table_is_refused_as_its_page_is(served: RestClient) -> None:
    """A wrong parameter is no mistake of the console's."""
    for asked in ("partitions.csv?sort=nope", "topics.csv?sort=nope", "plots.csv?range=2h"):
        refused = served.get(f"/flows/A-%3EB/{asked}")
        assert (refused.status, refused.json["error_code"]) == (400, 400), asked
        assert "expected one of" in refused.json["message"]


def test_how_far_back_plots_go(served: RestClient) -> None:
    """A range has an address, and a key; what was before the driver began is not known."""
    page = served.get("/flows/A-%3EB/plots?range=6h").text
    assert 'href="/flows/A-%3EB/plots?range=24h" data-key="4"' in page
    assert re.search(r'range=6h" data-key="3" title="Key 3" aria-current="true"', page)
    assert "<strong>Known <time" in page
    assert "A point is of 2 min:" in page
    text = served.get("/flows/A-%3EB/plots.csv?range=6h").text
    assert text.startswith("at_ms,lag_records,lag_seconds,records_per_s")
    topic = ApiClient(served.base).topic_plots("A->B", "topic-0001")
    assert topic.points[0].lag_records == 360
    for path in ("/flows/A-%3EB/plots", "/api/v1/flows/A-%3EB/plots"):
        refused = served.get(f"{path}?range=2h")
        assert refused.status == 400
        assert "15m, 1h, 6h, 24h" in refused.text
    found = ApiClient(served.base).plots("A->B", PlotRange.SIX_HOURS)
    assert (found.range, found.step_s) == (PlotRange.SIX_HOURS, 120.0)
    assert found.since_ms is not None


def test_meanings_of_events_are_read_by_people(served: RestClient) -> None:
    """Their Markdown is for the page of events."""
    emit(FLOW_INCOMPLETE, flow=Flow("A", "B"), reason="x")
    page = served.get("/events").text
    assert "what is not mirrored (docs/operations.md)" in page
    assert "/events.csv?level=INFO" in page
    rows = list(csv.DictReader(io.StringIO(served.get("/events.csv?q=incomplete").text)))
    assert {row["name"] for row in rows} == {"flow.incomplete"}
    assert "](" not in page
    assert "`" not in served.get("/api").text
