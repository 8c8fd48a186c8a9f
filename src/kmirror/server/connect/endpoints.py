"""The table of Connect's API: each method of each path, who may call it, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPMethod

from kmirror.connect.herder import Herder
from kmirror.connect.worker_face import STARTING
from kmirror.control.caller import Role
from kmirror.server.answers import Answer
from kmirror.server.connect.connectors import Connectors
from kmirror.server.connect.lifecycle import Lifecycle
from kmirror.server.connect.worker import Worker, health_answer
from kmirror.server.endpoint import Call, Endpoint

_read = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER)
_ONE = "/connectors/{connector}"
_CONFIG = f"{_ONE}/config"
_TASK = f"{_ONE}/tasks/{{task}}"
_OFFSETS = f"{_ONE}/offsets"
_PLUGIN = "/connector-plugins/{plugin}/config"
_LOGGERS = "/admin/loggers"
_LOGGER = f"{_LOGGERS}/{{logger}}"


def connect_endpoints(
    herder: Herder,
    *,
    topic_tracking: bool = True,
    topic_tracking_reset: bool = True,
    warnings: Sequence[str] = (),
) -> tuple[Endpoint, ...]:
    """
    Return Connect's API.

    Args:
        herder: Does what is asked.
        topic_tracking, topic_tracking_reset: Whether the worker tells topics, and forgets them.
        warnings: What whoever watches the worker's health should know.
    """
    connectors, worker = Connectors(herder), Worker(herder, warnings)
    lifecycle = Lifecycle(
        herder, topic_tracking=topic_tracking, topic_tracking_reset=topic_tracking_reset
    )
    return (
        *_of_worker(worker),
        *_reads(connectors, lifecycle),
        *_writes(connectors),
        *_orders(lifecycle),
    )


def starting_endpoints(warnings: Sequence[str] = ()) -> tuple[Endpoint, ...]:
    """
    Return what can be called while there is no worker yet.

    Args:
        warnings: See `connect_endpoints`.
    """
    return (_health(lambda _: health_answer(STARTING, warnings)),)


def _health(handle: Callable[[Call], Answer]) -> Endpoint:
    return _read(
        path="/health",
        handle=handle,
        summary="Whether it can serve",
        answers={200: "Health", 500: "Health", 503: "Health"},
    )


def _of_worker(worker: Worker) -> tuple[Endpoint, ...]:
    return (
        _read(path="/", handle=worker.root, summary="What this worker is", answers={200: "Server"}),
        _health(worker.health),
        _read(
            path="/connector-plugins",
            handle=worker.plugins,
            summary="The classes that settings may name",
            answers={200: "Plugins"},
            query={"connectorsOnly": "false: converters, transforms and predicates too"},
        ),
        _read(
            path=_PLUGIN,
            handle=worker.plugin_config,
            summary="The settings of a class",
            answers={200: "Definitions"},
        ),
        Endpoint(
            method=HTTPMethod.PUT,
            path=f"{_PLUGIN}/validate",
            role=Role.OPERATOR,
            handle=worker.validate,
            summary="Settings checked, not used",
            answers={200: "Checked"},
            body="NewConfig",
        ),
        _read(
            path=_LOGGERS,
            handle=worker.loggers,
            summary="The loggers that have a level of their own",
            answers={200: "Loggers"},
            is_admin=True,
        ),
        _read(
            path=_LOGGER,
            handle=worker.logger,
            summary="What a logger writes",
            answers={200: "Logger"},
            is_admin=True,
        ),
        Endpoint(
            method=HTTPMethod.PUT,
            path=_LOGGER,
            role=Role.ADMIN,
            handle=worker.set_logger,
            summary="Have a logger and those below it write from a level on",
            answers={200: "Names", 204: None},
            body="Level",
            query={"scope": "worker, or cluster"},
            is_admin=True,
        ),
    )


def _reads(connectors: Connectors, lifecycle: Lifecycle) -> tuple[Endpoint, ...]:
    return (
        _read(
            path="/connectors",
            handle=connectors.list,
            summary="The connectors",
            answers={200: "Connectors"},
            query={"expand": "status, info, or both, each as a parameter of its own"},
        ),
        _read(
            path=_ONE,
            handle=connectors.get,
            summary="What a connector is",
            answers={200: "Connector"},
        ),
        _read(
            path=_CONFIG, handle=connectors.config, summary="Its settings", answers={200: "Config"}
        ),
        _read(
            path=f"{_ONE}/status",
            handle=connectors.status,
            summary="What it and its tasks do",
            answers={200: "Status"},
        ),
        _read(
            path=f"{_ONE}/tasks",
            handle=connectors.tasks,
            summary="Its tasks",
            answers={200: "Tasks"},
        ),
        _read(
            path=f"{_TASK}/status",
            handle=connectors.task_status,
            summary="What a task does",
            answers={200: "TaskStatus"},
        ),
        _read(
            path=f"{_ONE}/topics",
            handle=lifecycle.topics,
            summary="The topics that it has written to",
            answers={200: "Topics"},
        ),
        _read(
            path=_OFFSETS,
            handle=lifecycle.offsets,
            summary="Where it is",
            answers={200: "Offsets"},
            asks=True,
        ),
    )


def _writes(connectors: Connectors) -> tuple[Endpoint, ...]:
    write = partial(Endpoint, role=Role.ADMIN)
    return (
        write(
            method=HTTPMethod.POST,
            path="/connectors",
            handle=connectors.create,
            summary="Make a connector",
            answers={201: "Connector"},
            body="NewConnector",
        ),
        write(
            method=HTTPMethod.PUT,
            path=_CONFIG,
            handle=connectors.put_config,
            summary="Make a connector, or give it other settings",
            answers={200: "Connector", 201: "Connector"},
            body="NewConfig",
        ),
        write(
            method=HTTPMethod.PATCH,
            path=_CONFIG,
            handle=connectors.patch_config,
            summary="Change some settings; null removes one",
            answers={200: "Connector"},
            body="Changes",
        ),
        write(
            method=HTTPMethod.DELETE,
            path=_ONE,
            handle=connectors.delete,
            summary="End a connector and forget it; its offsets stay",
            answers={204: None},
        ),
    )


def _orders(lifecycle: Lifecycle) -> tuple[Endpoint, ...]:
    order = partial(Endpoint, role=Role.OPERATOR)
    put, post = HTTPMethod.PUT, HTTPMethod.POST
    return (
        order(
            method=put,
            path=f"{_ONE}/pause",
            handle=lifecycle.pause,
            summary="Pause it",
            answers={202: None},
        ),
        order(
            method=put,
            path=f"{_ONE}/resume",
            handle=lifecycle.resume,
            summary="Have it go on",
            answers={202: None},
        ),
        order(
            method=put,
            path=f"{_ONE}/stop",
            handle=lifecycle.stop,
            summary="Stop it: it has no tasks then",
            answers={204: None},
        ),
        order(
            method=post,
            path=f"{_ONE}/restart",
            handle=lifecycle.restart,
            summary="Restart it",
            answers={202: "Status", 204: None},
            query={
                "includeTasks": "true: its tasks too",
                "onlyFailed": "true: only what has failed",
            },
        ),
        order(
            method=post,
            path=f"{_TASK}/restart",
            handle=lifecycle.restart_task,
            summary="Restart a task",
            answers={204: None},
        ),
        order(
            method=put,
            path=f"{_ONE}/topics/reset",
            handle=lifecycle.reset_topics,
            summary="Forget the topics that it has written to",
            answers={202: None},
        ),
        order(
            method=HTTPMethod.PATCH,
            path=_OFFSETS,
            role=Role.ADMIN,
            handle=lifecycle.alter_offsets,
            summary="Move it; it must be stopped",
            answers={200: "Message"},
            body="NewOffsets",
        ),
        order(
            method=HTTPMethod.DELETE,
            path=_OFFSETS,
            role=Role.ADMIN,
            handle=lifecycle.reset_offsets,
            summary="Have it begin anew; it must be stopped",
            answers={200: "Message"},
        ),
    )
