"""Every line of a Connect worker's file looked at once: wrong values, unknown names."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror.config.client_settings import ADMIN, CONSUMER, PRODUCER, SETTINGS_OF_ROLE
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.foot_guns import COMMENT_WORDS, has_comment
from kmirror.config.keys.connect import (
    CONNECT_KEYS,
    REST_NAMES,
    REST_PREFIXES,
    SIMPLE_HEADER_CONVERTER,
    STORAGES,
)
from kmirror.config.keys.key import Key, KeyType, ValueProblem, list_oddity
from kmirror.config.keys.kmirror import NODES_KEYS, SPARK_PREFIX
from kmirror.config.keys.table import KEYS, client_key
from kmirror.config.keys.worker import BYTES_CONVERTER
from kmirror.config.lines import PROVIDERS_PREFIX
from kmirror.config.suggest import did_you_mean

_CONVERTERS = ("key.converter", "value.converter", "header.converter")
_CONVERTER_PREFIXES = tuple(f"{name}." for name in (*_CONVERTERS, "internal.key.converter"))
_CLIENTS = PRODUCER.keys() | CONSUMER.keys() | ADMIN.keys()
_NODES = frozenset(key.name for key in NODES_KEYS)
_REMOVED = ("internal.key.converter", "internal.value.converter")
_PLUGINS = "not read: MirrorMaker 2's connectors and Kafka's own transforms are part of kmirror"


class WorkerSurvey:
    """
    Looks at every entry of a worker's file.

    Args:
        findings: Receives what is wrong or doubtful.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._inactive: dict[str, None] = {}

    def run(self, file: Entries) -> tuple[str, ...]:
        """Look at all of *file*; the names that are accepted, and not needed."""
        for name, entry in file.items():
            key = CONNECT_KEYS.get(name)
            if key is not None:
                self._known(entry, key)
            elif not self._prefixed(name, entry):
                self._unknown(entry, (*CONNECT_KEYS, *REST_NAMES))
        return tuple(self._inactive)

    def _known(self, entry: Entry, key: Key) -> None:
        if not key.active:
            self._inactive.setdefault(key.name)
        self._value(entry, key)
        if key.name == "plugin.path" and entry.text.strip():
            self._findings.doubt(entry, _PLUGINS)
        elif key.name in _CONVERTERS:
            self._converter(entry, key.name)

    def _converter(self, entry: Entry, name: str) -> None:
        """Tell what a converter does that does not carry bytes; connectors may have their own."""
        text = entry.text.strip()
        if name == "header.converter":
            if text not in (BYTES_CONVERTER, SIMPLE_HEADER_CONVERTER):
                self._findings.doubt(
                    entry, f"no copy: connectors have to name {BYTES_CONVERTER} themselves"
                )
        elif text != BYTES_CONVERTER:
            self._findings.doubt(
                entry,
                "MirrorMaker 2's connectors carry bytes, and this would change them: each has to "
                f"have {name} = {BYTES_CONVERTER}",
            )

    def _prefixed(self, name: str, entry: Entry) -> bool:
        """Look at a line that is known by its beginning, or for clients; tell whether it is one."""
        if name in REST_NAMES or name.startswith(REST_PREFIXES):
            return True
        for role in SETTINGS_OF_ROLE:
            if name.startswith(f"{role}."):
                self._client(entry, role, name.removeprefix(f"{role}."))
                return True
        if name in KEYS and name.startswith("kmirror."):
            self._value(entry, KEYS[name])
            if name in _NODES:
                self._findings.doubt(entry, "no effect: workers with one group.id share flows")
            return True
        if name in _REMOVED:
            self._findings.doubt(entry, "was removed in Kafka 3.0: internal topics have JSON")
            return True
        if name in _CLIENTS:
            role = next(role for role, names in SETTINGS_OF_ROLE.items() if name in names)
            self._client(entry, role, name)
            return True
        return name.startswith((*STORAGES, *_CONVERTER_PREFIXES, PROVIDERS_PREFIX, SPARK_PREFIX))

    def _client(self, entry: Entry, role: str, name: str) -> None:
        key = client_key(role, name)
        if key is not None:
            self._value(entry, key)
            return
        hint = did_you_mean(name, SETTINGS_OF_ROLE[role], f"{role}.")
        self._findings.doubt(entry, f"unknown to Kafka's clients, passed on{hint}")

    def _value(self, entry: Entry, key: Key) -> None:
        if not entry.secret and has_comment(entry.text):
            self._findings.doubt(entry, COMMENT_WORDS)
        try:
            key.parse(entry.text)
        except ValueProblem as problem:
            self._findings.wrong(entry, str(problem))
            return
        if key.type is KeyType.LIST and (oddity := list_oddity(entry.text)):
            self._findings.doubt(entry, oddity)

    def _unknown(self, entry: Entry, known: Iterable[str]) -> None:
        hint = did_you_mean(entry.key, known)
        self._findings.doubt(entry, f"unknown key, no effect{hint}")
