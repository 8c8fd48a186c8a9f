"""
Requests that a Connect worker and ours are both asked, one after the other, and what is compared.

Connectors are stopped or paused, so no flow runs. A name says what a request is about; the table in
docs/connect-rest.md lists those that are answered differently, by the first part of their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

CLASS = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
_OF_CLASS = f"/connector-plugins/{CLASS}/config"
_VALIDATE = "/connector-plugins/MirrorSourceConnector/config/validate"
_JSON = {"Content-Type": "application/json"}
_ONE = "/connectors/one"
_CONFIG = f"{_ONE}/config"
_OFFSETS = f"{_ONE}/offsets"
_PARTITION = {"cluster": "A", "topic": "t", "partition": 0}


class Depth(Enum):
    """How much of an answer is compared."""

    ALL = auto()
    SHAPE = auto()
    STATUS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class RestCall:
    """
    A request.

    Args:
        name: What it is about.
        method, path: As they are sent.
        body: Text as it is; anything else as JSON; `None` for none.
        headers: Instead of the usual ones.
        depth: How much of the answer is compared.
    """

    name: str
    method: str
    path: str
    body: object = None
    headers: Mapping[str, str] | None = None
    depth: Depth = field(default=Depth.ALL)


def _get(name: str, path: str, depth: Depth = Depth.ALL) -> RestCall:
    return RestCall(name=name, method="GET", path=path, depth=depth)


def _post(name: str, body: object, headers: Mapping[str, str] | None = None) -> RestCall:
    return RestCall(name=name, method="POST", path="/connectors", body=body, headers=headers)


def _put(name: str, path: str, body: object = None) -> RestCall:
    return RestCall(name=name, method="PUT", path=path, body=body)


def _other(method: str, name: str, path: str, body: object = None) -> RestCall:
    return RestCall(name=name, method=method, path=path, body=body)


def rest_calls(bootstrap: str) -> tuple[RestCall, ...]:
    """
    Return the requests, in their order.

    Args:
        bootstrap: Of a cluster that connectors may name.
    """
    config = {
        "connector.class": CLASS,
        "source.cluster.alias": "A",
        "target.cluster.alias": "B",
        "source.cluster.bootstrap.servers": bootstrap,
        "target.cluster.bootstrap.servers": bootstrap,
        "topics": "no-such-topic",
    }
    return (
        *_worker(),
        *_http(),
        *_made(config),
        *_refused(config),
        *_read(),
        *_changed(config),
        *_told(config),
        *_moved(),
        *_levels(),
        *_checked(config),
        *_deleted(),
    )


def _worker() -> Iterator[RestCall]:
    yield _get("worker.root", "/")
    yield _get("worker.health", "/health")
    yield _get("worker.none", "/connectors")
    yield _get("worker.none-expanded", "/connectors?expand=status")
    yield _get("plugins.connectors", "/connector-plugins")
    yield _get("plugins.empty-flag", "/connector-plugins?connectorsOnly=")
    yield _get("plugins.config", f"{_OF_CLASS}", Depth.SHAPE)
    yield _get("plugins.alias", "/connector-plugins/MirrorSource/config", Depth.SHAPE)
    yield _get("plugins.unknown", "/connector-plugins/Nope/config")
    yield _get("openapi.document", "/openapi.json", Depth.STATUS)


def _http() -> Iterator[RestCall]:
    for path in ("/nope", "/connectors/x/y", "/connectors/x/tasks-config", "/connectors/x/tasks/0"):
        yield _get(f"path.{path[1:]}", path)
    yield _get("path.slash", "/connectors/")
    yield _get("double-slash", "/connectors//", Depth.STATUS)
    yield _other("HEAD", "method.head", "/connectors")
    yield _other("OPTIONS", "method.options", "/connectors/x/config")
    for method, path in (("DELETE", "/connectors"), ("POST", "/connectors/x"), ("PUT", "/")):
        yield _other(method, f"method.{method.lower()}", path)
    for accept in ("text/html", "application/xml", "text/html,*/*;q=0.1", "application/json"):
        yield RestCall(
            name=f"accept.{accept}", method="GET", path="/connectors", headers={"Accept": accept}
        )


def _of(alias: str, config: Mapping[str, str]) -> dict[str, str]:
    """Return settings of another flow: one flow has one source connector."""
    return {**config, "source.cluster.alias": alias}


def _made(config: Mapping[str, str]) -> Iterator[RestCall]:
    stopped = {"initial_state": "STOPPED"}
    yield _post("make.stopped", {"name": "one", "config": config, **stopped})
    yield _post("make.again", {"name": "one", "config": config, **stopped})
    yield _post(
        "make.trimmed", {"name": " two ", "config": _of("two", config), "initial_state": "stopped"}
    )
    yield _post("make.arrow", {"name": "A->B.C d", "config": _of("arrow", config), **stopped})
    yield _post("make.letters", {"name": "üñ", "config": _of("letters", config), **stopped})
    yield _post("make.number", {"name": 5, "config": _of("five", config), **stopped})
    yield _post(
        "escaped-location.slash", {"name": "a/b", "config": _of("slash", config), **stopped}
    )
    yield _post(
        "escaped-location.percent", {"name": "%41", "config": _of("percent", config), **stopped}
    )
    texts = '"a":60,"b":true,"c":1.50,"d":1e3,"e":12345678901234567890123,"f":"x","name":"texts"'
    fixed = ",".join(f'"{name}":"{text}"' for name, text in _of("texts", config).items())
    yield _post(
        "make.texts",
        f'{{"name":"texts","config":{{{fixed},{texts}}},"initial_state":"STOPPED"}}',
    )
    charset = {"Content-Type": "application/json; charset=utf-8"}
    yield _post(
        "make.charset", {"name": "three", "config": _of("three", config), **stopped}, charset
    )
    yield _put("make.put", "/connectors/four/config", _of("four", config))
    yield _put("make.put-stopped", "/connectors/four/stop")
    secret = {**_of("secret", config), "source.cluster.ssl.key.password": "S3CR3T"}
    yield _post("secret.made", {"name": "secret", "config": secret, **stopped})
    yield _get("secret.read", "/connectors/secret/config")
    yield _other("DELETE", "make.deleted", "/connectors/secret")


def _refused(config: Mapping[str, str]) -> Iterator[RestCall]:
    bodies = {
        "cut": '{"name":',
        "empty": "",
        "array": "[]",
        "text": '"x"',
        "number": "5",
        "null": "null",
        "trailing": '{"name":"n","config":{}} x',
        "token": "nonsense",
        "quotes": "{'a':1}",
        "nan": '{"name":"n","config":{"a":NaN}}',
    }
    for name, body in bodies.items():
        yield _post(f"malformed.post-{name}", body, _JSON)
        if name not in ("trailing", "nan"):
            for path in (_CONFIG, _VALIDATE, "/admin/loggers/x"):
                yield RestCall(
                    name=f"malformed.put-{name}{path}",
                    method="PUT",
                    path=path,
                    body=body,
                    headers=_JSON,
                )
    sent: dict[str, object] = {"name": "n", "config": config}
    yield _post("malformed.unknown-field", sent | {"foo": 1})
    yield _post("malformed.state", sent | {"initial_state": "BOGUS"})
    yield _post("malformed.no-config", {"name": "n"})
    yield _post("malformed.null-config", {"name": "n", "config": None})
    yield _post("malformed.name", {"name": ["a"], "config": {}})
    yield _post("malformed.value-array", {"name": "n", "config": {**config, "topics": ["a"]}})
    yield _post("malformed.value-object", {"name": "n", "config": {**config, "topics": {}}})
    other = _of("refused", config)
    yield _post("refused.no-name", {"config": other})
    yield _post("refused.empty-name", {"name": "", "config": other})
    yield _post("refused.other-name", {"name": "n", "config": {**config, "name": "m"}})
    yield _post("refused.tasks-max", {"name": "n", "config": {**other, "tasks.max": "0"}})
    yield _post("refused.null", {"name": "n", "config": {**config, "a": None}})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/vnd.k+json"):
        yield _post(f"media.{kind}", sent, {"Content-Type": kind})
    yield _post("media.none", sent, {})
    yield RestCall(
        name="media-without-body.stop",
        method="PUT",
        path=f"{_ONE}/stop",
        headers={"Content-Type": "text/plain"},
    )
    deep = f'{{"name":"n","config":{{"a":{"[" * 40}{"]" * 40}}}}}'
    yield _post("malformed.deep", deep)
    large = f'{{"name":"large","config":{{"a":"{"x" * (1 << 20)}"}}}}'
    yield _post("large.body", large)


def _read() -> Iterator[RestCall]:
    for part in ("", "/config", "/status", "/tasks", "/topics", "/offsets"):
        yield _get(f"read.one{part}", f"{_ONE}{part}")
        yield _get(f"read.nope{part}", f"/connectors/nope{part}")
    for number in ("0", "-1", "x", "99999999999"):
        yield _get(f"read.task-{number}", f"{_ONE}/tasks/{number}/status")
    for path in ("A-%3EB.C%20d", "%C3%BC%C3%B1", "%20one", "one/", "5"):
        yield _get(f"read.{path}", f"/connectors/{path}")
    yield _get("escaped-names.slash", "/connectors/a%2Fb", Depth.STATUS)
    yield _get("escaped-names.percent", "/connectors/%2541", Depth.STATUS)
    for query in ("status", "info", "status&expand=info", "bogus&expand=info", "status,info", ""):
        yield _get(f"list.{query}", f"/connectors?expand={query}")
    yield _get("list.names", "/connectors")


def _changed(config: Mapping[str, str]) -> Iterator[RestCall]:
    yield _put("change.put", _CONFIG, {**config, "topics": "u"})
    yield _put("change.put-values", _CONFIG, {**config, "k": 5, "b": False})
    yield _put("change.put-other-name", _CONFIG, {**config, "name": "two"})
    yield _put("change.put-null", _CONFIG, {**config, "k": None})
    yield _put("malformed.put-object", _CONFIG, {"a": {"b": 1}})
    yield _other("PATCH", "change.patch", _CONFIG, {"k": None, "tasks.max": 3})
    yield _other("PATCH", "change.patch-nothing", _CONFIG, {})
    yield _other("PATCH", "change.patch-unknown", "/connectors/nope/config", {"a": "b"})
    yield _other("PATCH", "malformed.patch-null", _CONFIG, "null")
    yield _get("change.read", _ONE)


def _told(config: Mapping[str, str]) -> Iterator[RestCall]:
    body = {"name": "paused", "config": _of("paused", config), "initial_state": "PAUSED"}
    yield _post("tell.made-paused", body)
    yield _get("never-started.status", "/connectors/paused/status")
    for verb in ("pause", "resume", "stop"):
        yield _put(f"tell.nope-{verb}", f"/connectors/nope/{verb}")
    yield _put("tell.stop", f"{_ONE}/stop")
    yield _put("tell.stop-with-body", f"{_ONE}/stop", "garbage")
    yield _put("tell.pause", "/connectors/paused/pause")
    for query in ("", "?includeTasks=true", "?onlyFailed=true", "?includeTasks=x&onlyFailed="):
        yield _other("POST", f"tell.restart{query}", f"{_ONE}/restart{query}")
        yield _other("POST", f"tell.restart-nope{query}", f"/connectors/nope/restart{query}")
    yield _other("POST", "tell.task", f"{_ONE}/tasks/0/restart")
    yield _other("POST", "tell.task-x", f"{_ONE}/tasks/x/restart")
    yield _other("POST", "tell.task-nope", "/connectors/nope/tasks/0/restart")
    yield _put("tell.topics", f"{_ONE}/topics/reset")
    yield _put("tell.topics-nope", "/connectors/nope/topics/reset")


def _moved() -> Iterator[RestCall]:
    def patch(name: str, body: object) -> RestCall:
        return _other("PATCH", name, _OFFSETS, body)

    def one(partition: object, offset: object) -> object:
        return {"offsets": [{"partition": partition, "offset": offset}]}

    for name, body in (("empty", {"offsets": []}), ("null", {"offsets": None}), ("absent", {})):
        yield patch(f"offsets.{name}", body)
    yield patch("offsets.forget", one(_PARTITION, None))
    yield patch("malformed.offsets-null", "null")
    yield patch("malformed.offsets-text", {"offsets": "x"})
    yield patch("malformed.offsets-number", {"offsets": [5]})
    yield patch("malformed.offsets-field", {"offsets": [{"partition": {}, "offset": {}, "q": 1}]})
    yield patch("malformed.offsets-partition", one(None, {"offset": 1}))
    yield _get("offsets.read", _OFFSETS)
    yield _other("PATCH", "offsets.nope", "/connectors/nope/offsets", one(_PARTITION, None))
    yield _other("DELETE", "offsets.reset-nope", "/connectors/nope/offsets")
    yield _other("DELETE", "offsets.reset", _OFFSETS)
    paused = "/connectors/paused/offsets"
    yield _other("PATCH", "offsets.paused", paused, one(_PARTITION, {"offset": 1}))
    yield _other("DELETE", "offsets.reset-paused", paused)


def _levels() -> Iterator[RestCall]:
    path = "/admin/loggers"
    yield _get("loggers.list", path, Depth.STATUS)
    yield _get("loggers.root", f"{path}/root", Depth.SHAPE)
    yield _get("loggers.unknown", f"{path}/no.such")
    yield _put("loggers.set", f"{path}/some.logger", {"level": "debug"})
    yield _get("loggers.get", f"{path}/some.logger", Depth.SHAPE)
    yield _put("loggers.cluster", f"{path}/some.logger?scope=cluster", {"level": "INFO"})
    yield _put("loggers.bogus-scope", f"{path}/other.logger?scope=bogus", {"level": "INFO"})
    for name, body in (("none", {}), ("null", {"level": None}), ("bogus", {"level": "BOGUS"})):
        yield _put(f"loggers.level-{name}", f"{path}/x", body)
    yield _put("loggers.level-5", f"{path}/x", {"level": 5})
    yield _other("POST", "loggers.post", path, {})


def _checked(config: Mapping[str, str]) -> Iterator[RestCall]:
    yield RestCall(
        name="validate.right",
        method="PUT",
        path=_VALIDATE,
        body={**config, "name": "x"},
        depth=Depth.STATUS,
    )
    other = {"connector.class": "MirrorCheckpointConnector"}
    yield _put("validate.other-class", _VALIDATE, other)
    yield _put("no-class.validate", _VALIDATE, {"a": "b"})
    nope = "/connector-plugins/Nope/config/validate"
    yield RestCall(
        name="no-class.unknown",
        method="PUT",
        path=nope,
        body={"connector.class": "Nope"},
        depth=Depth.STATUS,
    )


def _deleted() -> Iterator[RestCall]:
    yield _other("DELETE", "delete.one", _ONE)
    yield _other("DELETE", "delete.again", _ONE)
    yield _get("delete.read", f"{_ONE}/config")
