"""One connector of MirrorMaker 2, as it was posted: its kind, its settings, its clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from kmirror.config.connector_limits import check_allowed
from kmirror.config.converters import check_converters
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.key import split_list
from kmirror.config.keys.table import is_secret
from kmirror.config.lines import expanded
from kmirror.config.place import ARROW
from kmirror.config.worker import WorkerConfig
from kmirror.model import Flow

MIRROR_PACKAGE = "org.apache.kafka.connect.mirror."
OVERRIDE_PREFIX = "producer.override."
_SOURCE_ALIAS, _TARGET_ALIAS = "source.cluster.alias", "target.cluster.alias"
_TARGET_DEFAULT = "target"
_WHOLE_FILE = "clusters"
# Their values are parts of the names of other settings, which everybody sees.
NAMES_SETTINGS = frozenset({_WHOLE_FILE, "transforms", "predicates"})
NO_REFERENCE = (
    "expected names, and no reference: they are part of the names of other settings, and what a "
    "reference brings is never shown"
)
_PLACE = "connector "


class Kind(StrEnum):
    """The three connectors, by their classes."""

    SOURCE = "MirrorSourceConnector"
    CHECKPOINT = "MirrorCheckpointConnector"
    HEARTBEAT = "MirrorHeartbeatConnector"

    @property
    def class_name(self) -> str:
        """The Java class in full."""
        return f"{MIRROR_PACKAGE}{self}"


# Prefixes of settings that only one of the three reads; what another one says has no effect.
_READERS = {
    "refresh.topics.": Kind.SOURCE,
    "sync.topic.configs.": Kind.SOURCE,
    "sync.topic.acls.": Kind.SOURCE,
    "config.propert": Kind.SOURCE,
    "replication.factor": Kind.SOURCE,
    "heartbeats.replication.": Kind.SOURCE,
    "offset.lag.max": Kind.SOURCE,
    "use.defaults.from": Kind.SOURCE,
    "offset-syncs.topic.replication.factor": Kind.SOURCE,
    "producer.override.": Kind.SOURCE,
    "source.consumer.": Kind.SOURCE,
    "transforms": Kind.SOURCE,
    "predicates": Kind.SOURCE,
    "groups": Kind.CHECKPOINT,
    "group.filter.": Kind.CHECKPOINT,
    "refresh.groups.": Kind.CHECKPOINT,
    "emit.checkpoints.": Kind.CHECKPOINT,
    "sync.group.offsets.": Kind.CHECKPOINT,
    "checkpoints.topic.": Kind.CHECKPOINT,
    "emit.heartbeats.": Kind.HEARTBEAT,
    "heartbeats.topic.": Kind.HEARTBEAT,
}


def only_reader(name: str) -> Kind | None:
    """Return the only connector that reads a setting; `None` where several do."""
    return next((kind for prefix, kind in _READERS.items() if name.startswith(prefix)), None)


def kind_of(text: str) -> Kind | None:
    """Return the connector that a name means: in full, simple, or without `Connector`."""
    for kind in Kind:
        if text in (kind.class_name, str(kind), kind.removesuffix("Connector")):
            return kind
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """
    A connector.

    Args:
        name: As it was posted.
        kind: Which of the three.
        entries: Its settings, references replaced.
        flow: Between which clusters; `None` for a driver's whole file, which has its own.
        enabled: Whether it does anything at all.
    """

    name: str
    kind: Kind
    entries: Entries
    flow: Flow | None
    enabled: bool

    def servers(self, end: str) -> frozenset[str]:
        """Return the addresses of `source` or `target`; none if it names none."""
        entry = self.entries.get(f"{end}.cluster.bootstrap.servers")
        return frozenset(split_list(entry.text)) if entry is not None else frozenset()


def where(name: str) -> str:
    """Return the place that problems with a connector's settings have."""
    return f"{_PLACE}{name}"


def is_of_connector(place: str) -> bool:
    """Tell whether a place is that of a connector's settings, and of no file."""
    return place.startswith(_PLACE)


def read_connector(
    name: str, config: Mapping[str, str], worker: WorkerConfig, findings: Findings
) -> Connector | None:
    """
    Read a connector.

    Args:
        name: As it was posted.
        config: Its settings.
        worker: The worker's file: what connectors may have.
        findings: Receives what is wrong.

    Returns:
        It; `None` for what is no connector of MirrorMaker 2, or has no clusters.
    """
    entries = _entries(name, config, worker, findings)
    kind = _kind(entries, findings)
    if kind is None or _refers_to_names(entries, config, name, findings):
        return None
    check_converters(entries, worker, findings)
    check_allowed(entries, worker.allowed, findings)
    for key, entry in entries.items():
        if key.startswith(OVERRIDE_PREFIX):
            why = worker.override_policy.refusal(key.removeprefix(OVERRIDE_PREFIX))
            if why is not None:
                findings.wrong(entry, why)
    flow = None
    if kind is not Kind.SOURCE or _WHOLE_FILE not in entries:
        flow = _flow(entries, findings)
        if flow is None:
            return None
    listed = entries.get("transforms")
    if kind is not Kind.SOURCE and listed is not None and split_list(listed.text):
        findings.wrong(
            listed,
            f"expected transforms only in a {Kind.SOURCE}: kmirror's checkpoints and heartbeats "
            "are as MirrorMaker 2's clients read them",
        )
    switch = entries.get("enabled")
    # MM2's heartbeat connector never looks at it.
    off = (
        kind is not Kind.HEARTBEAT and switch is not None and switch.text.strip().lower() == "false"
    )
    return Connector(name=name, kind=kind, entries=entries, flow=flow, enabled=not off)


def _entries(
    name: str, config: Mapping[str, str], worker: WorkerConfig, findings: Findings
) -> Entries:
    written = {
        key: Entry(key=key, text=text, where=where(name), secret=is_secret(key, text))
        for key, text in config.items()
    }
    entries = expanded(written, worker.references, findings)
    # The connector's name is part of Connect's positions, whatever its settings say.
    entries["name"] = Entry(key="name", text=name, where=where(name))
    return entries


def _refers_to_names(
    entries: Entries, config: Mapping[str, str], name: str, findings: Findings
) -> bool:
    """Refuse references where names of settings come from; tell whether there are any."""
    wrong = [key for key in config if key in NAMES_SETTINGS and entries[key].text != config[key]]
    for key in wrong:
        findings.wrong(Entry(key=key, text=config[key], where=where(name)), NO_REFERENCE)
    return bool(wrong)


def _kind(entries: Entries, findings: Findings) -> Kind | None:
    entry = entries.get("connector.class")
    if entry is None:
        findings.missing("connector.class", f"expected {_classes()}", entries["name"])
        return None
    kind = kind_of(entry.text.strip())
    if kind is None:
        findings.wrong(entry, f"expected {_classes()}: Java classes cannot be loaded here")
    return kind


def _classes() -> str:
    return " or ".join(kind.class_name for kind in Kind)


def _flow(entries: Entries, findings: Findings) -> Flow | None:
    source, target = entries.get(_SOURCE_ALIAS), entries.get(_TARGET_ALIAS)
    if source is None:
        findings.missing(_SOURCE_ALIAS, "expected the source's alias", entries["name"])
        return None
    flow = Flow(source.text.strip(), target.text.strip() if target is not None else _TARGET_DEFAULT)
    for entry, alias in ((source, flow.source), (target or source, flow.target)):
        if not alias or ARROW in alias:
            findings.wrong(entry, f"expected an alias without {ARROW}, which names flows")
            return None
    if flow.source == flow.target:
        findings.wrong(source, "expected another alias than the target's")
        return None
    for end in ("source", "target"):
        key = f"{end}.cluster.bootstrap.servers"
        if key not in entries:
            findings.missing(
                key, "expected host:port; separate several with commas", entries["name"]
            )
    return flow
