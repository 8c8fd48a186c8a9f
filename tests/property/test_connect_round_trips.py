"""What is written into a Connect cluster's topics is read back, whatever it is."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.wire.connect_configs import (
    ClusterLoggerLevel,
    ConfigRecord,
    ConnectorConfig,
    ConnectorTarget,
    RestartRequest,
    SessionKey,
    TaskConfig,
    TaskCount,
    TasksCommit,
    decode_config,
)
from kmirror.wire.connect_nouns import TargetState, TaskId, WorkerState
from kmirror.wire.connect_statuses import (
    ConnectorStatusRecord,
    StatusRecord,
    StoredStatus,
    TaskStatusRecord,
    TopicStatusRecord,
    TopicUse,
    decode_status,
)
from kmirror.wire.source_offsets import SourceOffset, decode_source_offset

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = texts.filter(bool)
topics = st.from_regex(r"[a-zA-Z0-9._-]{1,20}", fullmatch=True)
ints = st.integers(0, 2**31 - 1)
longs = st.integers(0, 2**63 - 1)
configs = st.dictionaries(texts, st.none() | texts, max_size=15)
tasks = st.builds(TaskId, names, ints)
words = st.dictionaries(texts, st.none() | st.booleans() | longs | texts, max_size=15)
statuses = st.none() | st.builds(
    StoredStatus,
    state=st.sampled_from(WorkerState),
    worker_id=texts,
    generation=ints,
    trace=st.none() | texts,
    version=st.none() | texts,
)
config_records: st.SearchStrategy[ConfigRecord] = st.one_of(
    st.builds(ConnectorConfig, connector=names, config=st.none() | configs),
    st.builds(TaskConfig, task=tasks, config=configs),
    st.builds(TasksCommit, connector=names, tasks=ints),
    st.builds(ConnectorTarget, connector=names, state=st.none() | st.sampled_from(TargetState)),
    st.builds(TaskCount, connector=names, tasks=ints),
    st.builds(SessionKey, key=st.binary(max_size=40), algorithm=texts, created_ms=longs),
    st.builds(
        RestartRequest, connector=names, only_failed=st.booleans(), include_tasks=st.booleans()
    ),
    st.builds(ClusterLoggerLevel, logger=names, level=texts),
)
status_records: st.SearchStrategy[StatusRecord] = st.one_of(
    st.builds(ConnectorStatusRecord, connector=names, status=statuses),
    st.builds(TaskStatusRecord, task=tasks, status=statuses),
    st.builds(
        TopicStatusRecord,
        topic=topics,
        connector=names,
        use=st.none() | st.builds(TopicUse, task=ints, discovered_ms=longs),
    ),
)
bytes_or_none = st.none() | st.binary(max_size=100)
keys = (
    *("connector-c", "task-c-0", "commit-c", "target-state-c", "tasks-fencing-c", "session-key"),
    *("restart-connector-c", "logger-cluster-l", "status-task-c-0", "status-connector-c"),
    *("status-topic-t:connector-c", '["c",{"p":1}]'),
)
fields = st.sampled_from(["properties", "tasks", "state", "key", "topic", "level"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields, inner, max_size=3),
    max_leaves=5,
).map(lambda value: json.dumps(value).encode())


@settings(deadline=None)  # a busy machine is no failure
@given(config_records)
def test_configs(record: ConfigRecord) -> None:
    """Any name, any setting."""
    assert decode_config(*record.encode()) == record


@settings(deadline=None)  # a busy machine is no failure
@given(status_records)
def test_statuses(record: StatusRecord) -> None:
    """Any name, any trace."""
    assert decode_status(*record.encode()) == record


@settings(deadline=None)  # a busy machine is no failure
@given(st.builds(SourceOffset, connector=names, partition=words, offset=st.none() | words))
def test_offsets(record: SourceOffset) -> None:
    """Any words of any connector."""
    assert decode_source_offset(*record.encode()) == record


@settings(deadline=None)  # a busy machine is no failure
@given(bytes_or_none | st.sampled_from(keys).map(str.encode), bytes_or_none | values)
def test_garbage_never_raises(key: bytes | None, value: bytes | None) -> None:
    """Anybody may write to the topics."""
    for decode in (decode_config, decode_status, decode_source_offset):
        decode(key, value)
