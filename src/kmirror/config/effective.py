"""What each setting of a file comes to in the end, which line says so, and which lines lost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entries, Entry
from kmirror.config.flows import FlowConfig
from kmirror.config.keys.key import Key, Scope, Value, ValueProblem
from kmirror.config.keys.kmirror import ALIAS_PREFIX
from kmirror.config.keys.table import CLIENT_NAMES, KEYS, SECTIONS, client_key, is_secret_name
from kmirror.config.load import MirrorConfig
from kmirror.config.place import place_of
from kmirror.config.resolve import connector_properties, worker_properties
from kmirror.config.secret import HIDDEN, Secret, revealed
from kmirror.model import Flow

_OF_WORKER = frozenset({Scope.WORKER, Scope.WORKER_OR_TOP})
_OF_FLOWS = frozenset({Scope.FLOW, Scope.FLOW_ONLY})
_OF_BOTH = frozenset({Scope.EVERYWHERE})
# Settings whose names are the file's own.
_NAMED_PREFIXES = ("transforms.", "predicates.", "replication.policy.")
_SECTION_OF = {key.name: title for title, keys in SECTIONS for key in keys}
_OTHER = "Transforms and other names of the file"

_Said = Callable[[Key], Sequence[Entry]]
"""Gives the lines that may say something about a setting, the strongest first."""


class Rank(StrEnum):
    """Which of all that may say something about a setting has the last word."""

    FLOW = "flow"
    CLUSTER = "cluster"
    TOP = "top level"
    CONNECTOR = "connector"
    WORKER = "worker"
    KMIRROR = "kmirror"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveSetting:
    """
    A setting as it is in effect.

    Args:
        name: As Kafka calls it, without any prefix.
        section: What it is about.
        value: For people; a secret one is hidden.
        rank: Who has the last word.
        entry: The line that says so; `None` where none does.
        lost: Lines about the same that another one wins over, or that are not applied.
        key: Its row in the table; `None` for a name that the file made.
        why: Why it is so where no line says it; empty where nothing is to be said.
    """

    name: str
    section: str
    value: str
    rank: Rank
    entry: Entry | None = None
    lost: tuple[Entry, ...] = ()
    key: Key | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """
    One of the clients of a flow.

    Args:
        section: What people call it.
        role: `consumer`, `producer` or `admin`.
        alias: Of its cluster.
        prefixes: Before a name, for this flow alone.
        properties: What it is made with.
        fixed: Names that nothing overrides.
    """

    section: str
    role: str
    alias: str
    prefixes: tuple[str, ...]
    properties: ClientProperties
    fixed: frozenset[str] = frozenset()


def driver_settings(config: MirrorConfig) -> tuple[EffectiveSetting, ...]:
    """
    Return what is in effect for the process, whatever its flows.

    Args:
        config: The file.
    """
    file = config.entries
    found = _of_keys({Scope.DRIVER}, file, lambda key: _said(file, key.name))
    return tuple(_ranked(each, config) for each in found)


def flow_settings(config: MirrorConfig, flow: FlowConfig) -> tuple[EffectiveSetting, ...]:
    """
    Return what is in effect for a flow, but for its clients.

    Args:
        config: The file.
        flow: One of its flows.
    """
    file = config.entries
    # The flow of an alias topic has its cluster's settings, and the topics of its own line.
    resolved = Flow(flow.flow.source, flow.target_cluster)
    connector, worker = connector_properties(file, resolved), worker_properties(file, resolved)
    if flow.policy.merges:
        name = flow.flow.target.removeprefix(f"{flow.flow.source}.")
        # A flow that no reload has asked may be older than the lines.
        if (line := file.get(f"{flow.flow.source}.{ALIAS_PREFIX}{name}")) is not None:
            connector["topics"] = line
    own, target = f"{resolved}.", f"{resolved.target}."
    of_flow = _of_keys(_OF_FLOWS, connector, lambda key: _said(file, f"{own}{key.name}", key.name))
    of_both = _of_keys(
        _OF_BOTH,
        worker | connector,
        lambda key: _said(file, f"{own}{key.name}", f"{target}{key.name}", key.name),
    )
    of_worker = _of_keys(
        _OF_WORKER, worker, lambda key: _said(file, f"{target}{key.name}", key.name)
    )
    others = (
        setting_of(name, entry, (), None)
        for name, entry in connector.items()
        if name not in KEYS and name.startswith(_NAMED_PREFIXES)
    )
    return tuple(_ranked(each, config) for each in (*of_flow, *of_both, *of_worker, *others))


def client_settings(config: MirrorConfig, client: Client) -> tuple[EffectiveSetting, ...]:
    """
    Return what a client of a flow is made with.

    Args:
        config: The file.
        client: Which one.
    """
    return tuple(
        _ranked(_of_client(config.entries, client, name), config)
        for name in sorted(client.properties)
    )


def _of_client(file: Entries, client: Client, name: str) -> EffectiveSetting:
    key, value = client_key(client.role, name), client.properties[name]
    entry = client.properties.entry(name)
    text = revealed(value)
    is_said = entry is not None and name not in client.fixed and _is_same(entry, key, text)
    said = _said(file, *_client_forms(client, name))
    is_hidden = isinstance(value, Secret) or is_secret_name(name)
    return EffectiveSetting(
        name=name,
        section=client.section,
        value=HIDDEN if is_hidden else _shown_text(text),
        rank=Rank.KMIRROR,
        entry=entry if is_said else None,
        lost=tuple(each for each in said if not is_said or each is not entry),
        key=key,
    )


def _client_forms(client: Client, name: str) -> Iterator[str]:
    """Yield the keys that may say something about a client's setting, the strongest first."""
    for prefix in client.prefixes:
        yield f"{prefix}{name}"
    yield f"{client.alias}.{client.role}.{name}"
    if name in CLIENT_NAMES:
        yield f"{client.alias}.{name}"
        yield name


def _is_same(entry: Entry, key: Key | None, text: str) -> bool:
    """Tell whether a client has what the line says, and no value that was raised or replaced."""
    if entry.text.strip() == text.strip():
        return True
    try:
        return key is not None and key.as_clients_read(entry.text) == text
    except ValueProblem:
        return False


def _of_keys(
    scopes: Collection[Scope], resolved: Mapping[str, Entry], said: _Said
) -> Iterator[EffectiveSetting]:
    for key in KEYS.values():
        entry = resolved.get(key.name)
        # What does nothing, or is an old name, is shown where the file has it.
        is_shown = entry is not None or (key.active and key.replaced_by is None)
        if key.scope in scopes and is_shown:
            lost = tuple(each for each in said(key) if each is not entry)
            yield setting_of(key.name, entry, lost, key)


def setting_of(
    name: str, entry: Entry | None, lost: tuple[Entry, ...], key: Key | None
) -> EffectiveSetting:
    """
    Return a setting as a line says it, or as it is without any.

    Args:
        name: As Kafka calls it.
        entry: The line; `None` for none.
        lost: Lines about the same that do not count.
        key: Its row in the table; `None` for a name that the file made.
    """
    return EffectiveSetting(
        name=name,
        section=_SECTION_OF.get(name, _OTHER),
        value=_value_text(name, entry, key),
        rank=Rank.DEFAULT,
        entry=entry,
        lost=lost,
        key=key,
    )


def _ranked(found: EffectiveSetting, config: MirrorConfig) -> EffectiveSetting:
    """Say who has the last word, by the place of the line in the file."""
    if found.entry is None:
        return found
    place = place_of(found.entry.key, tuple(each.alias for each in config.clusters))
    if place.flow is not None:
        return replace(found, rank=Rank.FLOW)
    return replace(found, rank=Rank.TOP if place.cluster is None else Rank.CLUSTER)


def _said(file: Entries, *forms: str) -> Sequence[Entry]:
    """Return the lines that are there, the strongest first."""
    return [file[form] for form in dict.fromkeys(forms) if form in file]


def shown_line(entry: Entry) -> str:
    """
    Return the value of a line for people.

    Args:
        entry: The line; of a secret one the value is hidden.
    """
    return _shown_text(entry.shown)


def shown_default(key: Key | None) -> str:
    """
    Return what counts where no line says anything, for people; empty where nothing does.

    Args:
        key: The row of the setting.
    """
    return "" if key is None or key.default is None else _shown(key.default)


def _value_text(name: str, entry: Entry | None, key: Key | None) -> str:
    if entry is None:
        return shown_default(key)
    if entry.secret or is_secret_name(name) or (key is not None and key.secret):
        return HIDDEN
    try:
        return _shown_text(entry.text) if key is None else _shown(key.parse(entry.text))
    except ValueProblem:
        return shown_default(key)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else _shown_text(str(value))


def _shown_text(text: str) -> str:
    return text.strip()
