"""Records of a Connect cluster's three topics, byte for byte."""

from __future__ import annotations

import pytest

from kmirror.wire.connect_configs import (
    ConnectorConfig,
    ConnectorTarget,
    RestartRequest,
    SessionKey,
    TaskConfig,
    TasksCommit,
    decode_config,
    task_records,
)
from kmirror.wire.connect_json import in_java_order, written
from kmirror.wire.connect_nouns import TargetState, TaskId, Unreadable, WorkerState
from kmirror.wire.connect_statuses import (
    ConnectorStatusRecord,
    StoredStatus,
    TaskStatusRecord,
    TopicStatusRecord,
    TopicUse,
    decode_status,
)
from kmirror.wire.murmur2 import partition_for_key
from kmirror.wire.source_offsets import SourceOffset, decode_source_offset
from tests.support.connect_records import recorded

DECODERS = {
    "connect-configs": decode_config,
    "connect-status": decode_status,
    "connect-offsets": decode_source_offset,
}
PARTITIONS = {"connect-configs": 1, "connect-status": 5, "connect-offsets": 25}


@pytest.mark.parametrize("topic", DECODERS)
def test_what_a_real_worker_wrote(topic: str) -> None:
    """It is read, and written again it has the same bytes and the same partition."""
    records = recorded(topic)
    assert records
    for partition, key, value in records:
        record = DECODERS[topic](key, value)
        assert not isinstance(record, Unreadable), record
        assert record.encode() == (key, value)
        assert partition_for_key(key, PARTITIONS[topic]) == partition


def test_all_kinds_were_recorded() -> None:
    """No kind of record is compared with nothing."""
    kinds = {type(decode_config(key, value)) for _, key, value in recorded("connect-configs")}
    assert len(kinds) == 8


def test_states_have_two_words() -> None:
    """Workers before 3.5 read the first one; they know no STOPPED."""
    stopped = ConnectorTarget(connector="c", state=TargetState.STOPPED)
    assert stopped.encode() == (b"target-state-c", b'{"state":"PAUSED","state.v2":"STOPPED"}')
    for value in (b'{"state":"STARTED"}', b'{"state":"STARTED","state.v2":7}'):
        found = decode_config(b"target-state-c", value)
        assert found == ConnectorTarget(connector="c", state=TargetState.RUNNING)


def test_names_may_have_dashes() -> None:
    """The number is behind the last one."""
    key, value = TaskConfig(task=TaskId("a-b-3", 12), config={"k": None}).encode()
    assert (key, value) == (b"task-a-b-3-12", b'{"properties":{"k":null}}')
    assert decode_config(key, value) == TaskConfig(task=TaskId("a-b-3", 12), config={"k": None})


def test_tasks_are_committed_last() -> None:
    """Also when there are none any more."""
    records = task_records("c", [{"a": "1"}, {"a": "2"}])
    assert [record.encode()[0] for record in records] == [b"task-c-0", b"task-c-1", b"commit-c"]
    assert task_records("c", []) == (TasksCommit(connector="c", tasks=0),)


@pytest.mark.parametrize("value", [None, b"null"])
def test_tombstones(value: bytes | None) -> None:
    """Connect reads the JSON `null` as one, too."""
    assert decode_config(b"connector-c", value) == ConnectorConfig(connector="c", config=None)
    assert decode_config(b"target-state-c", value) == ConnectorTarget(connector="c", state=None)
    forgotten = TaskStatusRecord(task=TaskId("c", 0), status=None)
    assert decode_status(b"status-task-c-0", value) == forgotten
    of_topic = TopicStatusRecord(topic="t", connector="c", use=None)
    assert decode_status(b"status-topic-t:connector-c", value) == of_topic
    reset = SourceOffset(connector="c", partition={"p": 1}, offset=None)
    assert decode_source_offset(b'["c",{"p":1}]', value) == reset


def test_flags_that_are_none_are_not_raised() -> None:
    """As Connect takes them."""
    found = decode_config(b"restart-connector-c", b'{"only-failed":"true"}')
    assert found == RestartRequest(connector="c", only_failed=False, include_tasks=False)


def test_a_session_key_is_not_shown() -> None:
    """It is a secret."""
    key = SessionKey(key=b"secret", algorithm="HmacSHA256", created_ms=1)
    assert "secret" not in repr(key)
    assert decode_config(*key.encode()) == key


def test_older_workers_tell_no_version() -> None:
    """And none of a trace, where there is none."""
    value = b'{"state":"RUNNING","trace":null,"worker_id":"w:1","generation":3}'
    status = StoredStatus(state=WorkerState.RUNNING, worker_id="w:1", generation=3)
    found = decode_status(b"status-connector-c", value)
    assert found == ConnectorStatusRecord(connector="c", status=status)


def test_topics_of_connectors() -> None:
    """The connector's name may have anything in it."""
    use = TopicUse(task=1, discovered_ms=5)
    record = TopicStatusRecord(topic="t", connector="a:connector-b", use=use)
    assert decode_status(*record.encode()) == record


def test_java_order() -> None:
    """Java 17 gave these; the table grows when there are more than twelve."""
    twelve = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert list(in_java_order(dict.fromkeys((*twelve, "eleven")))) == [
        *("zero", "nine", "six", "four", "one", "seven"),
        *("eleven", "ten", "two", "three", "five", "eight"),
    ]
    assert list(in_java_order(dict.fromkeys((*twelve, "eleven", "twelve", "é", "😀")))) == [
        *("nine", "six", "one", "seven", "é", "two", "three", "eight"),
        *("zero", "four", "twelve", "😀", "eleven", "ten", "five"),
    ]


def test_jackson_writes_pairs_of_java_by_number() -> None:
    """And control characters by capital digits."""
    assert written('\x1f\\u001f/"é\u2028😀\x7f') == (
        rb'"\u001F\\u001f/\"' + "é\u2028".encode() + rb"\uD83D\uDE00" + b'\x7f"'
    )


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (None, b"{}", "its key names no kind of record"),
        (b"\xff\xfe", b"{}", "its key names no kind of record"),
        (b"rubbish", b"{}", "its key names no kind of record"),
        (b"connector-c", b"{", "it is no JSON"),
        (b"connector-c", b"", "it is no JSON"),
        (b"connector-c", b"[" * 100_000, "it is no JSON"),
        (b"connector-c", b"NaN", "it is no JSON"),
        (b"connector-c", b"7", "expected a JSON object, not a number of another kind"),
        (b"connector-c", b"{}", "properties: expected a JSON object, not nothing"),
        (b"connector-c", b'{"properties":{"k":1}}', "k: expected a text, not a number"),
        (b"task-c-0", None, "expected a JSON object, not nothing"),
        (b"task-c-x", b'{"properties":{}}', "its key names no task"),
        ("task-c-²".encode(), b'{"properties":{}}', "its key names no task"),
        (b"task-c-2147483648", b'{"properties":{}}', "its key names no task"),
        (b"commit-c", b'{"tasks":-1}', "tasks: expected a number from 0"),
        (b"commit-c", b'{"tasks":true}', "tasks: expected a number from 0"),
        (b"commit-c", None, "expected a JSON object, not nothing"),
        (b"target-state-c", b'{"state":"LOST"}', "expected one of STARTED, PAUSED, STOPPED"),
        (b"session-key", b'{"key":"%%","algorithm":"a","creation-timestamp":1}', "expected Base64"),
        (b"session-keys", b"{}", "its key names no kind of record"),
        (b"logger-cluster-a", b'{"level":null}', "level: expected a text, not nothing"),
    ],
)
def test_damaged_configs(key: bytes | None, value: bytes | None, reason: str) -> None:
    """Anybody may write to the topic; what is wrong is told without the value, a secret perhaps."""
    found = decode_config(key, value)
    assert isinstance(found, Unreadable)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, None),
        (b"status-task-c", b"{}"),
        (b"status-connector-", b"{}"),
        (b"status-connector-c", b"[]"),
        (b"status-connector-c", b'{"state":"LOST","worker_id":"w","generation":1}'),
        (b"status-connector-c", b'{"state":"RUNNING","worker_id":"w","generation":"1"}'),
        (b"status-topic-t", b"{}"),
        (b"status-topic-:connector-c", b"{}"),
        (b"status-topic-t:connector-", None),
        (b"status-topic-t:connector-c", b'{"topic":null}'),
    ],
)
def test_damaged_statuses(key: bytes | None, value: bytes | None) -> None:
    """None of these is taken for something else."""
    assert isinstance(decode_status(key, value), Unreadable)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b"{}"),
        (b"{}", b"{}"),
        (b'["c"]', b"{}"),
        (b'["c",null]', b"{}"),
        (b'[1,{"p":1}]', b"{}"),
        (b'["c",{"p":1}]', b"7"),
        (b'["c",{"p":1}]', b"\xff"),
    ],
)
def test_damaged_offsets(key: bytes | None, value: bytes | None) -> None:
    """A damaged value is no reset."""
    assert isinstance(decode_source_offset(key, value), Unreadable)
