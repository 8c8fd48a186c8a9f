"""What has happened reaches everybody who listens, and the log."""

from __future__ import annotations

import logging

import pytest

from kmirror.errors import ClusterUnavailable
from kmirror.events.emit import Occurrence, emit, subscribed
from kmirror.events.event import Event
from kmirror.events.table import FLOW_COPIED, FLOW_CRASHED, LIBRARY_LINE, PLAN_POSTPONED
from kmirror.model import Flow

FLOW = Flow("A", "B")


def test_who_listens_has_values_and_the_log_has_a_line(caplog: pytest.LogCaptureFixture) -> None:
    """Only as long as it listens."""
    caplog.set_level(logging.INFO)
    heard: list[Occurrence] = []
    with subscribed(heard.append):
        emit(FLOW_COPIED, flow=FLOW, records=48_000, bytes=9_600_000)
    emit(FLOW_COPIED, flow=FLOW, records=1, bytes=1)
    (occurrence,) = heard
    assert occurrence.event is FLOW_COPIED
    assert occurrence.fields == {"flow": FLOW, "records": 48_000, "bytes": 9_600_000}
    assert caplog.messages == ["A->B: copied 48,000 records, 9.6 MB", "A->B: copied 1 records, 1 B"]
    assert {record.name for record in caplog.records} == {"kmirror.events.flow.copied"}


def test_two_may_listen() -> None:
    """One that goes takes only itself away."""
    first: list[Occurrence] = []
    second: list[Occurrence] = []
    error = ClusterUnavailable("cluster B (b:1) is away")
    with subscribed(first.append):
        with subscribed(second.append):
            emit(PLAN_POSTPONED, flow=FLOW, error=error)
        emit(PLAN_POSTPONED, flow=FLOW, error=error)
    assert (len(first), len(second)) == (2, 1)
    assert first[0].fields["error"] is error


def test_the_trace_of_a_surprise_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """As text after the line, as `logging` does it."""
    error = KeyError("what")
    emit(FLOW_CRASHED, flow=FLOW, error=error, trace=error)
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("ERROR", "A->B: unexpected")
    assert record.exc_info is not None
    assert record.exc_info[1] is error


def test_a_call_with_other_fields_is_a_defect() -> None:
    """It is found where it is made, also when its line does not show the field."""
    with pytest.raises(AssertionError, match=r"flow\.copied"):
        emit(FLOW_COPIED, flow=FLOW)
    with pytest.raises(AssertionError, match="one level"):
        emit(LIBRARY_LINE, line="x", logger="y")


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        ("{x}", "a{b}c", "a{b}c"),
        ("{x}", FLOW, "A->B"),
        ("{x}", ("orders", "paid.*"), "orders, paid.*"),
        ("{x}", ClusterUnavailable("away", hint="wait"), "away (wait)"),
        ("{x:,}", 48_000, "48,000"),
        ("{x:.0f} s", 4.6, "5 s"),
        ("{x:size}/s", 1_100_000.0, "1.1 MB/s"),
        ("lag {x:or ?}", None, "lag ?"),
        ("lag {x:or ?}", 0, "lag 0"),
        ("{x:count} partitions", (3, 7), "2 partitions"),
        ("{x:are} off", ("a",), "a is off"),
        ("{x:are} off", ("a", "b"), "a and b are off"),
    ],
)
def test_how_values_are_written(text: str, value: object, line: str) -> None:
    """Whatever braces a value has, it is not a field."""
    assert (
        Event(name="a.b", level=logging.INFO, text=text, meaning="").text_for({"x": value}) == line
    )
