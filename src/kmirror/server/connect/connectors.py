"""`/connectors`: what there is, made, changed and deleted (`ConnectorsResource` of Connect)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from urllib.parse import quote

from kmirror.config.hiding import without_wholes
from kmirror.config.secret import HIDDEN
from kmirror.connect.herder import Herder
from kmirror.connect.model import ConnectorInfo, JsonValue
from kmirror.errors import NotFound, RequestRefused
from kmirror.server.answers import NO_BODY, Answer
from kmirror.server.connect.bodies import (
    read_config,
    read_new_connector,
    with_name,
    without_nulls,
)
from kmirror.server.connect.shapes import (
    config_json,
    info_json,
    status_json,
    task_status_json,
    tasks_json,
)
from kmirror.server.endpoint import Call
from kmirror.server.masking import check_kept, is_hidden, restored, secrets_of

# What a path segment may have without being escaped, as in Java's `UriBuilder`.
_SEGMENT = "!$&'()*+,;=:@-._~"


class Connectors:
    """
    Reads and writes connectors.

    Args:
        herder: Has them.
    """

    def __init__(self, herder: Herder) -> None:
        self._herder = herder

    def list(self, call: Call) -> Answer:
        """`GET /connectors`, with `expand=status` and `expand=info`."""
        expands = call.parameters("expand")
        names = self._herder.connectors()
        if not expands:
            return Answer(content=list(names))
        version = self._herder.info().version
        expanded: dict[str, JsonValue] = {}
        for name in names:
            try:
                expanded[name] = self._expanded(name, expands, version)
            except NotFound:  # deleted meanwhile
                continue
        return Answer(content=expanded)

    def _expanded(self, name: str, expands: tuple[str, ...], version: str) -> JsonValue:
        found: dict[str, JsonValue] = {}
        info = self._herder.connector(name)
        if "status" in expands:
            secrets = secrets_of(info.config)
            found["status"] = status_json(self._herder.status(name), version, secrets)
        if "info" in expands:
            found["info"] = info_json(info)
        return found

    def create(self, call: Call) -> Answer:
        """`POST /connectors`."""
        new = read_new_connector(call.body)
        with _hiding(new.config):
            config = restored(without_nulls(new.config), {})
            info = self._herder.create(new.name, config, new.state, call.caller)
        return _created(info, call)

    def get(self, call: Call) -> Answer:
        """`GET /connectors/NAME`."""
        return Answer(content=info_json(self._herder.connector(call.path["connector"])))

    def config(self, call: Call) -> Answer:
        """`GET /connectors/NAME/config`."""
        return Answer(content=config_json(self._herder.connector(call.path["connector"]).config))

    def put_config(self, call: Call) -> Answer:
        """`PUT /connectors/NAME/config`."""
        name = call.path["connector"]
        sent = with_name(read_config(call.body), name)
        with _hiding(sent):
            config = without_nulls(sent)
            if HIDDEN in config.values():
                config = restored(config, _old(self._herder, name))
            info, is_new = self._herder.put_config(name, config, call.caller)
        return _created(info, call) if is_new else Answer(content=info_json(info))

    def patch_config(self, call: Call) -> Answer:
        """`PATCH /connectors/NAME/config`: null removes a setting (KIP-477)."""
        name = call.path["connector"]
        sent = read_config(call.body)
        with _hiding(sent):
            old = self._herder.connector(name).config
            check_kept(sent, old)
            changes = {key: text for key, text in sent.items() if not is_hidden(key, text, old)}
            info = self._herder.patch_config(name, changes, call.caller)
        return Answer(content=info_json(info))

    def delete(self, call: Call) -> Answer:
        """`DELETE /connectors/NAME`."""
        self._herder.delete(call.path["connector"], call.caller)
        return Answer(status=HTTPStatus.NO_CONTENT, content=NO_BODY)

    def status(self, call: Call) -> Answer:
        """`GET /connectors/NAME/status`."""
        status = self._herder.status(call.path["connector"])
        secrets = secrets_in(self._herder, status.name)
        return Answer(content=status_json(status, self._version(), secrets))

    def tasks(self, call: Call) -> Answer:
        """`GET /connectors/NAME/tasks`."""
        return Answer(content=tasks_json(self._herder.tasks(call.path["connector"])))

    def task_status(self, call: Call) -> Answer:
        """`GET /connectors/NAME/tasks/TASK/status`."""
        name, number = call.path["connector"], task_number(call)
        status = self._herder.task_status(name, number)
        secrets = secrets_in(self._herder, name)
        return Answer(content=task_status_json(number, status, self._version(), secrets))

    def _version(self) -> str:
        return self._herder.info().version


def secrets_in(herder: Herder, name: str) -> tuple[str, ...]:
    """Return what must not be in a connector's traces; nothing if there is no such connector."""
    return secrets_of(_old(herder, name))


def _old(herder: Herder, name: str) -> Mapping[str, str]:
    try:
        return herder.connector(name).config
    except NotFound:
        return {}


def _created(info: ConnectorInfo, call: Call) -> Answer:
    name = quote(info.name, safe=_SEGMENT)
    if name in (".", ".."):  # which clients would take for a way up
        name = name.replace(".", "%2E")
    location = f"{call.base}/connectors/{name}"
    return Answer(
        status=HTTPStatus.CREATED, content=info_json(info), headers={"Location": location}
    )


@contextmanager
def _hiding(sent: Mapping[str, str | None]) -> Iterator[None]:
    """Hide the secrets of what was sent in what the herder says of it."""
    try:
        yield
    except RequestRefused as refused:
        secrets = secrets_of(sent)
        if secrets:
            refused.message = without_wholes(refused.message, secrets)
            refused.hint = without_wholes(refused.hint, secrets)
        raise


def task_number(call: Call) -> int:
    """
    Return the number of a task in the path.

    Raises:
        NotFound: It is none that Java's `Integer` has.
    """
    text = call.path["task"]
    digits = text.removeprefix("-")
    if (
        digits.isascii()
        and digits.isdigit()
        and len(digits) <= 10
        and -1 << 31 <= int(text) < 1 << 31
    ):
        return int(text)
    raise NotFound("HTTP 404 Not Found")
