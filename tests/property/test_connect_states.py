"""A worker that reads a compacted topic comes to the state of one that has followed it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.connect.config_state import ConfigFold, ConfigState
from kmirror.wire.connect_configs import (
    ConfigRecord,
    ConnectorConfig,
    ConnectorTarget,
    TaskConfig,
    TaskCount,
    TasksCommit,
)
from kmirror.wire.connect_nouns import TargetState, TaskId

names = st.sampled_from(["a", "b-0"])
numbers = st.integers(0, 2)
configs = st.fixed_dictionaries({"v": st.sampled_from(["1", "2", "3"])})
records: st.SearchStrategy[ConfigRecord] = st.one_of(
    st.builds(ConnectorConfig, connector=names, config=st.none() | configs),
    st.builds(TaskConfig, task=st.builds(TaskId, names, numbers), config=configs),
    st.builds(TasksCommit, connector=names, tasks=numbers),
    st.builds(ConnectorTarget, connector=names, state=st.none() | st.sampled_from(TargetState)),
    st.builds(TaskCount, connector=names, tasks=numbers),
)


def folded(log: Sequence[tuple[int, ConfigRecord]]) -> ConfigState:
    """Return what records say together."""
    fold = ConfigFold()
    for offset, record in log:
        fold.take(record, offset)
    return fold.state()


def compacted(log: Sequence[tuple[int, ConfigRecord]]) -> list[tuple[int, ConfigRecord]]:
    """Keep the newest record of each key."""
    newest = {record.encode()[0]: offset for offset, record in log}
    return [each for each in log if newest[each[1].encode()[0]] == each[0]]


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(records, max_size=30))
def test_compaction_takes_no_connector_away(log: list[ConfigRecord]) -> None:
    """
    Connectors are the same; of tasks at worst nothing is known, never something else.

    Unless a commit found too few of them: who reads the topic later may find those of a connector
    that had the name before. The leader, who has followed it, writes them anew.
    """
    numbered = list(enumerate(log))
    followed, read = folded(numbered), folded(compacted(numbered))
    assert followed.connectors.keys() == read.connectors.keys()
    assert followed.version == read.version
    for name, known in followed.connectors.items():
        found = read.connectors[name]
        assert (found.config, found.target) == (known.config, known.target)
        assert not (found.tasks and known.is_consistent) or found.tasks == known.tasks
