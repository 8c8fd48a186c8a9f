"""The worker itself, the plugins it knows, and its loggers."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from kmirror.connect.herder import Herder
from kmirror.connect.model import Health
from kmirror.errors import BadRequest, NotFound
from kmirror.server.answers import NO_BODY, Answer
from kmirror.server.connect.bodies import read_config, without_nulls
from kmirror.server.connect.shapes import (
    checked_json,
    definition_json,
    logger_json,
    plugins_json,
)
from kmirror.server.endpoint import Call
from kmirror.server.masking import secrets_of

_HEALTH = {
    "healthy": HTTPStatus.OK,
    "starting": HTTPStatus.SERVICE_UNAVAILABLE,
    "unhealthy": HTTPStatus.INTERNAL_SERVER_ERROR,
}
_ALIAS_SUFFIX = "Connector"
# Log4j's.
_LEVELS = ("OFF", "FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE", "ALL")


class Worker:
    """
    Answers for the worker.

    Args:
        herder: It.
        warnings: What whoever watches the worker's health should know.
    """

    def __init__(self, herder: Herder, warnings: Sequence[str] = ()) -> None:
        self._herder = herder
        self._warnings = warnings

    def root(self, _: Call) -> Answer:
        """`GET /`."""
        info = self._herder.info()
        content = {
            "version": info.version,
            "commit": info.commit,
            "kafka_cluster_id": info.kafka_cluster_id,
        }
        return Answer(content=content)

    def health(self, _: Call) -> Answer:
        """`GET /health` (KIP-1017)."""
        return health_answer(self._herder.health(), self._warnings)

    def plugins(self, call: Call) -> Answer:
        """`GET /connector-plugins`."""
        only = call.flag("connectorsOnly", default=True)
        return Answer(content=plugins_json(self._herder.plugins(connectors_only=only)))

    def plugin_config(self, call: Call) -> Answer:
        """`GET /connector-plugins/PLUGIN/config`."""
        found = self._herder.plugin_config(call.path["plugin"])
        return Answer(content=[definition_json(each) for each in found])

    def validate(self, call: Call) -> Answer:
        """`PUT /connector-plugins/PLUGIN/config/validate`: errors are in the answer, with 200."""
        plugin = call.path["plugin"]
        sent = read_config(call.body)
        included = sent.get("connector.class")
        if included is None:
            names = ", ".join(sent)
            raise BadRequest(f"Connector config {{{names}}} contains no connector type")
        if not _normalized(included).endswith(_normalized(plugin)):
            raise BadRequest(
                f"Included connector type {included} does not match request type {plugin}"
            )
        checked = self._herder.validate(plugin, without_nulls(sent))
        return Answer(content=checked_json(checked, secrets_of(sent)))

    def loggers(self, _: Call) -> Answer:
        """`GET /admin/loggers`."""
        found = sorted(self._herder.loggers().items())
        return Answer(content={name: logger_json(level) for name, level in found})

    def logger(self, call: Call) -> Answer:
        """`GET /admin/loggers/LOGGER`."""
        return Answer(content=logger_json(self._herder.logger(call.path["logger"])))

    def set_logger(self, call: Call) -> Answer:
        """`PUT /admin/loggers/LOGGER`, of this worker or, with `scope=cluster`, of all."""
        level = read_config(call.body).get("level")
        if level is None:
            raise BadRequest("Desired 'level' parameter was not specified in request.")
        if level.upper() not in _LEVELS:
            raise NotFound(f"invalid log level '{level}'.")
        scopes = call.parameters("scope")
        everywhere = bool(scopes) and scopes[0].lower() == "cluster"
        names = self._herder.set_logger(
            call.path["logger"], level.upper(), everywhere=everywhere, by=call.caller
        )
        if everywhere:
            return Answer(status=HTTPStatus.NO_CONTENT, content=NO_BODY)
        return Answer(content=list(names))


def health_answer(health: Health, warnings: Sequence[str] = ()) -> Answer:
    """
    Answer `GET /health`.

    Args:
        health: Whether the worker can serve.
        warnings: What whoever watches it should know; part of the message.
    """
    message = "\n".join((health.message, *(f"Warning: {each}" for each in warnings)))
    content = {"status": health.status, "message": message}
    return Answer(status=_HEALTH[health.status], content=content)


def _normalized(plugin: str) -> str:
    """Return a class's name without what its alias leaves out."""
    has_suffix = plugin.endswith(_ALIAS_SUFFIX) and len(plugin) > len(_ALIAS_SUFFIX)
    return plugin.removesuffix(_ALIAS_SUFFIX) if has_suffix else plugin
