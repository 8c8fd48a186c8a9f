"""One flow of the file: everything that is known about copying S to T."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from kmirror.config.client_properties import ClientProperties
from kmirror.config.client_settings import OFFSET_RESETS
from kmirror.config.clusters import is_in_topic_names
from kmirror.config.consumers import ConsumersConfig, build_consumers, interval_s
from kmirror.config.entry import Entries, Findings
from kmirror.config.guards import guarded, guarded_admin
from kmirror.config.keys.kmirror import SELECT_COLUMNS
from kmirror.config.keys.mirror import IDENTITY_POLICY
from kmirror.config.resolve import (
    connector_properties,
    data_producer,
    end_client,
    worker_properties,
)
from kmirror.config.settings import Settings
from kmirror.config.sql import SqlText
from kmirror.model import Flow
from kmirror.policy.filters import ConfigPropertyFilter, NameFilter
from kmirror.policy.replication import (
    DefaultReplicationPolicy,
    IdentityReplicationPolicy,
    ReplicationPolicy,
)
from kmirror.policy.selection import TopicSelection
from kmirror.wire.flow_names import offsets_topic

CONNECTOR_NAME = "MirrorSourceConnector"
ADMIN_REQUEST_TIMEOUT_S = 10.0
ISOLATION_DEFAULT = "read_committed"
_TRANSACTION_TIMEOUT_MS = 60_000
_ISOLATION_LEVELS = ("read_committed", "read_uncommitted")

IsolationLevel = Literal["read_committed", "read_uncommitted"]
OffsetReset = Literal["earliest", "latest"]
PositionMissing = Literal["fail", "earliest", "latest", "adopt"]
FailOrContinue = Literal["fail", "continue"]
Granularity = Literal["auto", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowConfig:
    """
    A flow's settings, typed and checked. The names are the file's, with the unit last.

    Args:
        sync_topic_configs_interval_s: How often settings of topics are compared; `None` for never.
        consumers: What is done so that consumers can move.
        admin_timeout_s: The limit of an administrative step.
        admin_request_timeout_s: The limit of one question to a cluster.
        connector_name: Part of the key of MM2's positions.
        offset_storage_topic: Where MM2 keeps the flow's positions, on the target.
        offset_storage_partitions, offset_storage_replication_factor: Of that topic; -1 leaves it
            to the brokers, as it does for *replication_factor*.
        slots: Spark tasks side by side; None is decided at start.
        where, select: Spark SQL; *select* has pairs of column and expression.
        source_consumer, target_producer, source_admin, target_admin: Java client properties.
            The producer is the one that writes the records.
    """

    flow: Flow
    topics: tuple[str, ...]
    topics_exclude: tuple[str, ...]
    policy: ReplicationPolicy
    replication_factor: int
    refresh_topics_enabled: bool
    refresh_topics_interval_s: float
    config_properties_exclude: tuple[str, ...]
    use_defaults_from: str
    sync_topic_configs_interval_s: float | None
    heartbeats_replication_enabled: bool
    offset_storage_topic: str
    offset_storage_partitions: int
    offset_storage_replication_factor: int
    consumers: ConsumersConfig
    admin_timeout_s: float
    admin_request_timeout_s: float
    connector_name: str
    source_consumer: ClientProperties
    target_producer: ClientProperties
    source_admin: ClientProperties
    target_admin: ClientProperties
    exactly_once: bool
    commit_interval_ms: int
    commit_bytes_max: int
    connections_max: int
    batch_duration_s: int
    slots: int | None
    granularity: Granularity
    where: SqlText | None
    select: tuple[tuple[str, SqlText], ...]
    position_missing: PositionMissing
    topic_recreated: FailOrContinue
    data_gap: FailOrContinue
    auto_offset_reset: OffsetReset
    isolation_level: IsolationLevel

    @property
    def looks_inside_records(self) -> bool:
        """Whether something needs the records of a batch, not only the batch."""
        return self.where is not None or bool(self.select)

    @property
    def whole_batches(self) -> bool:
        """Whether batches travel whole where they can, rather than record by record."""
        return self.granularity == "auto" and not self.looks_inside_records

    @property
    def granularity_text(self) -> str:
        """What is copied at a time, and why, for people."""
        if self.whole_batches:
            return "whole batches"
        if self.looks_inside_records:
            return "record by record (kmirror.where and kmirror.select look inside)"
        return "record by record (kmirror.granularity)"

    def topic_selection(self) -> TopicSelection:
        """Which topics the flow copies."""
        return TopicSelection(
            flow=self.flow,
            filter=NameFilter(self.topics, self.topics_exclude),
            policy=self.policy,
            heartbeats_replication=self.heartbeats_replication_enabled,
        )

    def config_property_filter(self) -> ConfigPropertyFilter:
        """Which topic settings the flow copies."""
        return ConfigPropertyFilter(self.config_properties_exclude, self.use_defaults_from)


def build_flow(file: Entries, flow: Flow, findings: Findings) -> FlowConfig:
    """Return the settings of *flow*; add what is wrong to *findings*."""
    connector = connector_properties(file, flow)
    worker = worker_properties(file, flow)
    settings, storage = Settings(connector, findings), Settings(worker, findings)
    consumer = end_client(connector, "source", "consumer")
    exactly_once = settings.flag("kmirror.exactly.once")
    _doubt_uncommitted(consumer, findings, exactly_once=exactly_once)
    reset = _one_of(OFFSET_RESETS, consumer, "auto.offset.reset")
    isolation = _one_of(_ISOLATION_LEVELS, consumer, "isolation.level")
    source_consumer = guarded("consumer", consumer, findings).overridden_by(
        {"auto.offset.reset": reset, "enable.auto.commit": "false", "isolation.level": isolation}
    )
    target_producer = guarded("producer", data_producer(worker, connector), findings)
    if exactly_once:
        _check_commit_interval(settings, target_producer, findings)
    admin_timeout_s = settings.number("admin.timeout.ms") / 1000
    refresh_interval_s = settings.number("refresh.topics.interval.seconds")
    return FlowConfig(
        flow=flow,
        topics=settings.texts("topics"),
        topics_exclude=settings.texts("topics.exclude"),
        policy=_policy(settings, flow),
        replication_factor=settings.number("replication.factor"),
        refresh_topics_enabled=settings.flag("refresh.topics.enabled") and refresh_interval_s > 0,
        refresh_topics_interval_s=float(refresh_interval_s),
        config_properties_exclude=settings.texts("config.properties.exclude"),
        use_defaults_from=settings.text("use.defaults.from"),
        sync_topic_configs_interval_s=interval_s(settings, "sync.topic.configs"),
        heartbeats_replication_enabled=settings.flag("heartbeats.replication.enabled"),
        offset_storage_topic=storage.text_or_none("offset.storage.topic")
        or offsets_topic(flow.source),
        offset_storage_partitions=storage.number("offset.storage.partitions"),
        offset_storage_replication_factor=storage.number("offset.storage.replication.factor"),
        consumers=_consumers(file, settings, flow, findings),
        admin_timeout_s=admin_timeout_s,
        # Who gives a limit means it; without, a cluster that is away is to be known soon.
        admin_request_timeout_s=admin_timeout_s
        if settings.has("admin.timeout.ms")
        else ADMIN_REQUEST_TIMEOUT_S,
        connector_name=settings.text_or_none("name") or CONNECTOR_NAME,
        source_consumer=source_consumer,
        target_producer=target_producer,
        source_admin=guarded_admin(flow.source, end_client(connector, "source", "admin"), findings),
        target_admin=guarded_admin(flow.target, end_client(connector, "target", "admin"), findings),
        exactly_once=exactly_once,
        commit_interval_ms=settings.number("kmirror.commit.interval.ms"),
        commit_bytes_max=settings.number("kmirror.commit.bytes.max"),
        connections_max=settings.number("kmirror.connections.max"),
        batch_duration_s=settings.number("kmirror.batch.duration.seconds"),
        slots=_slots(settings),
        granularity=cast("Granularity", settings.text("kmirror.granularity")),
        where=settings.sql("kmirror.where"),
        select=_select(settings),
        position_missing=cast("PositionMissing", settings.text("kmirror.position.missing")),
        topic_recreated=cast("FailOrContinue", settings.text("kmirror.topic.recreated")),
        data_gap=cast("FailOrContinue", settings.text("kmirror.data.gap")),
        auto_offset_reset=cast("OffsetReset", reset),
        isolation_level=cast("IsolationLevel", isolation),
    )


def _consumers(
    file: Entries, settings: Settings, flow: Flow, findings: Findings
) -> ConsumersConfig:
    consumers = build_consumers(settings)
    at_source = consumers.emit_offset_syncs and consumers.offset_syncs_location == "source"
    if not at_source or is_in_topic_names(flow.target):
        return consumers
    findings.doubt(
        file["clusters"],
        f"{flow} writes no offset syncs: no topic name may contain {flow.target}; to name "
        f"their topic after {flow.source}, set {flow}.offset-syncs.topic.location = target",
    )
    return replace(consumers, emit_offset_syncs=False)


def _policy(settings: Settings, flow: Flow) -> ReplicationPolicy:
    separator = settings.text("replication.policy.separator")
    same = settings.flag("replication.policy.internal.topic.separator.enabled")
    internal = separator if same else "."
    name = settings.text("replication.policy.class")
    if name.rpartition(".")[2] == IDENTITY_POLICY.rpartition(".")[2]:
        return IdentityReplicationPolicy(
            separator=separator, internal_separator=internal, source_alias=flow.source
        )
    return DefaultReplicationPolicy(separator=separator, internal_separator=internal)


def _slots(settings: Settings) -> int | None:
    slots = settings.value("kmirror.slots")
    if isinstance(slots, int):
        return slots
    tasks_max = settings.number("tasks.max")
    return tasks_max if tasks_max > 1 else None


def _select(settings: Settings) -> tuple[tuple[str, SqlText], ...]:
    found = ((column, settings.sql(f"kmirror.select.{column}")) for column in SELECT_COLUMNS)
    return tuple((column, sql) for column, sql in found if sql is not None)


def _one_of(choices: tuple[str, ...], entries: Entries, name: str) -> str:
    """Return the value of *name*; the first of *choices* if the file has none of them."""
    entry = entries.get(name)
    text = choices[0] if entry is None else entry.text.strip()
    return text if text in choices else choices[0]


def _check_commit_interval(
    settings: Settings, producer: ClientProperties, findings: Findings
) -> None:
    """Refuse an interval after which the target would abort every transaction."""
    interval_ms = settings.number("kmirror.commit.interval.ms")
    timeout_ms = int(str(producer.get("transaction.timeout.ms", _TRANSACTION_TIMEOUT_MS)))
    if 2 * interval_ms > timeout_ms:
        entry = settings.entry("kmirror.commit.interval.ms")
        assert entry is not None, "the default is shorter than the least time-out"
        findings.wrong(
            entry, f"expected at most half of the producer's transaction.timeout.ms, {timeout_ms}"
        )


def _doubt_uncommitted(entries: Entries, findings: Findings, *, exactly_once: bool) -> None:
    entry = entries.get("isolation.level")
    if exactly_once and entry is not None and entry.text.strip() == _ISOLATION_LEVELS[1]:
        findings.doubt(
            entry,
            "records of aborted transactions are copied, too; with "
            f"{ISOLATION_DEFAULT}, consumers see the same records on both sides",
        )
