"""The state that records of `config.storage.topic` make together."""

from __future__ import annotations

from kmirror.connect.config_state import ConfigFold, ConfigState
from kmirror.wire.connect_configs import (
    ConfigRecord,
    ConnectorConfig,
    ConnectorTarget,
    RestartRequest,
    SessionKey,
    TaskConfig,
    TaskCount,
    TasksCommit,
    decode_config,
    task_records,
)
from kmirror.wire.connect_nouns import TargetState, TaskId, Unreadable
from tests.support.connect_records import recorded, said

CREATED = ConnectorConfig(connector="c", config={"name": "c"})
DELETED = ConnectorConfig(connector="c", config=None)


def folded(*records: ConfigRecord) -> ConfigState:
    """Return what records say together."""
    fold = ConfigFold()
    for offset, record in enumerate(records):
        fold.take(record, offset)
    return fold.state()


def task(number: int, value: str) -> TaskConfig:
    """Return the settings of a task."""
    return TaskConfig(task=TaskId("c", number), config={"v": value})


def commit(tasks: int) -> TasksCommit:
    """Return a commit."""
    return TasksCommit(connector="c", tasks=tasks)


def test_it_is_what_the_real_worker_said() -> None:
    """Connectors, their settings, their states and their tasks."""
    records = [decode_config(key, value) for _, key, value in recorded("connect-configs")]
    state = folded(*(record for record in records if not isinstance(record, Unreadable)))
    answers = said()["expand"]
    assert state.connectors.keys() == answers.keys()
    for name, answer in answers.items():
        connector = state.connectors[name]
        assert connector.config == answer["info"]["config"]
        assert [each["task"] for each in answer["info"]["tasks"]] == list(
            range(len(connector.tasks))
        )
        assert connector.target == answer["status"]["connector"]["state"]
    assert state.has_session_key
    assert not state.inconsistent
    assert state.version == len(records)


def test_tasks_wait_for_their_commit() -> None:
    """All of them change at once."""
    records: list[ConfigRecord] = [CREATED, *task_records("c", [{"v": "1"}, {"v": "1"}])]
    records.append(task(0, "2"))
    assert folded(*records).connectors["c"].tasks == ({"v": "1"}, {"v": "1"})
    records += [task(1, "2"), commit(2)]
    assert folded(*records).connectors["c"].tasks == ({"v": "2"}, {"v": "2"})
    records += [task(0, "3"), commit(1)]
    assert folded(*records).connectors["c"].tasks == ({"v": "3"},)


def test_a_commit_without_its_tasks_is_inconsistent() -> None:
    """Compaction took one of them, since it was written again; the next whole commit heals it."""
    records: list[ConfigRecord] = [CREATED, task(1, "1"), commit(2), task(0, "2")]
    state = folded(*records)
    assert state.inconsistent == {"c"}
    assert state.connectors["c"].tasks == ()
    # What lay before the commit does not count for the next one.
    assert folded(*records, commit(2)).inconsistent == {"c"}
    healed = folded(*records, task(1, "2"), commit(2))
    assert not healed.inconsistent
    assert healed.connectors["c"].tasks == ({"v": "2"}, {"v": "2"})


def test_more_tasks_than_committed_are_no_damage() -> None:
    """Compaction left one of an earlier, larger set."""
    state = folded(CREATED, task(1, "1"), task(0, "2"), commit(1))
    assert state.connectors["c"].tasks == ({"v": "2"},)


def test_a_damaged_commit_costs_no_memory() -> None:
    """Whatever number it names."""
    assert folded(CREATED, task(0, "1"), commit(2**31 - 1)).inconsistent == {"c"}


def test_a_deleted_connector_leaves_nothing() -> None:
    """Commits behind that are passed over, and its name can be used again."""
    records = [CREATED, *task_records("c", [{"v": "1"}]), DELETED, task(0, "2"), commit(1)]
    assert folded(*records).connectors == {}
    again = folded(*records, CREATED).connectors["c"]
    assert again.tasks == ()
    assert again.target is TargetState.RUNNING


def test_a_state_may_be_wanted_before_there_is_a_connector() -> None:
    """`initial_state` is written first; nobody has to act on it."""
    fold = ConfigFold()
    paused = ConnectorTarget(connector="c", state=TargetState.PAUSED)
    assert not fold.take(paused, 0)
    assert fold.state().connectors == {}
    assert fold.take(CREATED, 1)
    assert fold.state().connectors["c"].target is TargetState.PAUSED
    assert not fold.take(paused, 2)
    forgotten = ConnectorTarget(connector="c", state=None)
    assert not fold.take(forgotten, 3)
    assert fold.state().connectors["c"].target is TargetState.RUNNING


def test_fencing() -> None:
    """Tasks that were committed behind the last count need a new one (KIP-618)."""
    records = [CREATED, *task_records("c", [{"v": "1"}])]
    assert folded(*records).connectors["c"].needs_fencing
    counted = folded(*records, TaskCount(connector="c", tasks=1)).connectors["c"]
    assert (counted.needs_fencing, counted.counted_tasks) == (False, 1)
    again = [*records, TaskCount(connector="c", tasks=1), *task_records("c", [{"v": "2"}])]
    assert folded(*again).connectors["c"].needs_fencing
    assert folded(*again).connectors["c"].task_generation == 1


def test_tasks_are_of_the_settings_that_there_were() -> None:
    """Newer settings count for tasks when these are committed anew."""
    newer = ConnectorConfig(connector="c", config={"name": "c", "topics": "t"})
    state = folded(CREATED, *task_records("c", []), newer)
    assert state.connectors["c"].applied_config == {"name": "c"}
    assert state.connectors["c"].config == newer.config


def test_requests_are_acted_on_and_forgotten() -> None:
    """They belong to the moment."""
    fold = ConfigFold()
    assert fold.take(RestartRequest(connector="c", only_failed=True, include_tasks=True), 0)
    assert fold.state() == ConfigState(version=1)
    assert fold.take(SessionKey(key=b"k", algorithm="a", created_ms=1), 1)
    assert fold.state().has_session_key


def test_a_state_does_not_change() -> None:
    """Whoever has one may look at it for as long as he likes."""
    fold = ConfigFold()
    fold.take(CREATED, 0)
    before = fold.state()
    assert fold.state() is before
    fold.take(DELETED, 1)
    fold.skip(2)
    assert before.connectors.keys() == {"c"}
    assert fold.state() == ConfigState(version=3)
