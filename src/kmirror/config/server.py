"""What a worker's file says of its REST server: where it listens, and for whom."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path

from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.connect import CONNECT_KEYS
from kmirror.config.keys.key import split_list
from kmirror.config.keys.server import ADMIN_HTTPS_PREFIX, HTTPS_PREFIX, SERVER_KEYS
from kmirror.config.response_headers import ResponseHeader, read_response_headers
from kmirror.config.server_tls import TlsConfig, check_tls_names, read_tls
from kmirror.config.settings import Settings
from kmirror.policy.principal_names import PrincipalRules, read_principal_rules

_TRACKING = "topic.tracking.enable"
_TRACKING_RESET = "topic.tracking.allow.reset"
_KEYS = {key.name: key for key in SERVER_KEYS} | {
    name: CONNECT_KEYS[name] for name in (_TRACKING, _TRACKING_RESET)
}
# As Connect's `RestServer.LISTENER_PATTERN`.
_LISTENER = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)")
_LOCALHOST = "localhost"
# As in Jetty's filter, which Connect uses.
CORS_METHODS = ("GET", "POST", "HEAD")
OPEN = (
    "others can reach this address without TLS and a login, and change every flow: set "
    "kmirror.rest.users.file and https, or listen on localhost"
)
_NO_EXTENSIONS = (
    "expected nothing: Java classes cannot be loaded here, and what protects the server is not "
    "left out in silence; for logins see kmirror.rest.users.file"
)


def is_local_host(host: str) -> bool:
    """Tell whether a name or an address is this machine for itself."""
    if host.lower() == _LOCALHOST:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """
    Where the server listens.

    Args:
        scheme: `http` or `https`.
        host: A name or an address; empty for everywhere.
        port: 0 for any free one.
    """

    scheme: str
    host: str
    port: int

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine reach it."""
        return is_local_host(self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """
    The REST server of a worker.

    Args:
        listeners: Where it listens.
        admin_listeners: Where it serves `/admin`: `None` for where all else is.
        advertised_host, advertised_port, advertised_scheme: What others are told; `None` for what
            follows from the listeners.
        tls, admin_tls: For `https`; `None` where there is no such listener.
        cors_origins, cors_methods: Which pages of other origins may call it, and how.
        headers: Of every answer.
        users_file: Who may call; `None` for everybody.
        anonymous_role: What callers without a login may: `none`, or the name of a role.
        principals: Names for the subjects of client certificates.
        hosts: More names of this server.
        connections_max: At a time.
        requests_per_s: Of one address.
        topic_tracking, topic_tracking_reset: Whether topics of a connector are told and forgotten.
    """

    listeners: tuple[Listener, ...]
    admin_listeners: tuple[Listener, ...] | None = None
    advertised_host: str | None = None
    advertised_port: int | None = None
    advertised_scheme: str | None = None
    tls: TlsConfig | None = None
    admin_tls: TlsConfig | None = None
    cors_origins: tuple[str, ...] = ()
    cors_methods: tuple[str, ...] = CORS_METHODS
    headers: tuple[ResponseHeader, ...] = ()
    users_file: Path | None = None
    anonymous_role: str = "admin"
    principals: PrincipalRules = field(default_factory=PrincipalRules)
    hosts: tuple[str, ...] = ()
    connections_max: int = 100
    requests_per_s: int = 500
    topic_tracking: bool = True
    topic_tracking_reset: bool = True

    @property
    def all_listeners(self) -> tuple[Listener, ...]:
        """Where it listens, `/admin` included."""
        return (*self.listeners, *(self.admin_listeners or ()))

    @property
    def unprotected(self) -> tuple[Listener, ...]:
        """Listeners that others reach without TLS, or without a login."""
        return tuple(each for each in self.all_listeners if self._is_open(each))

    def _is_open(self, listener: Listener) -> bool:
        is_safe = listener.scheme == "https" and self.anonymous_role == "none"
        return not listener.is_local and not is_safe


def read_server(file: Entries, findings: Findings) -> ServerConfig:
    """
    Read what the file of a Connect worker says of its REST server.

    Args:
        file: The lines of the file, references expanded.
        findings: Receives what is wrong or doubtful.
    """
    settings = Settings({name: file[name] for name in _KEYS if name in file}, findings, keys=_KEYS)
    listeners = _listeners(settings, findings)
    admin = _admin_listeners(settings, findings)
    if (extensions := settings.entry("rest.extension.classes")) and extensions.text.strip():
        findings.wrong(extensions, _NO_EXTENSIONS)
    users = settings.text_or_none("kmirror.rest.users.file")
    config = ServerConfig(
        listeners=listeners,
        admin_listeners=admin,
        advertised_host=settings.text_or_none("rest.advertised.host.name") or None,
        advertised_port=settings.number_or_none("rest.advertised.port"),
        advertised_scheme=settings.text_or_none("rest.advertised.listener"),
        tls=_tls(listeners, file, HTTPS_PREFIX, findings),
        admin_tls=_tls(admin or (), file, ADMIN_HTTPS_PREFIX, findings),
        cors_origins=split_list(settings.text("access.control.allow.origin")),
        cors_methods=split_list(settings.text("access.control.allow.methods").upper())
        or CORS_METHODS,
        headers=read_response_headers(settings.text("response.http.headers.config")),
        users_file=Path(users) if users else None,
        anonymous_role=settings.text_or_none("kmirror.rest.anonymous.role")
        or ("none" if users else "admin"),
        principals=read_principal_rules(settings.text("kmirror.rest.principal.mapping.rules")),
        hosts=settings.texts("kmirror.rest.hosts"),
        connections_max=settings.number("kmirror.rest.connections.max"),
        requests_per_s=settings.number("kmirror.rest.requests.per.second"),
        topic_tracking=settings.flag(_TRACKING),
        topic_tracking_reset=settings.flag(_TRACKING_RESET),
    )
    check_tls_names(file, (HTTPS_PREFIX, ADMIN_HTTPS_PREFIX), findings)
    if not settings.flag("kmirror.rest.insecure"):
        _refuse_open(config, settings, findings)
    return config


def _listeners(settings: Settings, findings: Findings) -> tuple[Listener, ...]:
    entry = settings.entry("listeners")
    olds = [
        old for name in ("rest.host.name", "rest.port") if (old := settings.entry(name)) is not None
    ]
    if entry is None:
        host = settings.text_or_none("rest.host.name") or _LOCALHOST
        return (Listener(scheme="http", host=host, port=settings.number("rest.port")),)
    for old in olds:
        findings.doubt(old, "has no effect: listeners says where to listen")
    found = _read_listeners(entry, findings)
    if not found:
        findings.wrong(entry, "expected http://HOST:PORT")
    return found


def _admin_listeners(settings: Settings, findings: Findings) -> tuple[Listener, ...] | None:
    entry = settings.entry("admin.listeners")
    return None if entry is None else _read_listeners(entry, findings)


def _read_listeners(entry: Entry, findings: Findings) -> tuple[Listener, ...]:
    listeners = []
    for text in split_list(entry.text):
        found = _LISTENER.fullmatch(text)
        if (
            found is None
            or found[1].lower() not in ("http", "https")
            or not 0 <= int(found[3]) < 1 << 16
        ):
            findings.wrong(
                entry, f"expected http://HOST:PORT or https://HOST:PORT; {text} is neither"
            )
            continue
        listeners.append(Listener(scheme=found[1].lower(), host=found[2], port=int(found[3])))
    return tuple(listeners)


def _tls(
    listeners: tuple[Listener, ...], file: Entries, prefix: str, findings: Findings
) -> TlsConfig | None:
    if all(each.scheme == "http" for each in listeners):
        return None
    near = file.get("admin.listeners" if prefix == ADMIN_HTTPS_PREFIX else "listeners")
    return read_tls(file, prefix, near, findings)


def _refuse_open(config: ServerConfig, settings: Settings, findings: Findings) -> None:
    asked = settings.entry("kmirror.rest.insecure")
    for listener in config.unprotected:
        findings.missing(str(listener), OPEN, asked)
