"""What every Connect worker does with requests, wherever its connectors are kept."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence

from kmirror.config.connector import Kind
from kmirror.config.connectors import refusal
from kmirror.connect.brought import brought_by
from kmirror.connect.config_state import ConfigState, StoredConnector
from kmirror.connect.model import (
    ConnectorInfo,
    ConnectorOffset,
    ConnectorStatus,
    Health,
    Status,
    TargetState,
    TaskId,
    TaskInfo,
    WorkerState,
)
from kmirror.connect.plan import Plan, make_plan
from kmirror.connect.reporter import Reporter
from kmirror.connect.restarts import marked
from kmirror.connect.validation import errors_of, validate
from kmirror.connect.worker_face import HerderParts, WorkerFace
from kmirror.control.caller import Caller, Role
from kmirror.errors import AlreadyExists, BadRequest, NotFound, RebalanceNeeded
from kmirror.model import Flow
from kmirror.wire.connect_configs import (
    ConfigRecord,
    ConnectorConfig,
    ConnectorTarget,
    RestartRequest,
    task_records,
)

Change = Callable[[ConfigState], Sequence[ConfigRecord]]
TRACKING_INTERVAL_S = 2.0
_STOPPED_S_MAX = 15.0
_POLL_S = 0.05
_WHOLE_FILE = "clusters"
_NOT_STOPPED = (
    "Connectors must be in the STOPPED state before their offsets can be modified. This can be "
    "done for the specified connector by issuing a 'PUT' request to the '/connectors/{name}/stop' "
    "endpoint"
)


class AbstractHerder(WorkerFace, ABC):
    """
    A `Herder` without its memory; the name is Connect's.

    Args:
        parts: What it works with.
    """

    def __init__(self, parts: HerderParts) -> None:
        super().__init__(parts)
        self._worker = parts.worker
        self._worker_id = parts.worker_id
        self._offsets = parts.offsets
        self._clock = parts.clock
        self._reporter = Reporter(parts.worker, parts.worker_id)
        self._plan = Plan()
        self._planned: ConfigState | None = None
        self._planning = threading.Lock()

    @abstractmethod
    def _state(self) -> ConfigState:
        """Return what is to be done, by all that is known here."""

    @abstractmethod
    def _edit(self, change: Change) -> None:
        """
        Write what *change* returns, which is given what is to be done now: nobody writes between.
        """

    def plan(self) -> Plan:
        """Return what the connectors come to now."""
        with self._planning:
            state = self._state()
            if self._planned is not state:
                self._plan = make_plan(state.connectors, self._config)
                self._planned = state
            return self._plan

    @abstractmethod
    def owner(self, flow: Flow) -> str:
        """Return the other worker that has a flow; empty where none does, as far as is known."""

    @abstractmethod
    def health(self) -> Health:
        """Return whether it can serve."""

    def connectors(self) -> tuple[str, ...]:
        """Return the connectors' names."""
        return tuple(self._state().connectors)

    def connector(self, name: str) -> ConnectorInfo:
        """Return what a connector is."""
        return self._info(self.plan(), name)

    def status(self, name: str) -> ConnectorStatus:
        """Return what a connector and its tasks do."""
        found = self._found(name)
        if found is None:
            raise NotFound(f"No status found for connector {name}")
        return found

    @abstractmethod
    def _found(self, name: str) -> ConnectorStatus | None:
        """Return what a connector and its tasks do; `None` where there is none."""

    def tasks(self, name: str) -> tuple[TaskInfo, ...]:
        """Return a connector's tasks."""
        plan = self.plan()
        self._require(plan.connectors, name)
        return self._reporter.tasks(plan, name)

    def task_status(self, name: str, task: int) -> Status:
        """Return what one task does."""
        found = self._found(name)
        if found is None or not 0 <= task < len(found.tasks):
            raise NotFound(f"No status found for task {name}-{task}")
        return found.tasks[task]

    def create(
        self, name: str, config: Mapping[str, str], state: TargetState, by: Caller
    ) -> ConnectorInfo:
        """Make a connector."""
        by.require(Role.ADMIN, f"create connector {name}")
        settings = {"name": name, **config}

        def change(known: ConfigState) -> Sequence[ConfigRecord]:
            self._check(known, name, settings)
            if name in known.connectors:
                raise AlreadyExists(f"Connector {name} already exists")
            return (
                # First what is wanted: nobody may start what is to be stopped.
                ConnectorTarget(connector=name, state=state),
                ConnectorConfig(connector=name, config=settings),
            )

        self._edit(change)
        return self.connector(name)

    def put_config(
        self, name: str, config: Mapping[str, str], by: Caller
    ) -> tuple[ConnectorInfo, bool]:
        """Give a connector these settings; tells whether it was made by that."""
        by.require(Role.ADMIN, f"configure connector {name}")
        settings = {"name": name, **config}
        was_there = False

        def change(known: ConfigState) -> Sequence[ConfigRecord]:
            nonlocal was_there
            self._check(known, name, settings)
            was_there = name in known.connectors
            return (ConnectorConfig(connector=name, config=settings),)

        self._edit(change)
        return self.connector(name), not was_there

    def patch_config(
        self, name: str, changes: Mapping[str, str | None], by: Caller
    ) -> ConnectorInfo:
        """Change some settings of a connector; `None` removes one (KIP-477)."""
        by.require(Role.ADMIN, f"configure connector {name}")

        def change(known: ConfigState) -> Sequence[ConfigRecord]:
            before = self._require(known.connectors, name).config
            merged = {
                key: value for key, value in {**before, **changes}.items() if value is not None
            }
            self._check(known, name, merged)
            return (ConnectorConfig(connector=name, config=merged),)

        self._edit(change)
        return self.connector(name)

    def set_state(self, name: str, state: TargetState, by: Caller) -> None:
        """Pause, resume or stop a connector; it does so soon after."""
        by.require(Role.OPERATOR, f"set connector {name} to {state.value}")

        def change(known: ConfigState) -> Sequence[ConfigRecord]:
            if name not in known.connectors:
                raise NotFound(f"Unknown connector {name}")
            wanted = ConnectorTarget(connector=name, state=state)
            if state is TargetState.STOPPED:
                # As in Connect: whoever takes it over starts no tasks that are left of it.
                return (*task_records(name, ()), wanted)
            return (wanted,)

        self._edit(change)

    def restart(
        self, name: str, *, include_tasks: bool, only_failed: bool, by: Caller
    ) -> ConnectorStatus:
        """Restart a connector, and perhaps its tasks (KIP-745); gives what restarts."""
        by.require(Role.OPERATOR, f"restart connector {name}")
        found = self._found(name)
        if found is None:
            raise NotFound(f"Unknown connector: {name}")
        request = RestartRequest(
            connector=name, only_failed=only_failed, include_tasks=include_tasks
        )
        self._request_restart(request)
        return marked(found, request)

    @abstractmethod
    def _request_restart(self, request: RestartRequest) -> None:
        """Have the workers that have a connector restart it."""

    def restart_task(self, name: str, task: int, by: Caller) -> None:
        """Restart one task."""
        by.require(Role.OPERATOR, f"restart task {name}-{task}")
        found = self._found(name)
        if found is None:
            raise NotFound(f"Unknown connector: {name}")
        if not 0 <= task < len(found.tasks):
            raise NotFound(f"Unknown task: {name}-{task}")
        failed = found.tasks[task].state is WorkerState.FAILED
        self._request_restart(
            RestartRequest(connector=name, only_failed=failed, include_tasks=True)
        )

    def restart_here(self, request: RestartRequest) -> None:
        """Restart what this worker has of a connector."""
        plan = self.plan()
        if request.connector not in plan.connectors:
            return
        status = self._reporter.status(plan, request.connector)
        after = marked(status, request)
        everything = after.tasks and all(
            each.state is WorkerState.RESTARTING for each in (after.connector, *after.tasks)
        )
        for each in plan.of(request.connector):
            if plan.kind(request.connector) is Kind.HEARTBEAT:
                self._worker.restart_beats(each.flow)
            elif everything and not request.only_failed:
                self._worker.restart(each.flow)
            elif after != status:
                self._worker.retry(each.flow)

    def delete(self, name: str, by: Caller) -> None:
        """End a connector and forget it; its offsets stay."""
        by.require(Role.ADMIN, f"delete connector {name}")

        def change(known: ConfigState) -> Sequence[ConfigRecord]:
            self._require(known.connectors, name)
            return (
                ConnectorConfig(connector=name, config=None),
                ConnectorTarget(connector=name, state=None),
            )

        self._edit(change)

    @abstractmethod
    def topics(self, name: str) -> tuple[str, ...]:
        """Return which topics a connector has written to since they were last forgotten."""

    def reset_topics(self, name: str, by: Caller) -> None:
        """Forget which topics a connector has written to."""
        by.require(Role.OPERATOR, f"reset the topics of connector {name}")
        self._forget_topics(name)

    @abstractmethod
    def _forget_topics(self, name: str) -> None:
        """Track them anew."""

    def offsets(self, name: str) -> tuple[ConnectorOffset, ...]:
        """Return where a connector is."""
        return self._offsets.read(self._require(self._state().connectors, name))

    def alter_offsets(self, name: str, offsets: tuple[ConnectorOffset, ...], by: Caller) -> str:
        """Move a stopped connector; gives Connect's message (KIP-875)."""
        by.require(Role.ADMIN, f"alter the offsets of connector {name}")
        if not offsets:
            raise BadRequest(
                "Partitions / offsets need to be provided for an alter offsets request"
            )
        self._offsets.alter(self._stopped(name), offsets, by)
        return "The offsets for this connector have been altered successfully"

    def reset_offsets(self, name: str, by: Caller) -> str:
        """Have a stopped connector begin anew; gives Connect's message (KIP-875)."""
        by.require(Role.ADMIN, f"reset the offsets of connector {name}")
        self._offsets.reset(self._stopped(name), by)
        return "The offsets for this connector have been reset successfully"

    def _track_offsets(self) -> None:
        """
        Note what connectors that run here have written of.

        Raises:
            ClusterError: It was not, or not wholly; the next time does.
        """
        plan = self.plan()
        self._offsets.track(self._reporter.subjects(plan, plan.connectors))

    def _check(self, known: ConfigState, name: str, config: Mapping[str, str]) -> None:
        """
        Refuse settings that are wrong, or that other connectors leave no place for.

        Raises:
            BadRequest: They are; in Connect's words.
        """
        others = {other: each.settings for other, each in known.connectors.items() if other != name}
        if _WHOLE_FILE in config:
            # MirrorMaker 2 refuses a driver's file; here it is all its flows.
            problems = refusal(others, name, config, self._config)
            brought = brought_by(config, self._config.references)
            errors = tuple(
                brought.hidden(f"{each.key}: {each.expected}", each.key) for each in problems
            )
        else:
            kind = config.get("connector.class", "")
            errors = errors_of(validate(kind, config, self._config, others))
        if errors:
            said = "\n".join(errors)
            raise BadRequest(
                "Connector configuration is invalid and contains the following "
                f"{len(errors)} error(s):\n{said}\nYou can also find the above list of errors at "
                "the endpoint `/connector-plugins/{connectorType}/config/validate`"
            )

    def _stopped(self, name: str) -> StoredConnector:
        """Return a connector that is STOPPED, once nothing of it runs here."""
        connector = self._require(self._state().connectors, name)
        if connector.target is not TargetState.STOPPED:
            raise BadRequest(_NOT_STOPPED.format(name=name))
        flows = self._offsets.flows(connector)
        deadline_s, never = self._clock.monotonic_s() + _STOPPED_S_MAX, threading.Event()
        while self._run_anywhere(flows):
            if self._clock.monotonic_s() >= deadline_s:
                raise RebalanceNeeded(f"connector {name} has not come to its end yet")
            self._clock.wait(never, _POLL_S)
        return connector

    @abstractmethod
    def _run_anywhere(self, flows: Collection[Flow]) -> bool:
        """Tell whether any of *flows* has not come to its end yet."""

    def _info(self, plan: Plan, name: str) -> ConnectorInfo:
        connector = self._require(plan.connectors, name)
        found = self._found(name)
        count = 0 if found is None else len(found.tasks)
        return ConnectorInfo(
            name=name,
            config=connector.settings,
            tasks=tuple(TaskId(name, number) for number in range(count)),
        )

    @staticmethod
    def _require(connectors: Mapping[str, StoredConnector], name: str) -> StoredConnector:
        found = connectors.get(name)
        if found is None:
            raise NotFound(f"Connector {name} not found")
        return found
