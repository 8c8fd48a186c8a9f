"""One flow of the file: everything that is known about copying S to T."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from kmirror.config.acls import AclsConfig, build_acls
from kmirror.config.audit import AuditConfig, build_audit
from kmirror.config.canary import CanaryConfig, build_canary, canary_topic
from kmirror.config.client_properties import ClientProperties
from kmirror.config.client_settings import OFFSET_RESETS
from kmirror.config.clusters import is_in_topic_names
from kmirror.config.consumers import ConsumersConfig, build_consumers, interval_s, rest_s_max
from kmirror.config.copies import (
    PROVENANCE,
    read_policy,
    read_provenance_rules,
    read_topic_deletion,
    shares_topics,
)
from kmirror.config.entry import Entries, Findings
from kmirror.config.guards import guarded, guarded_admin
from kmirror.config.keys.kmirror import SELECT_COLUMNS, read_gap_reaction, read_position_reaction
from kmirror.config.limits import build_limits, build_window
from kmirror.config.offsets_places import OffsetsPlace, own_places, storage_topic
from kmirror.config.resolve import (
    connector_properties,
    data_producer,
    end_client,
    worker_properties,
)
from kmirror.config.secret import revealed
from kmirror.config.settings import Settings
from kmirror.config.slo import build_slo
from kmirror.config.sql import SqlText
from kmirror.config.transforms import Transforms, read_transforms
from kmirror.model import Flow
from kmirror.policy.deletion import Deletion, DeletionVerb
from kmirror.policy.filters import ConfigPropertyFilter, NameFilter
from kmirror.policy.lag_verdicts import Slo
from kmirror.policy.limits import LimitRules
from kmirror.policy.per_topic import PerTopic
from kmirror.policy.poison import Poison
from kmirror.policy.provenance import ProvenanceRules
from kmirror.policy.replication import ReplicationPolicy
from kmirror.policy.selection import TopicSelection
from kmirror.policy.window import Window
from kmirror.wire.control_orders import PauseOrder

CONNECTOR_NAME = "MirrorSourceConnector"
ADMIN_REQUEST_TIMEOUT_S = 10.0
ISOLATION_DEFAULT = "read_committed"
_TRANSACTION_TIMEOUT_MS = "60000"
_ISOLATION_LEVELS = ("read_committed", "read_uncommitted")

IsolationLevel = Literal["read_committed", "read_uncommitted"]
OffsetReset = Literal["earliest", "latest"]
Granularity = Literal["auto", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowConfig:
    """
    A flow's settings, typed and checked. The names are the file's, with the unit last.

    Args:
        reloads_by_itself: A change of the file takes effect without being asked for.
        refresh_topics_rest_s_max: The same where a look takes long; 0 if the file has an interval.
        sync_topic_configs_interval_s: How often settings of topics are compared; `None` for never.
        acls: What is done about ACLs.
        consumers: What is done so that consumers can move.
        admin_timeout_s: The limit of an administrative step.
        admin_request_timeout_s: The limit of one question to a cluster.
        connector_name: Part of the key of MM2's positions.
        offset_storage_topic: Where MM2 keeps the flow's positions, on the target.
        other_offsets_places: Where Connect looks for them before that, the first one first.
        offset_storage_partitions, offset_storage_replication_factor: Of that topic; -1 leaves it
            to the brokers, as it does for *replication_factor*.
        window: When the flow copies; `None` for always.
        limits: How fast it reads, and what comes first.
        slo: How far behind it may be.
        audit: How both sides are compared beside the copy.
        slots: Spark tasks side by side; None is decided at start.
        topic_deletion: What becomes of the copy of a topic that was deleted on the source.
        sync_log_start: What is gone from the beginning of the source goes from the copy, too.
        where, select: Spark SQL; *select* has pairs of column and expression.
        transforms: What Connect's transforms do besides; their names of copies are in *policy*.
        provenance: What is written into copies about where they come from; `None` for nothing.
        source_consumer, target_producer, source_admin, target_admin: Java client properties.
            The producer is the one that writes the records.
        pause: Nothing is copied, and who wants it so. Not of the file: of a Connect worker, whose
            connectors have a target state.
        generations: Topics whose copies are not their first ones, with the numbers of these. Not
            of the file: the target knows (`ends.copy_generations`).
    """

    flow: Flow
    topics: tuple[str, ...]
    topics_exclude: tuple[str, ...]
    policy: ReplicationPolicy
    replication_factor: int
    refresh_topics_enabled: bool
    refresh_topics_interval_s: float
    refresh_topics_rest_s_max: float
    config_properties_exclude: tuple[str, ...]
    use_defaults_from: str
    sync_topic_configs_interval_s: float | None
    acls: AclsConfig
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
    transforms: Transforms
    provenance: ProvenanceRules | None
    position_missing: PerTopic[str]
    topic_recreated: PerTopic[str]
    data_gap: PerTopic[str]
    log_truncated: PerTopic[str]
    poison: PerTopic[Poison]
    topic_deletion: PerTopic[Deletion]
    sync_log_start: bool
    auto_offset_reset: OffsetReset
    isolation_level: IsolationLevel
    reloads_by_itself: bool
    window: Window | None
    limits: LimitRules
    slo: Slo
    canary: CanaryConfig
    audit: AuditConfig
    pause: PauseOrder | None = None
    other_offsets_places: tuple[OffsetsPlace, ...] = ()
    generations: tuple[tuple[str, int], ...] = ()

    @property
    def target_cluster(self) -> str:
        """The cluster that it writes to: the flow of an alias topic ends where it begins."""
        return self.flow.source if self.policy.merges else self.flow.target

    @property
    def looks_inside_records(self) -> bool:
        """Whether something needs the records of a batch, not only the batch."""
        return self.drops_records or bool(self.changed_columns)

    @property
    def drops_records(self) -> bool:
        """Whether some records of a topic are not copied."""
        rules = self.provenance
        comes_back = rules is not None and (self.shares_copies or rules.hops_max is not None)
        return self.where is not None or self.transforms.where is not None or comes_back

    @property
    def shares_copies(self) -> bool:
        """Whether others write to the topics of the copies, too, as flows the other way do."""
        return self.provenance is not None and shares_topics(self.policy)

    @property
    def changes(self) -> tuple[tuple[str, SqlText], ...]:
        """The columns of a record that change, with what they become."""
        headers = self.transforms.headers
        return self.select if headers is None else (*self.select, ("headers", headers))

    @property
    def changed_columns(self) -> tuple[str, ...]:
        """The columns in which a copy differs from its record."""
        columns = tuple(column for column, _ in self.changes)
        return columns if self.provenance is None else tuple({*columns, "headers"})

    @property
    def begins_generations(self) -> bool:
        """Whether a gap of any topic may begin a new generation of its copy."""
        choices = (
            self.position_missing,
            self.topic_recreated,
            self.data_gap,
            self.log_truncated,
        )
        return any("new-generation" in choice.values for choice in choices)

    @property
    def minds_deletions(self) -> bool:
        """Whether anything becomes of copies whose topics are deleted on the source."""
        verbs = {each.verb for each in self.topic_deletion.values}
        return verbs != {DeletionVerb.IGNORE} and not self.policy.merges

    @property
    def deletes_copies(self) -> bool:
        """Whether some of these copies are deleted, or records at their beginnings."""
        verbs = {each.verb for each in self.topic_deletion.values}
        deletes = DeletionVerb.DELETE_AFTER in verbs or self.sync_log_start
        return deletes and not self.policy.merges

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
            return f"record by record ({self._looks_inside} inside)"
        return "record by record (kmirror.granularity)"

    @property
    def _looks_inside(self) -> str:
        own = self.where is not None or bool(self.select)
        if own or self.transforms.looks_inside:
            also = "" if self.provenance is None else f" and {PROVENANCE}"
            return f"{'kmirror.where and kmirror.select' if own else 'transforms'}{also} look"
        return f"{PROVENANCE} looks"

    @property
    def canary_topic(self) -> str:
        """The topic of the canary, copied if it is there; empty where it makes no sense."""
        has_none = self.looks_inside_records or self.policy.merges
        return "" if has_none else canary_topic(self.flow)

    def topic_selection(self) -> TopicSelection:
        """Which topics the flow copies."""
        return TopicSelection(
            flow=self.flow,
            filter=NameFilter(self.topics, self.topics_exclude),
            policy=self.policy,
            heartbeats_replication=self.heartbeats_replication_enabled,
            canary_topic=self.canary_topic,
            generations=self.generations,
        )

    def config_property_filter(self) -> ConfigPropertyFilter:
        """Which topic settings the flow copies."""
        return ConfigPropertyFilter(self.config_properties_exclude)


def build_flow(file: Entries, flow: Flow, findings: Findings) -> FlowConfig:
    """Return the settings of *flow*; add what is wrong to *findings*."""
    connector, worker = connector_properties(file, flow), worker_properties(file, flow)
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
    _check_commit_interval(settings, target_producer, findings, exactly_once=exactly_once)
    policy, workers_topic = read_policy(settings, flow), storage_topic(storage, flow)
    transforms = read_transforms(connector, policy, flow.source, findings)
    admin_timeout_s = settings.number("admin.timeout.ms") / 1000
    return FlowConfig(
        flow=flow,
        topics=settings.texts("topics"),
        topics_exclude=settings.texts("topics.exclude"),
        policy=transforms.routed(policy),
        replication_factor=settings.number("replication.factor"),
        refresh_topics_enabled=interval_s(settings, "refresh.topics") is not None,
        refresh_topics_interval_s=float(settings.number("refresh.topics.interval.seconds")),
        refresh_topics_rest_s_max=rest_s_max(settings, "refresh.topics"),
        config_properties_exclude=settings.texts("config.properties.exclude"),
        use_defaults_from=settings.text("use.defaults.from"),
        sync_topic_configs_interval_s=interval_s(settings, "sync.topic.configs"),
        acls=build_acls(settings),
        heartbeats_replication_enabled=settings.flag("heartbeats.replication.enabled"),
        offset_storage_topic=workers_topic,
        other_offsets_places=own_places(settings, workers_topic),
        offset_storage_partitions=storage.number("offset.storage.partitions"),
        offset_storage_replication_factor=storage.number("offset.storage.replication.factor"),
        consumers=_consumers(file, settings, flow, findings),
        admin_timeout_s=admin_timeout_s,
        admin_request_timeout_s=_request_timeout_s(settings, admin_timeout_s),
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
        transforms=transforms,
        position_missing=_position_missing(settings),
        topic_recreated=settings.per_topic("kmirror.topic.recreated", "fail", read_gap_reaction),
        data_gap=settings.per_topic("kmirror.data.gap", "fail", read_gap_reaction),
        log_truncated=settings.per_topic(_truncated_key(settings), "fail", read_gap_reaction),
        poison=settings.per_topic("kmirror.poison", Poison.PARK, Poison),
        topic_deletion=read_topic_deletion(settings, policy, transforms, findings),
        sync_log_start=settings.flag("kmirror.sync.log.start"),
        provenance=read_provenance_rules(settings, transforms.routed(policy), findings),
        auto_offset_reset=cast("OffsetReset", reset),
        isolation_level=cast("IsolationLevel", isolation),
        reloads_by_itself=settings.text("config.action.reload") == "restart",
        limits=build_limits(settings),
        slo=build_slo(settings),
        canary=build_canary(settings, transforms, findings),
        audit=build_audit(settings),
        window=build_window(settings),
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


def _request_timeout_s(settings: Settings, admin_timeout_s: float) -> float:
    # Who gives a limit means it; without, a cluster that is away is to be known soon.
    return admin_timeout_s if settings.has("admin.timeout.ms") else ADMIN_REQUEST_TIMEOUT_S


def _position_missing(settings: Settings) -> PerTopic[str]:
    return settings.per_topic("kmirror.position.missing", "fail", read_position_reaction)


def _truncated_key(settings: Settings) -> str:
    """Return the key that decides; both were one once: a file with the old one alone means both."""
    key = "kmirror.log.truncated"
    return key if settings.has(key) else "kmirror.data.gap"


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
    settings: Settings, producer: ClientProperties, findings: Findings, *, exactly_once: bool
) -> None:
    """Refuse an interval after which the target would abort every transaction."""
    interval_ms = settings.number("kmirror.commit.interval.ms")
    timeout_ms = producer.get("transaction.timeout.ms", _TRANSACTION_TIMEOUT_MS)
    if exactly_once and 2 * interval_ms > int(revealed(timeout_ms)):
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
