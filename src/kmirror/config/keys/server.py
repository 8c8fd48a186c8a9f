"""Keys of the REST server, in the file of a Connect worker."""

from __future__ import annotations

from functools import partial

from kmirror.config.checks import check_principal_rules, check_response_headers
from kmirror.config.keys.key import Key, KeyType, Scope

_server = partial(Key, scope=Scope.DRIVER)

PORT_DEFAULT = 8083
HTTPS_PREFIX = "listeners.https."
ADMIN_HTTPS_PREFIX = "admin.listeners.https."
ROLES = ("viewer", "operator", "admin")

SERVER_KEYS = (
    _server(
        name="listeners",
        type=KeyType.LIST,
        mm2_default="`http://:8083`, all addresses",
        why="Whoever reaches the port may change everything. What the file says is obeyed.",
        doc="Where to listen: `http://HOST:PORT` or `https://HOST:PORT`. No HOST: everywhere. "
        "Absent: port 8083 of this machine alone.",
    ),
    _server(
        name="rest.host.name",
        type=KeyType.STRING,
        doc="Connect's old form of `listeners`; `localhost` if absent.",
    ),
    _server(
        name="rest.port",
        type=KeyType.INT,
        default=PORT_DEFAULT,
        low=0,
        high=65535,
        doc="Connect's old form of `listeners`. 0: any free port.",
    ),
    _server(
        name="rest.advertised.host.name",
        type=KeyType.STRING,
        doc="The host in `worker_id`, by which others find this worker.",
    ),
    _server(
        name="rest.advertised.port",
        type=KeyType.INT,
        low=1,
        high=65535,
        doc="The port in `worker_id`.",
    ),
    _server(
        name="rest.advertised.listener",
        type=KeyType.STRING,
        choices=("http", "https"),
        any_case=True,
        doc="Which listener others are told of.",
    ),
    _server(
        name="admin.listeners",
        type=KeyType.LIST,
        doc="Where `/admin` is served, and only there; empty: nowhere. Absent: as all else.",
    ),
    _server(
        name="access.control.allow.origin",
        type=KeyType.STRING,
        default="",
        doc="CORS: origins of pages that may read and write, `*` for any.",
    ),
    _server(
        name="access.control.allow.methods",
        type=KeyType.STRING,
        default="",
        doc="CORS: methods of such pages; `GET,POST,HEAD` if empty.",
    ),
    _server(
        name="response.http.headers.config",
        type=KeyType.STRING,
        default="",
        check=check_response_headers,
        doc="Headers of every answer: `set NAME: VALUE`, `add NAME: VALUE`, separated by commas.",
    ),
    _server(
        name="rest.extension.classes",
        type=KeyType.LIST,
        default=(),
        doc="Refused unless empty: no Java classes here. Logins: `kmirror.rest.users.file`.",
    ),
    _server(
        name="kmirror.rest.insecure",
        type=KeyType.BOOLEAN,
        default=True,
        doc="`false`: refuses to start where others could reach a listener without TLS and login.",
    ),
    _server(
        name="kmirror.rest.users.file",
        type=KeyType.STRING,
        doc="Who may call: a file with lines of `kmirror user`, mode 0600. Absent: everybody.",
    ),
    _server(
        name="kmirror.rest.anonymous.role",
        type=KeyType.STRING,
        choices=("none", *ROLES),
        any_case=True,
        doc="What callers without a login may: `admin` without a file of users, else `none`.",
    ),
    _server(
        name="kmirror.rest.principal.mapping.rules",
        type=KeyType.STRING,
        default="DEFAULT",
        check=check_principal_rules,
        doc="Names for the subjects of client certificates, as `ssl.principal.mapping.rules` of "
        "Kafka's brokers.",
    ),
    _server(
        name="kmirror.rest.hosts",
        type=KeyType.LIST,
        default=(),
        doc="Names of this server in the `Host` header, besides those that follow from the file.",
    ),
    _server(
        name="kmirror.rest.connections.max",
        type=KeyType.INT,
        default=100,
        low=1,
        doc="Connections at a time; more are answered with 503.",
    ),
    _server(
        name="kmirror.rest.requests.per.second",
        type=KeyType.INT,
        default=500,
        low=1,
        doc="Requests of one address; more are answered with 429.",
    ),
)
