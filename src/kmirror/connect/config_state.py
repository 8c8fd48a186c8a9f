"""
What the records of `config.storage.topic` say together: Connect's `ClusterConfigState`.

A worker that reads the topic from its beginning, after compaction, has to come to the same state as
one that has followed it. Task settings therefore wait for their commit, and a commit that finds too
few of them marks its connector as inconsistent: its leader has to write them anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.config.connector import Kind, kind_of
from kmirror.wire.connect_configs import (
    ConfigRecord,
    ConnectorConfig,
    ConnectorTarget,
    SessionKey,
    StoredConfig,
    TaskConfig,
    TaskCount,
    TasksCommit,
)
from kmirror.wire.connect_nouns import TargetState


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConnector:
    """
    A connector as its cluster knows it.

    Args:
        name: Its name.
        config: Its settings as they were posted; secrets may be in them.
        target: What it is to do.
        tasks: The settings of its tasks by number; none if they are not consistent.
        is_consistent: The last commit found the settings of all tasks.
        applied_config: The settings from which those of the tasks were made; `None` for never.
        task_generation: How often tasks were committed, since the topic is read; `None` for never.
        needs_fencing: Tasks were committed since their producers were last counted (KIP-618).
        counted_tasks: How many producers of tasks there are to fence; `None` for unknown.
    """

    name: str
    config: StoredConfig
    target: TargetState
    tasks: tuple[StoredConfig, ...] = ()
    is_consistent: bool = True
    applied_config: StoredConfig | None = None
    task_generation: int | None = None
    needs_fencing: bool = False
    counted_tasks: int | None = None

    @property
    def settings(self) -> dict[str, str]:
        """Its settings without those that are null: what flows are made of."""
        return {key: text for key, text in self.config.items() if text is not None}

    @property
    def kind(self) -> Kind | None:
        """What it is; `None` for none of MirrorMaker 2's."""
        return kind_of(self.config.get("connector.class") or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigState:
    """
    What a Connect cluster is to do.

    Args:
        version: The offset behind the last record: who has a higher one knows more; 0 for none.
        connectors: By name.
        has_session_key: Its workers sign what they ask of each other.
    """

    version: int = 0
    connectors: Mapping[str, StoredConnector] = field(default_factory=dict)
    has_session_key: bool = False

    @property
    def inconsistent(self) -> frozenset[str]:
        """Connectors whose leader has to write their tasks anew."""
        found = self.connectors.values()
        return frozenset(each.name for each in found if not each.is_consistent)


class ConfigFold:
    """Takes the topic's records one after the other, from its beginning."""

    def __init__(self) -> None:
        self._version = 0
        self._has_session_key = False
        self._configs: dict[str, StoredConfig] = {}
        self._targets: dict[str, TargetState] = {}
        self._tasks: dict[str, dict[int, StoredConfig]] = {}
        self._uncommitted: dict[str, dict[int, StoredConfig]] = {}
        self._counts: dict[str, int] = {}
        self._inconsistent: set[str] = set()
        self._applied: dict[str, StoredConfig] = {}
        self._generations: dict[str, int] = {}
        self._unfenced: set[str] = set()
        self._counted: dict[str, int] = {}
        self._state: ConfigState | None = None

    def state(self) -> ConfigState:
        """Return what the records so far say together; it does not change any more."""
        if self._state is None:
            self._state = ConfigState(
                version=self._version,
                connectors={name: self._connector(name) for name in self._configs},
                has_session_key=self._has_session_key,
            )
        return self._state

    def _connector(self, name: str) -> StoredConnector:
        is_consistent = name not in self._inconsistent
        tasks, count = self._tasks.get(name, {}), self._counts.get(name, 0)
        return StoredConnector(
            name=name,
            config=self._configs[name],
            target=self._targets[name],
            tasks=tuple(tasks[number] for number in range(count)) if is_consistent else (),
            is_consistent=is_consistent,
            applied_config=self._applied.get(name),
            task_generation=self._generations.get(name),
            needs_fencing=name in self._unfenced,
            counted_tasks=self._counted.get(name),
        )

    def skip(self, offset: int) -> None:
        """Pass over the record at *offset*, which nobody can use."""
        self._version = offset + 1
        self._state = None

    def take(self, record: ConfigRecord, offset: int) -> bool:
        """
        Let a record count.

        Args:
            record: What it says.
            offset: Where it lies.

        Returns:
            Whether a worker has to act on it now, if it was written just now.
        """
        self._version = offset + 1
        self._state = None
        match record:
            case ConnectorConfig(connector=name, config=config):
                self._take_config(name, config)
            case ConnectorTarget(connector=name, state=target):
                return self._take_target(name, target)
            case TaskConfig(task=task, config=config):
                self._uncommitted.setdefault(task.connector, {})[task.task] = config
                return False
            case TasksCommit(connector=name, tasks=count):
                return self._commit(name, count)
            case TaskCount(connector=name, tasks=count):
                self._counted[name] = count
                self._unfenced.discard(name)
                return False
            case SessionKey():
                self._has_session_key = True
            # Whoever follows the topic acts on the others; nothing of them is remembered.
        return True

    def _take_config(self, name: str, config: StoredConfig | None) -> None:
        if config is None:
            self._forget(name)
            return
        self._configs[name] = config
        self._targets.setdefault(name, TargetState.RUNNING)

    def _forget(self, name: str) -> None:
        """As Connect: what is wanted of it, and its fencing, have records of their own."""
        for known in (self._configs, self._counts, self._tasks, self._uncommitted, self._applied):
            known.pop(name, None)

    def _take_target(self, name: str, target: TargetState | None) -> bool:
        if target is None:
            self._targets.pop(name, None)
            if name in self._configs:
                self._targets[name] = TargetState.RUNNING
            return False
        is_new = self._targets.get(name) is not target
        self._targets[name] = target
        return is_new and name in self._configs

    def _commit(self, name: str, count: int) -> bool:
        if name not in self._configs:
            # It was deleted, and compaction took the record of that.
            self._forget(name)
            return False
        waiting = self._uncommitted.get(name)
        tasks = dict(waiting or {})
        if waiting is not None:
            # Settings before an incomplete commit may be older than those that are missing.
            waiting.clear()
        if len(tasks) >= count and all(number in tasks for number in range(count)):
            self._tasks.setdefault(name, {}).update(tasks)
            if waiting is not None:
                self._generations[name] = self._generations.get(name, -1) + 1
            self._inconsistent.discard(name)
            self._applied[name] = self._configs[name]
        else:
            self._inconsistent.add(name)
        self._counts[name] = count
        self._unfenced.add(name)
        return True
