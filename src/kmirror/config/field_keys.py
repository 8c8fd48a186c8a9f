"""The keys of the file that each setting of a flow is made of; pure."""

from __future__ import annotations

from collections.abc import Mapping

KEYS_OF: Mapping[str, tuple[str, ...]] = {
    "topics": ("topics",),
    "topics_exclude": ("topics.exclude", "topics.blacklist"),
    "replication_factor": ("replication.factor",),
    "refresh_topics_enabled": ("refresh.topics.enabled", "refresh.topics.interval.seconds"),
    "refresh_topics_interval_s": ("refresh.topics.interval.seconds",),
    "refresh_topics_rest_s_max": ("refresh.topics.interval.seconds",),
    "config_properties_exclude": ("config.properties.exclude", "config.properties.blacklist"),
    "use_defaults_from": ("use.defaults.from",),
    "sync_topic_configs_interval_s": ("sync.topic.configs.",),
    "acls": ("kmirror.acls", "kmirror.acls.", "sync.topic.acls."),
    "heartbeats_replication_enabled": ("heartbeats.replication.enabled",),
    "consumers.groups": ("groups",),
    "consumers.groups_exclude": ("groups.exclude", "groups.blacklist"),
    "consumers.refresh_groups_interval_s": ("refresh.groups.",),
    "consumers.emit_checkpoints_interval_s": ("emit.checkpoints.",),
    "consumers.sync_group_offsets_interval_s": ("sync.group.offsets.",),
    "consumers.checkpoints_replication_factor": ("checkpoints.topic.replication.factor",),
    "consumers.emit_offset_syncs": ("emit.offset-syncs.enabled", "offset-syncs.topic.location"),
    "consumers.offset_syncs_location": ("offset-syncs.topic.location",),
    "consumers.offset_syncs_replication_factor": ("offset-syncs.topic.replication.factor",),
    "consumers.offset_lag_max": ("offset.lag.max",),
    "position_missing": ("kmirror.position.missing",),
    "topic_recreated": ("kmirror.topic.recreated",),
    "data_gap": ("kmirror.data.gap",),
    "log_truncated": ("kmirror.log.truncated", "kmirror.data.gap"),
    "poison": ("kmirror.poison",),
    "topic_deletion": ("kmirror.topic.deletion",),
    "sync_log_start": ("kmirror.sync.log.start",),
    "reloads_by_itself": ("config.action.reload",),
    "window": ("kmirror.window",),
    "limits": (
        *("kmirror.flow.limit.bytes.per.second", "kmirror.limit.bytes.per.second"),
        "kmirror.priority",
    ),
    "slo": ("kmirror.slo.",),
    "canary": ("kmirror.canary.",),
    "audit": ("kmirror.audit.",),
    "policy": ("replication.policy.", "transforms", "transforms.", "predicates", "predicates."),
    "transforms": ("transforms", "transforms.", "predicates", "predicates."),
    "provenance": ("kmirror.provenance", "kmirror.provenance."),
    "where": ("kmirror.where",),
    "select": ("kmirror.select.",),
    "offset_storage_topic": ("offset.storage.topic",),
    "offset_storage_partitions": ("offset.storage.partitions",),
    "offset_storage_replication_factor": ("offset.storage.replication.factor",),
    "other_offsets_places": ("offsets.storage.topic", "offset.storage.topic"),
    "admin_timeout_s": ("admin.timeout.ms",),
    "admin_request_timeout_s": ("admin.timeout.ms",),
    "connector_name": ("name",),
    "exactly_once": ("kmirror.exactly.once",),
    "commit_interval_ms": ("kmirror.commit.interval.ms",),
    "commit_bytes_max": ("kmirror.commit.bytes.max",),
    "connections_max": ("kmirror.connections.max",),
    "batch_duration_s": ("kmirror.batch.duration.seconds",),
    "slots": ("kmirror.slots", "tasks.max"),
    "granularity": ("kmirror.granularity",),
    "pause": (),
    "generations": (),
}
"""
By the name of a field of `FlowConfig`, those of `ConsumersConfig` behind `consumers.`. A key with a
dot at its end stands for all that begin with it. The last two are not of the file.
"""

CLIENTS_OF: Mapping[str, tuple[str, str]] = {
    "source_consumer": ("source", "consumer"),
    "target_producer": ("target", "producer"),
    "source_admin": ("source", "admin"),
    "target_admin": ("target", "admin"),
}
"""By a field with properties of a client: the end whose client it is, and what kind it is."""


SAME_AS: Mapping[str, str] = {
    "auto_offset_reset": "source_consumer.auto.offset.reset",
    "isolation_level": "source_consumer.isolation.level",
}
"""By a field, the property of a client that says the same."""


def is_made_of(field: str, key: str) -> bool:
    """
    Tell whether a field says what a key of the file says.

    Args:
        field: Of `FlowConfig`.
        key: Without any prefix.
    """
    return any(
        key.startswith(each) if each.endswith(".") else key == each for each in KEYS_OF[field]
    )
