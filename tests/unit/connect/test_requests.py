"""Small things that requests are made of."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pytest

from kmirror.clock import ManualClock
from kmirror.config.connector import Kind
from kmirror.connect.loggers import Loggers
from kmirror.connect.model import ConnectorOffset, ConnectorStatus, JsonValue, Status, WorkerState
from kmirror.connect.offset_requests import check_offsets, offset_of, wanted_positions
from kmirror.connect.restarts import marked
from kmirror.connect.topic_tracker import TopicTracker
from kmirror.errors import BadRequest, NotFound
from kmirror.model import TopicPartition
from kmirror.wire.connect_configs import RestartRequest

PLACE: Mapping[str, JsonValue] = {"cluster": "A", "topic": "t", "partition": 0}
GROUP: Mapping[str, JsonValue] = {"group": "g", "topic": "t", "partition": 0}
PAIR: Mapping[str, JsonValue] = {"sourceClusterAlias": "A", "targetClusterAlias": "B"}


def offset(
    partition: Mapping[str, JsonValue], value: JsonValue = 0, *, key: str = "offset"
) -> ConnectorOffset:
    return ConnectorOffset(partition=partition, offset={key: value})


@pytest.mark.parametrize(
    ("kind", "wanted", "words"),
    [
        (
            Kind.SOURCE,
            offset({"topic": "t", "partition": 0}),
            "Source partition {topic=t, partition=0} is missing the 'cluster' key, which is "
            "required",
        ),
        (
            Kind.SOURCE,
            offset({**PLACE, "topic": 3}),
            "Source partition {cluster=A, topic=3, partition=0} has an invalid value 3 for the "
            "'topic' key, which must be a string",
        ),
        (
            Kind.SOURCE,
            offset({**PLACE, "partition": None}),
            "Source partition {cluster=A, topic=t, partition=null} has an invalid value null for "
            "the 'partition' key, which must be an integer",
        ),
        (Kind.SOURCE, offset({**PLACE, "partition": 2**31}), "which must be an integer"),
        (Kind.SOURCE, offset({**PLACE, "partition": -1}), "which cannot be negative"),
        (
            Kind.SOURCE,
            offset(PLACE, key="other"),
            "Source offset {other=0} for source partition {cluster=A, topic=t, partition=0} is "
            "missing the 'offset' key, which is required",
        ),
        (Kind.SOURCE, offset(PLACE, True), "which must be an integer"),
        (Kind.SOURCE, offset(PLACE, -1), "which cannot be negative"),
        (Kind.SOURCE, offset(PLACE, 2**63 - 1), "which must be an integer"),
        (Kind.CHECKPOINT, offset(GROUP, 1), "; the only accepted value is 0"),
        (Kind.HEARTBEAT, offset({"sourceClusterAlias": "A"}), "missing the 'targetClusterAlias'"),
    ],
)
def test_offsets_are_refused_in_connects_words(
    kind: Kind, wanted: ConnectorOffset, words: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        check_offsets(kind, [wanted])
    assert words in str(refused.value)


def test_what_is_right_or_takes_garbage_away_is_taken() -> None:
    check_offsets(Kind.SOURCE, [offset(PLACE, 7), ConnectorOffset(partition={}, offset=None)])
    check_offsets(Kind.CHECKPOINT, [offset(GROUP)])
    check_offsets(Kind.HEARTBEAT, [offset(PAIR)])


def test_an_offset_is_that_of_the_last_record() -> None:
    place = TopicPartition("t", 0)
    wanted = wanted_positions(
        [
            offset_of("A", place, 8),
            ConnectorOffset(partition=PLACE, offset=None),
            ConnectorOffset(partition={"x": 1}, offset=None),
        ]
    )
    assert [(each.cluster, each.partition, each.position) for each in wanted] == [
        ("A", place, 8),
        ("A", place, None),
    ]
    assert offset_of("A", place, 8).offset == {"offset": 7}


def status(*tasks: str, connector: str = "RUNNING") -> ConnectorStatus:
    def one(state: str) -> Status:
        return Status(state=WorkerState(state), worker_id="w", trace="x" * (state == "FAILED"))

    return ConnectorStatus(
        name="c", connector=one(connector), tasks=tuple(one(each) for each in tasks)
    )


@pytest.mark.parametrize(
    ("include_tasks", "only_failed", "connector", "tasks"),
    [
        (False, False, "RESTARTING", ["RUNNING", "FAILED"]),
        (True, False, "RESTARTING", ["RESTARTING", "RESTARTING"]),
        (False, True, "RUNNING", ["RUNNING", "FAILED"]),
        (True, True, "RUNNING", ["RUNNING", "RESTARTING"]),
    ],
)
def test_what_restarts(
    include_tasks: bool, only_failed: bool, connector: str, tasks: list[str]
) -> None:
    request = RestartRequest(connector="c", only_failed=only_failed, include_tasks=include_tasks)
    found = marked(status("RUNNING", "FAILED"), request)
    assert found.connector.state.value == connector
    assert [task.state.value for task in found.tasks] == tasks
    assert all(task.trace == "" for task in found.tasks if task.state is WorkerState.RESTARTING)


def test_topics_are_those_written_to_since() -> None:
    tracker = TopicTracker()
    tracker.look("c", {"A.t": 0, "A.u": 3})
    assert tracker.topics("c") == ("A.u",)
    tracker.forget("c")
    tracker.look("c", {"A.t": 0, "A.u": 3})
    assert tracker.topics("c") == ()
    tracker.look("c", {"A.t": 1, "A.u": 2})
    assert tracker.topics("c") == ("A.t", "A.u"), "a flow that began anew counts from 0 again"
    assert tracker.topics("other") == ()


def test_levels_of_loggers() -> None:
    told: list[tuple[str, str]] = []
    loggers = Loggers(lambda name, level: told.append((name, level)), ManualClock())
    parent = logging.getLogger("kmirror.some-test")
    child = logging.getLogger("kmirror.some-test.below")
    before = (parent.level, child.level)
    try:
        names = loggers.set("kmirror.some-test", "debug")
        assert names == ("kmirror.some-test", "kmirror.some-test.below")
        assert child.level == logging.DEBUG
        found = loggers.one("kmirror.some-test")
        assert (found.level, found.last_modified_ms is None) == ("DEBUG", False)
        assert "kmirror.some-test.below" in loggers.all()
        assert loggers.one("ROOT").last_modified_ms is None
    finally:
        parent.setLevel(before[0])
        child.setLevel(before[1])
    assert loggers.set("org.apache.kafka", "TRACE") == ("org.apache.kafka",)
    assert told == [("org.apache.kafka", "TRACE")]
    assert loggers.one("org.apache.kafka").level == "TRACE"
    with pytest.raises(NotFound, match=r"Logger nobody\.has not found\."):
        loggers.one("nobody.has")
    with pytest.raises(NotFound, match="invalid log level 'LOUD'"):
        loggers.set("root", "LOUD")
