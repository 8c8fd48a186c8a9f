"""Connectors paused, resumed, stopped and restarted; their topics and offsets."""

from __future__ import annotations

from http import HTTPStatus

from kmirror.connect.herder import Herder
from kmirror.connect.model import TargetState
from kmirror.server.answers import NO_BODY, Answer, HttpProblem
from kmirror.server.connect.bodies import read_offsets
from kmirror.server.connect.connectors import secrets_in, task_number
from kmirror.server.connect.shapes import offsets_json, status_json
from kmirror.server.endpoint import Call

_ACCEPTED = Answer(status=HTTPStatus.ACCEPTED, content=NO_BODY)
_DONE = Answer(status=HTTPStatus.NO_CONTENT, content=NO_BODY)


class Lifecycle:
    """
    What connectors are told to do.

    Args:
        herder: Has them.
        topic_tracking, topic_tracking_reset: Whether the worker tells topics, and forgets them.
    """

    def __init__(
        self, herder: Herder, *, topic_tracking: bool = True, topic_tracking_reset: bool = True
    ) -> None:
        self._herder = herder
        self._tracks = topic_tracking
        self._resets = topic_tracking_reset

    def pause(self, call: Call) -> Answer:
        """`PUT /connectors/NAME/pause`."""
        self._herder.set_state(call.path["connector"], TargetState.PAUSED, call.caller)
        return _ACCEPTED

    def resume(self, call: Call) -> Answer:
        """`PUT /connectors/NAME/resume`."""
        self._herder.set_state(call.path["connector"], TargetState.RUNNING, call.caller)
        return _ACCEPTED

    def stop(self, call: Call) -> Answer:
        """`PUT /connectors/NAME/stop`."""
        self._herder.set_state(call.path["connector"], TargetState.STOPPED, call.caller)
        return _DONE

    def restart(self, call: Call) -> Answer:
        """`POST /connectors/NAME/restart`: without a flag there is no body (KIP-745)."""
        tasks, failed = call.flag("includeTasks"), call.flag("onlyFailed")
        name = call.path["connector"]
        secrets = secrets_in(self._herder, name)
        status = self._herder.restart(name, include_tasks=tasks, only_failed=failed, by=call.caller)
        if not tasks and not failed:
            return _DONE
        content = status_json(status, self._herder.info().version, secrets)
        return Answer(status=HTTPStatus.ACCEPTED, content=content)

    def restart_task(self, call: Call) -> Answer:
        """`POST /connectors/NAME/tasks/TASK/restart`."""
        self._herder.restart_task(call.path["connector"], task_number(call), call.caller)
        return _DONE

    def topics(self, call: Call) -> Answer:
        """`GET /connectors/NAME/topics`."""
        self._check_tracking()
        name = call.path["connector"]
        return Answer(content={name: {"topics": list(self._herder.topics(name))}})

    def reset_topics(self, call: Call) -> Answer:
        """`PUT /connectors/NAME/topics/reset`."""
        self._check_tracking()
        if not self._resets:
            raise HttpProblem(HTTPStatus.FORBIDDEN, "Topic tracking reset is disabled.")
        self._herder.reset_topics(call.path["connector"], call.caller)
        return _ACCEPTED

    def offsets(self, call: Call) -> Answer:
        """`GET /connectors/NAME/offsets`."""
        return Answer(content=offsets_json(self._herder.offsets(call.path["connector"])))

    def alter_offsets(self, call: Call) -> Answer:
        """`PATCH /connectors/NAME/offsets`."""
        offsets = read_offsets(call.body)
        message = self._herder.alter_offsets(call.path["connector"], offsets, call.caller)
        return Answer(content={"message": message})

    def reset_offsets(self, call: Call) -> Answer:
        """`DELETE /connectors/NAME/offsets`."""
        message = self._herder.reset_offsets(call.path["connector"], call.caller)
        return Answer(content={"message": message})

    def _check_tracking(self) -> None:
        if not self._tracks:
            raise HttpProblem(HTTPStatus.FORBIDDEN, "Topic tracking is disabled.")
