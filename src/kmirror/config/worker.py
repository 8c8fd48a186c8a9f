"""A Connect worker's file: `connect-distributed.properties`, or `worker.properties`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kmirror.config.client_properties import ClientProperties
from kmirror.config.client_settings import ADMIN, SETTINGS_OF_ROLE
from kmirror.config.connect_file import driver_file, misplaced_json
from kmirror.config.connector_limits import Allowed
from kmirror.config.console import ConsoleConfig, read_console
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.guards import guarded_admin
from kmirror.config.keys.connect import (
    CONNECT_KEYS,
    POLICIES,
    STORAGES,
)
from kmirror.config.keys.key import Scope
from kmirror.config.keys.table import KEYS
from kmirror.config.lines import PROVIDERS_PREFIX, entries_of, expanded, read_properties
from kmirror.config.metrics import MetricsConfig, read_metrics
from kmirror.config.override_policy import OverridePolicy
from kmirror.config.references import References, read_providers
from kmirror.config.resolve import ROLES, stripped
from kmirror.config.rules import spark_settings
from kmirror.config.secret import Secret
from kmirror.config.server import ServerConfig, read_server
from kmirror.config.settings import Settings
from kmirror.config.worker_survey import WorkerSurvey
from kmirror.errors import ConfigError, Problem

_POLICY = "connector.client.config.override."
_ALLOWLIST = "Allowlist"
_OFFSETS_FILE = "offset.storage.file.filename"
_STORAGE_OWN = ("topic", "partitions", "replication.factor", "file.filename")
_FLOW_PREFIX = "kmirror."


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageTopic:
    """
    One of the three topics in which Connect keeps its state.

    Args:
        name: The topic.
        partitions, replication_factor: For when it is created; -1 leaves it to the brokers.
        settings: Its settings then.
    """

    name: str
    partitions: int
    replication_factor: int
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """
    What a worker's file says. The names are the file's, with the unit last.

    Args:
        path: The file.
        standalone: It has no group, and no topics of its own.
        bootstrap_servers: Of the worker's cluster, commas between several.
        client: How the worker itself reaches its cluster; Connect takes `producer.*` and the
            like for connectors only.
        group_id: Workers with the same one share flows; empty when standalone.
        config_storage, offset_storage, status_storage: Its topics; `None` when standalone.
        key_converter, value_converter, header_converter: Of connectors that name none.
        override_policy: Which `producer.override.*` connectors may have.
        allowed: What connectors' settings may name.
        exactly_once_source_support: `disabled`, `preparing` or `enabled`.
        slots: For how many slots of all flows together there is room.
        server: Its REST server.
        metrics: Where metrics are served, and for whom.
        console: The same of the console.
        lines: All lines, for connectors that inherit them.
        references: Reads what connectors' settings refer to.
        spark: Settings for Spark itself.
        warnings: What the user should know, by line.
        inactive_keys: Names that are accepted, and not needed.
    """

    path: Path
    standalone: bool
    bootstrap_servers: str
    client: ClientProperties
    group_id: str
    config_storage: StorageTopic | None
    offset_storage: StorageTopic | None
    status_storage: StorageTopic | None
    key_converter: str
    value_converter: str
    header_converter: str
    override_policy: OverridePolicy
    allowed: Allowed
    exactly_once_source_support: str
    slots: int
    server: ServerConfig
    metrics: MetricsConfig
    console: ConsoleConfig
    lines: tuple[Entry, ...]
    references: References
    spark: tuple[tuple[str, Secret], ...]
    warnings: tuple[Problem, ...]
    inactive_keys: tuple[str, ...]

    def entries(self, prefix: str = "") -> Entries:
        """Return the lines that begin with *prefix*, by their names without it."""
        return stripped({entry.key: entry for entry in self.lines}, prefix)


def load_worker(
    path: Path, *, environ: Mapping[str, str], standalone: bool = False
) -> WorkerConfig:
    """
    Read a worker's file.

    Args:
        path: The file.
        environ: Environment variables for `${env:…}`.
        standalone: It is that of a worker without a group.

    Raises:
        ConfigError: with every problem of the file at once.
    """
    findings = Findings(str(path))
    items = read_properties(path, foreign_text=misplaced_json, foreign_lines=driver_file)
    written = entries_of(path, items, findings)
    references = read_providers(written, environ, findings)
    entries = expanded(written, references, findings)
    inactive = WorkerSurvey(findings).run(entries)
    _require(entries, findings, standalone=standalone)
    _check_topics(entries, findings)
    _doubt_offsets_file(entries, findings, standalone=standalone)
    config = _build(path, entries, references, findings, standalone=standalone, inactive=inactive)
    if findings.problems:
        raise ConfigError(findings.problems, findings.warnings)
    return config


def _build(
    path: Path,
    entries: Entries,
    references: References,
    findings: Findings,
    *,
    standalone: bool,
    inactive: tuple[str, ...],
) -> WorkerConfig:
    settings = Settings(entries, findings, CONNECT_KEYS)
    client = {name: entry for name, entry in entries.items() if name in ADMIN}
    spark = spark_settings(entries, findings)
    return WorkerConfig(
        path=path,
        standalone=standalone,
        bootstrap_servers=",".join(settings.texts("bootstrap.servers")),
        client=_client(settings, guarded_admin("the worker", client, findings)),
        group_id="" if standalone else settings.text_or_none("group.id") or "",
        config_storage=None if standalone else _storage(settings, entries, "config"),
        offset_storage=None if standalone else _storage(settings, entries, "offset"),
        status_storage=None if standalone else _storage(settings, entries, "status"),
        key_converter=settings.text("key.converter"),
        value_converter=settings.text("value.converter"),
        header_converter=settings.text("header.converter"),
        override_policy=_policy(settings, findings),
        allowed=_allowed(settings, entries),
        exactly_once_source_support=settings.text("exactly.once.source.support"),
        slots=settings.number("kmirror.connect.slots"),
        server=read_server(entries, findings),
        metrics=read_metrics(entries, findings),
        console=read_console(entries, findings),
        lines=tuple(entries.values()),
        references=references,
        spark=spark,
        warnings=findings.warnings,
        inactive_keys=inactive,
    )


def flow_defaults(worker: WorkerConfig) -> Entries:
    """Return the lines of the file that hold for every flow: kmirror's own keys."""
    return {
        name: entry
        for name, entry in worker.entries().items()
        if name.startswith(_FLOW_PREFIX) and name in KEYS and KEYS[name].scope is not Scope.DRIVER
    }


def _require(entries: Entries, findings: Findings, *, standalone: bool) -> None:
    """Refuse a file without what Connect itself requires."""
    if standalone:
        return
    for name in ("group.id", *(f"{storage}topic" for storage in STORAGES)):
        if name not in entries:
            findings.missing(name, f"expected {CONNECT_KEYS[name].type.value}: {_hint(name)}")


def _check_topics(entries: Entries, findings: Findings) -> None:
    """Refuse one topic in two places: each kind of record would be rubbish to the others."""
    named: dict[str, Entry] = {}
    for name in (f"{storage}topic" for storage in STORAGES):
        entry = entries.get(name)
        if entry is None:
            continue
        other = named.setdefault(entry.text.strip(), entry)
        if other is not entry:
            findings.wrong(entry, f"expected another topic than {other.key}, which has its own")


def _doubt_offsets_file(entries: Entries, findings: Findings, *, standalone: bool) -> None:
    """Tell of positions that a standalone worker of Kafka's has left, and that nobody reads."""
    entry = entries.get(_OFFSETS_FILE)
    if entry is None or not standalone:
        return
    try:
        is_empty = Path(entry.text.strip()).stat().st_size == 0
    except (OSError, ValueError):
        return
    if not is_empty:
        findings.doubt(
            entry,
            "a standalone worker of Kafka's has left positions there, which are not read: what "
            "kmirror has never copied begins at the beginning, and is on the target twice. Let "
            "the connector begin STOPPED and set its offsets first: PATCH /connectors/NAME/offsets",
        )


def _hint(name: str) -> str:
    if name == "group.id":
        return "workers with the same one share flows"
    kind = name.partition(".")[0]
    return f"a topic on the worker's cluster, such as connect-{kind.removesuffix('s')}s"


def _client(settings: Settings, client: ClientProperties) -> ClientProperties:
    return client.with_defaults(
        {"bootstrap.servers": ",".join(settings.texts("bootstrap.servers"))}
    )


def _storage(settings: Settings, entries: Entries, kind: str) -> StorageTopic:
    """Return a topic; that of settings has one partition, whatever the file says."""
    prefix = f"{kind}.storage."
    own = stripped(entries, prefix)
    return StorageTopic(
        name=settings.text_or_none(f"{prefix}topic") or "",
        partitions=1 if kind == "config" else settings.number(f"{prefix}partitions"),
        replication_factor=settings.number(f"{prefix}replication.factor"),
        settings=tuple(
            (name, entry.text) for name, entry in own.items() if name not in _STORAGE_OWN
        ),
    )


def _policy(settings: Settings, findings: Findings) -> OverridePolicy:
    text = settings.text(f"{_POLICY}policy")
    allowlist = settings.entry(f"{_POLICY}allowlist")
    # Connect finds a class by its name in full, by its simple name, and by that without the end.
    name = text.rpartition(".")[2].removesuffix("ConnectorClientConfigOverridePolicy")
    entry = settings.entry(f"{_POLICY}policy")
    if name not in POLICIES and entry is not None:
        findings.wrong(
            entry, f"expected one of {', '.join(POLICIES)}: Java classes cannot be loaded here"
        )
    elif entry is not None and name == _ALLOWLIST and not settings.texts(f"{_POLICY}allowlist"):
        findings.doubt(entry, f"nothing may be overridden: {_POLICY}allowlist names nothing")
    if allowlist is not None and name != _ALLOWLIST:
        findings.doubt(allowlist, f"has no effect without {_POLICY}policy = {_ALLOWLIST}")
    return OverridePolicy(name=name, allowlist=settings.texts(f"{_POLICY}allowlist"))


def _allowed(settings: Settings, entries: Entries) -> Allowed:
    """Return what connectors may name: what the file allows, and what it names itself."""
    prefix = "kmirror.connect.allowed."
    own = [
        (name, entry.text.strip())
        for name, entry in entries.items()
        if _bare(name) in SETTINGS_OF_ROLE["producer"] or _bare(name) in ADMIN
    ]
    providers = [
        path.strip()
        for name, entry in entries.items()
        if name.startswith(PROVIDERS_PREFIX) and name.endswith(".param.allowed.paths")
        for path in entry.text.split(",")
    ]
    files = [str(Path(text).parent) for name, text in own if _bare(name).endswith(".location")]
    return Allowed(
        servers=settings.texts(f"{prefix}servers") if settings.has(f"{prefix}servers") else None,
        paths=(*settings.texts(f"{prefix}paths"), *providers, *files),
        urls=(
            *settings.texts(f"{prefix}urls"),
            *(text for name, text in own if name.endswith(".url")),
        ),
        classes=(
            *settings.texts(f"{prefix}classes"),
            *(text for name, text in own if name.endswith(".class")),
        ),
    )


def _bare(name: str) -> str:
    for role in ROLES:
        name = name.removeprefix(role)
    return name
