"""What lanes hand in, read from their JSON."""

from __future__ import annotations

import json
import threading
from enum import Enum
from typing import Any

import pytest

from kmirror.clock import ManualClock
from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import Desk, FaultCode, LaneFault, LaneReport
from kmirror.plans.parking import CHOICES, ParkCode
from tests.support.java_enum import codes_of
from tests.support.parkings import EXAMPLES, Example

FLOW = "A->B"


class FakeJvm:
    """A JVM whose desk has these messages, once."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.io = self.kmirror = self.Desk = self
        self._messages = messages

    def collect(self) -> str:
        return json.dumps(self._messages)


def report(*, failure: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """Return what a lane with one partition writes."""
    partition = {"topic": "t", "partition": 3, "target": "A.t", "position": 5, "next_target": 6}
    counts = {"records": 1, "bytes": 2, "whole_records": 0, "unpacked": ""}
    counts |= {"copied_ms": 8, "age_ms": 1, "latency_ms": 2}
    lane = {"flow": FLOW, "slot": 0, "generation": 1, "location": "", "last_commit_ms": 9}
    failed = {} if failure is None else {"last_failure": failure}
    return {**lane, **failed, "partitions": [{**partition, **counts, **more}]}


def collected(message: dict[str, Any]) -> LaneReport | LaneFault:
    (found,) = Desk(FakeJvm(message), ManualClock()).collect(FLOW)
    return found


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.wire["code"]))
def test_a_cause_in_words(example: Example) -> None:
    """As an operator reads it; what the connector writes of each is tested with JUnit."""
    found = collected(report(parked=example.wire))
    assert isinstance(found, LaneReport)
    cause = found.partitions[0].parked
    assert cause is not None
    choices = f" ({CHOICES[cause.code]})" if cause.code in CHOICES else ""
    assert cause.reason(TopicPartition("t", 3)) == f"t-3: {example.words}{choices}"
    assert cause.offset == example.at


def test_there_is_an_example_of_each_code() -> None:
    """So the test above leaves no text out."""
    assert {example.wire["code"] for example in EXAMPLES} == {code.value for code in ParkCode}


def test_who_goes_on_has_no_cause() -> None:
    """Nor has a lane whose last transaction was committed."""
    found = collected(report())
    assert isinstance(found, LaneReport)
    assert (found.last_failure, found.partitions[0].parked) == (None, None)


@pytest.mark.parametrize(
    ("message", "words"),
    [("Expiring 1 record(s)", "TimeoutException: Expiring 1 record(s)"), ("", "TimeoutException")],
)
def test_why_a_transaction_was_lost(message: str, words: str) -> None:
    """The client's own words, with the name to look up."""
    found = collected(report(failure={"error": "TimeoutException", "message": message}))
    assert isinstance(found, LaneReport)
    assert found.last_failure == ClientError(name="TimeoutException", message=message)
    assert str(found.last_failure) == words


def test_a_lane_that_was_fenced() -> None:
    """Whoever reads it asks the target for the owner."""
    found = collected({"flow": FLOW, "generation": 4, "fault": "fenced"})
    assert found == LaneFault(flow=FLOW, generation=4, code=FaultCode.FENCED)


@pytest.mark.parametrize(
    "message",
    [report(parked={"code": "bad_weather"}), {"flow": FLOW, "generation": 4, "fault": "tired"}],
)
def test_an_unknown_code_is_an_error(message: dict[str, Any]) -> None:
    """It names the code: a connector of another version."""
    with pytest.raises(ValueError, match=r"bad_weather|tired"):
        collected(message)


@pytest.mark.parametrize("codes", [ParkCode, FaultCode])
def test_the_connector_has_the_same_codes(codes: type[Enum]) -> None:
    """One that Python does not know would end the flow; one too many is for nobody."""
    written = codes_of(f"driver/{codes.__name__}.java", codes.__name__)
    assert written == tuple(code.value for code in codes)


def test_a_jvm_that_owes_an_answer() -> None:
    """It is told from another thread than the one that waits; an answer ends it."""
    clock, waits, answers = ManualClock(), threading.Event(), threading.Event()

    class Hanging(FakeJvm):
        def collect(self) -> str:
            waits.set()
            assert answers.wait(30)
            return super().collect()

    desk = Desk(Hanging(), clock)
    asking = threading.Thread(target=desk.collect, args=(FLOW,))
    asking.start()
    try:
        assert waits.wait(30)
        clock.advance(6)
        assert desk.silence() == ""
        clock.advance(1)
        assert desk.silence() == "Spark's JVM: no answer for 7 s"
    finally:
        answers.set()
        asking.join()
    assert desk.silence() == ""
