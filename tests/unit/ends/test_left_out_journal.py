"""What a copy goes on without is told in the log at once, and written when the target answers."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kmirror.clock import ManualClock
from kmirror.ends.gap_topic import GapTopic
from kmirror.ends.left_out_journal import LeftOutJournal
from kmirror.errors import ClusterUnavailable
from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import LeftOut
from kmirror.plans.parking import ParkCause, ParkCode
from kmirror.policy.poison import Poison
from kmirror.wire.gap_events import GapEvent
from tests.support.driver import A_TO_B

_PLACE = TopicPartition("t", 3)
_LARGE = ClientError(name="RecordTooLargeException", message="large")
_KEPT = LeftOut(
    cause=ParkCause(code=ParkCode.RECORD_REFUSED, offset=7, error=_LARGE),
    reason="too_large",
    end=8,
    bytes=100,
    poison=Poison.DLQ,
    letter=42,
)


class LameTopic(GapTopic):
    """Answers from the second time on."""

    def __init__(self) -> None:
        """Ask nobody."""
        self.tries = 0
        self.written: list[GapEvent] = []

    def write(self, events: Iterable[GapEvent]) -> None:
        self.tries += 1
        if self.tries == 1:
            raise ClusterUnavailable("cluster B is away")
        self.written += events


def test_what_cannot_be_written_is_written_later(caplog: pytest.LogCaptureFixture) -> None:
    """And once."""
    journal, topic = LeftOutJournal(A_TO_B, ManualClock()), LameTopic()
    journal.write(topic)
    assert topic.tries == 0
    journal.add(_PLACE, "A.t", _KEPT)
    assert "went on without t-3: offset 7" in caplog.text
    with pytest.raises(ClusterUnavailable):
        journal.write(topic)
    assert topic.written == []
    journal.write(topic)
    journal.write(topic)
    (event,) = topic.written
    assert (event.kind, event.start, event.end, event.records) == ("too_large", 7, 8, 1)
    assert (event.letter_topic, event.letter) == ("kmirror-dlq.A", 42)
    assert event.metric == "kmirror_gap_too_large_records"


def test_the_end_of_a_query_raises_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """What is left is said, and written by the next query."""
    journal, topic = LeftOutJournal(A_TO_B, ManualClock()), LameTopic()
    journal.add(_PLACE, "A.t", _KEPT)
    journal.write_last(topic)
    assert "in this log alone: cluster B is away" in caplog.text
    journal.write_last(topic)
    assert len(topic.written) == 1
