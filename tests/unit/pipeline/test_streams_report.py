"""What `io.kmirror.Streams` tells, as Python reads it."""

from __future__ import annotations

import json

from kmirror.model import ClientError
from kmirror.pipeline.streams import (
    Drops,
    StreamEvent,
    StreamFailure,
    StreamsQuery,
    StreamWait,
)

_TOLD = {
    "records": 7,
    "bytes": 70,
    "dropped": 2,
    "events": [
        {"stream": 1, "kind": "assigned", "partitions": ["t-0", "t-1"]},
        {"stream": 0, "kind": "commit_late", "error": "TimeoutException", "message": "late"},
    ],
    "drops": [{"topic": "t", "error": "RecordTooLargeException", "message": "large", "count": 2}],
    "waiting": [{"stream": 1, "topic": "t", "ms": 2500}],
    "failure": None,
    "stops": False,
    "at_rest": False,
}


class _Jvm:
    """Stands for Py4J's view of the JVM: one class with one answer."""

    def __init__(self, told: dict[str, object]) -> None:
        self.io = self.kmirror = self.Streams = self
        self._told = told

    def collect(self) -> str:
        """Give the answer."""
        return json.dumps(self._told)


def _query(told: dict[str, object]) -> StreamsQuery:
    return StreamsQuery(None, _Jvm(told))  # type: ignore[arg-type]  # nobody asks Spark here


def test_everything_is_read() -> None:
    """Counts, what happened, what was left out, and who waits."""
    report = _query(_TOLD).report()
    assert (report.records, report.bytes, report.dropped) == (7, 70, 2)
    assert report.events == (
        StreamEvent(stream=1, kind="assigned", partitions=("t-0", "t-1")),
        StreamEvent(
            stream=0,
            kind="commit_late",
            error=ClientError(name="TimeoutException", message="late"),
        ),
    )
    error = ClientError(name="RecordTooLargeException", message="large")
    assert report.drops == (Drops(topic="t", count=2, error=error),)
    assert report.waits == (StreamWait(stream=1, topic="t", s=2.5),)
    assert report.failure is None
    assert not report.is_at_rest


def test_a_failure_is_its_clients() -> None:
    """With the stream that it came to; one without words has its name."""
    failure = {"stream": 3, "error": "FencedInstanceIdException", "message": ""}
    report = _query({**_TOLD, "failure": failure, "at_rest": True}).report()
    assert report.failure == StreamFailure(
        stream=3, error=ClientError(name="FencedInstanceIdException", message="")
    )
    assert report.failure.error.words == "FencedInstanceIdException"
    assert report.is_at_rest
