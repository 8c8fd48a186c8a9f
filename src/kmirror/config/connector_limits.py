"""
What a connector's settings may name of the worker's machine and network.

They come in over HTTP. Clients of Kafka load classes, read files and open URLs that their settings
name, and each of these has been used to take over Connect workers (CVE-2023-25194, CVE-2025-27817).
So classes are those of a table, and files and URLs those that the worker's file allows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from kmirror.config.client_settings import SETTINGS_OF_ROLE
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.jaas import JaasProblem, read_jaas
from kmirror.config.keys.key import KeyType, split_list
from kmirror.config.references import real_path

_PREFIX = "kmirror.connect.allowed."
_KAFKA = "org.apache.kafka."
_LOGIN_MODULES = (
    "org.apache.kafka.common.security.plain.PlainLoginModule",
    "org.apache.kafka.common.security.scram.ScramLoginModule",
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
)
_FILES = re.compile(r"ssl\.(key|trust)store\.location|sasl\.oauthbearer\..*file")
_URL = re.compile(r"sasl\.oauthbearer\..*\.url")
_COMMAND = "sasl.kerberos.kinit.cmd"
_CLASS_LISTS = frozenset(
    {"interceptor.classes", "metric.reporters", "partition.assignment.strategy"}
)
_SQL = re.compile(r"(?:^|\.)kmirror\.(?:where|select\..+)$")
# Found in quotes, too: whoever tells these apart in another way than Spark lets something through.
_BEYOND_RECORDS = re.compile(
    r"\b(?:reflect|try_reflect|java_method|select|table|rowValidationXSDPath)\b", re.IGNORECASE
)
_OTHERS = frozenset({"bootstrap.servers", "bootstrap.controllers", "sasl.jaas.config", _COMMAND})


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """
    What connectors' settings may name, as far as the worker's file says.

    Args:
        servers: `host:port` with `*` for any part; `None` for all.
        paths: Directories.
        urls: URLs; those below them are meant, too.
        classes: Java classes, in full.
    """

    servers: tuple[str, ...] | None
    paths: tuple[str, ...]
    urls: tuple[str, ...]
    classes: tuple[str, ...]

    def refused_server(self, text: str) -> str | None:
        """Return the first address of *text* that is not allowed."""
        if self.servers is None:
            return None
        patterns = [re.escape(server).replace(r"\*", "[^:]*") for server in self.servers]
        return next(
            (
                server
                for server in split_list(text)
                if not any(re.fullmatch(each, server) for each in patterns)
            ),
            None,
        )

    def allows_path(self, text: str) -> bool:
        """Whether a file, all links followed, is below one of the directories."""
        real = real_path(text)
        if real is None:
            return False
        folders = filter(None, map(real_path, self.paths))
        return any(os.path.commonpath((real, folder)) == folder for folder in folders)

    def allows_url(self, text: str) -> bool:
        """Whether a URL is one of those that are allowed, or lies below it."""
        return any(_is_below(text, url) for url in self.urls)

    def allows_class(self, name: str) -> bool:
        """Whether a class may be loaded: Kafka's own, or listed."""
        return name.startswith(_KAFKA) or name in self.classes


def _is_below(text: str, url: str) -> bool:
    try:
        one, other = urlsplit(text), urlsplit(url)
    except ValueError:
        return False
    folder = other.path.rstrip("/")
    same = (one.scheme, one.netloc) == (other.scheme, other.netloc)
    return bool(other.netloc) and same and (one.path == folder or one.path.startswith(f"{folder}/"))


def check_allowed(entries: Entries, allowed: Allowed, findings: Findings) -> None:
    """Refuse settings that name what the worker's file does not allow."""
    for name, entry in entries.items():
        why = _sql_refusal(entry) if _SQL.search(name) else _refusal(_bare(name), entry, allowed)
        if why is not None:
            findings.wrong(entry, why)


def _bare(name: str) -> str:
    """Return a client's setting without whatever prefixes lead to the client."""
    parts = name.split(".")
    endings = (".".join(parts[start:]) for start in range(len(parts)))
    return next((ending for ending in endings if _is_setting(ending)), name)


def _is_setting(name: str) -> bool:
    return name in _OTHERS or any(name in names for names in SETTINGS_OF_ROLE.values())


def _refusal(bare: str, entry: Entry, allowed: Allowed) -> str | None:
    text = entry.text.strip()
    if bare == "sasl.jaas.config":
        return _login_refusal(text, allowed)
    if bare == _COMMAND:
        return "expected no command: connectors start no programs here"
    shown = "[hidden]" if entry.secret else text
    refused: tuple[str, str] | None = None
    if bare in ("bootstrap.servers", "bootstrap.controllers"):
        server = allowed.refused_server(text)
        refused = None if server is None else (f"{server} as a server", "servers")
    elif _FILES.fullmatch(bare) and text and not allowed.allows_path(text):
        refused = (f"the file {shown}", "paths")
    elif _URL.fullmatch(bare) and text and not allowed.allows_url(text):
        refused = (f"the URL {shown}", "urls")
    else:
        name = next((each for each in _classes(bare, text) if not allowed.allows_class(each)), None)
        refused = None if name is None else (f"the class {name}", "classes")
    return None if refused is None else _say(*refused)


def _classes(bare: str, text: str) -> Iterable[str]:
    """Return the classes that a client's setting names."""
    if bare in _CLASS_LISTS:
        return split_list(text)
    keys = [names[bare] for names in SETTINGS_OF_ROLE.values() if bare in names]
    return (text,) if text and any(key.type is KeyType.CLASS for key in keys) else ()


def _login_refusal(text: str, allowed: Allowed) -> str | None:
    """Refuse login modules beside Kafka's own: others speak to servers of the caller's choice."""
    try:
        module = read_jaas(text)
    except JaasProblem as problem:
        return str(problem)
    # As written, with its package: Java reads the same first word.
    if text.split(maxsplit=1)[0] in (*_LOGIN_MODULES, *allowed.classes):
        refused = (
            _say(f"the {what} of option {name}", kind)
            for name, value in module.options.items()
            for what, kind, is_right in (
                ("file", "paths", not _FILES.fullmatch(name) or allowed.allows_path(value)),
                ("URL", "urls", not _URL.fullmatch(name) or allowed.allows_url(value)),
            )
            if not is_right
        )
        return next(refused, None)
    return _say(f"the login module {module.name}", "classes")


def _sql_refusal(entry: Entry) -> str | None:
    """Refuse what calls Java or reads files from inside of Spark's SQL, wherever it stands."""
    found = _BEYOND_RECORDS.search(entry.text)
    if found is None:
        return None
    return (
        f"expected no {found[0]} in SQL that is posted: it can reach Java or files; what the "
        "worker's file itself says may have it, for all flows"
    )


def _say(what: str, kind: str) -> str:
    return f"the worker's file does not allow {what}: add it to {_PREFIX}{kind} there"
