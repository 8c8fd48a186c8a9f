"""What differs between two states of a properties file, and what that takes of a running driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum

from kmirror.config.client_properties import ClientProperties
from kmirror.config.consumers import ConsumersConfig
from kmirror.config.effective import flow_settings
from kmirror.config.field_keys import CLIENTS_OF, KEYS_OF, SAME_AS, is_made_of
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.config.secret import HIDDEN
from kmirror.config.sql import SqlText
from kmirror.model import Flow
from kmirror.policy.per_topic import PerTopic

# What a running flow takes over while it copies: no lane and no query notices.
LIVE_FIELDS = frozenset(
    {
        "topics",
        "topics_exclude",
        "replication_factor",
        "refresh_topics_enabled",
        "refresh_topics_interval_s",
        "refresh_topics_rest_s_max",
        "config_properties_exclude",
        "use_defaults_from",
        "sync_topic_configs_interval_s",
        "acls",
        "heartbeats_replication_enabled",
        "consumers.groups",
        "consumers.groups_exclude",
        "consumers.refresh_groups_interval_s",
        "position_missing",
        "topic_recreated",
        "data_gap",
        "log_truncated",
        "auto_offset_reset",
        "reloads_by_itself",
        "window",
        "limits",
        "pause",  # not of the file: a Connect worker's
        "slo",
        "canary",
        "audit",
    }
)
# What the one flow is started again for: it is in its query, its lanes' settings or its clients.
RESTART_FIELDS = frozenset(
    {
        "policy",
        "offset_storage_topic",
        "offset_storage_partitions",
        "offset_storage_replication_factor",
        "other_offsets_places",
        "consumers.emit_checkpoints_interval_s",
        "consumers.sync_group_offsets_interval_s",
        "consumers.checkpoints_replication_factor",
        "consumers.emit_offset_syncs",
        "consumers.offset_syncs_location",
        "consumers.offset_syncs_replication_factor",
        "consumers.offset_lag_max",
        "admin_timeout_s",
        "admin_request_timeout_s",
        "connector_name",
        "source_consumer",
        "target_producer",
        "source_admin",
        "target_admin",
        "exactly_once",
        "commit_interval_ms",
        "commit_bytes_max",
        "connections_max",
        "batch_duration_s",
        "slots",
        "granularity",
        "where",
        "select",
        "transforms",
        "provenance",
        "poison",
        "isolation_level",
        "generations",  # not of the file: never differs
        "topic_deletion",
        "sync_log_start",
    }
)
_NOTHING = "not set"


class ChangeKind(StrEnum):
    """What a reload does to a flow."""

    ADDED = "added"
    REMOVED = "removed"
    LIVE = "changed while it copies"
    RESTARTED = "started again"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """
    One setting that differs.

    Args:
        name: As it is written in the file; of a client, with the alias of its cluster.
        before, after: The values as they are written there; a secret one is hidden.
        is_live: Whether a running flow takes it over.
    """

    name: str
    before: str
    after: str
    is_live: bool

    def __str__(self) -> str:
        if self.before == self.after:
            return f"{self.name}: changed, from {self.before} to another {self.after}"
        return f"{self.name}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChange:
    """
    What happens to one flow.

    Args:
        flow: Which one.
        kind: What.
        fields: What differs; empty for a flow that comes or goes.
    """

    flow: Flow
    kind: ChangeKind
    fields: tuple[FieldChange, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The same for people: a line for each field."""
        if not self.fields:
            return (f"{self.flow}: {self.kind}",)
        return tuple(f"{self.flow}: {self.kind}: {field}" for field in self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChanges:
    """
    What differs between two states of a file.

    Args:
        flows: Flows that come, go or change; the others are not touched.
        heartbeats: Targets whose heartbeats are written in another way from now on.
        refused: What cannot be changed while the driver runs.
    """

    flows: tuple[FlowChange, ...] = ()
    heartbeats: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.flows or self.heartbeats or self.refused)

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it for people; no secret is in it."""
        flows = (line for change in self.flows for line in change.lines)
        beats = (f"heartbeats to {target}: started again" for target in self.heartbeats)
        return (*flows, *beats)


def changes(before: MirrorConfig, after: MirrorConfig) -> ConfigChanges:
    """
    Compare what a driver runs with what its file says now.

    Args:
        before: What it runs.
        after: What the file says.
    """
    old = {config.flow: config for config in before.flows}
    new = {config.flow: config for config in after.flows}
    found = [
        *(FlowChange(flow=flow, kind=ChangeKind.REMOVED) for flow in old if flow not in new),
        *(_as_written(before, after, old[flow], new[flow]) for flow in new if flow in old),
        *(FlowChange(flow=flow, kind=ChangeKind.ADDED) for flow in new if flow not in old),
    ]
    names = sorted(
        name
        for name in dict(before.spark) | dict(after.spark)
        if dict(before.spark).get(name) != dict(after.spark).get(name)
    )
    names += [] if before.nodes == after.nodes else ["nodes"]
    return ConfigChanges(
        flows=tuple(change for change in found if change is not None),
        heartbeats=_heartbeats(before, after),
        refused=tuple(f"kmirror.{name} needs a restart of the driver" for name in names),
    )


def kept_where_silent(before: MirrorConfig, after: MirrorConfig) -> MirrorConfig:
    """
    Return *after* without what no `config.action.reload = restart` asks for.

    Args:
        before: What the driver runs.
        after: What the file says: a flow whose action is `none` there stays as it is.
    """
    old = {config.flow: config for config in before.flows}
    flows = [config if config.reloads_by_itself else old.get(config.flow) for config in after.flows]
    names = {config.flow for config in after.flows}
    gone = [config for flow, config in old.items() if flow not in names]
    staying = [config for config in gone if not config.reloads_by_itself]
    return replace(after, flows=(*(flow for flow in flows if flow is not None), *staying))


def flow_change(before: FlowConfig, after: FlowConfig) -> FlowChange | None:
    """
    Return what differs between two states of a flow's settings; `None` when nothing does.

    Its settings have the names of their fields: what the file calls them, the file has to say.
    """
    found = tuple(_field_changes(before, after))
    if not found:
        return None
    is_live = all(change.is_live for change in found)
    kind = ChangeKind.LIVE if is_live else ChangeKind.RESTARTED
    return FlowChange(flow=after.flow, kind=kind, fields=found)


def _as_written(
    before: MirrorConfig, after: MirrorConfig, old: FlowConfig, new: FlowConfig
) -> FlowChange | None:
    """Return what differs between two states of a flow, as their files write it."""
    found = flow_change(old, new)
    if found is None:
        return None
    was, becomes = _values(before, old), _values(after, new)
    keys = [key for key in (was | becomes) if was.get(key, "") != becomes.get(key, "")]
    changed: dict[str, FieldChange] = {}
    for field in found.fields:
        for each in _named(field, keys, was, becomes, new):
            # What several fields are made of is told once, and taken over if all of them are.
            is_live = each.is_live and changed.get(each.name, each).is_live
            changed[each.name] = replace(each, is_live=is_live)
    return replace(found, fields=tuple(changed.values()))


def _values(config: MirrorConfig, flow: FlowConfig) -> dict[str, str]:
    return {each.name: each.value for each in flow_settings(config, flow)}


def _named(
    field: FieldChange,
    keys: list[str],
    was: Mapping[str, str],
    becomes: Mapping[str, str],
    flow: FlowConfig,
) -> Iterator[FieldChange]:
    """Yield a changed field as the file writes it: the keys that it is made of, and differ."""
    client, _, name = SAME_AS.get(field.name, field.name).partition(".")
    if client in CLIENTS_OF:
        end, kind = CLIENTS_OF[client]
        alias = flow.flow.source if end == "source" else flow.target_cluster
        yield replace(field, name=f"{alias}.{kind}.{name}")
        return
    found = [key for key in keys if is_made_of(field.name, key)]
    lines = [
        value for key, value in (*was.items(), *becomes.items()) if is_made_of(field.name, key)
    ]
    for key in found:
        old, new = was.get(key) or _NOTHING, becomes.get(key) or _NOTHING
        yield replace(field, name=key, before=old, after=new)
    if not found:
        # The lines say the same, or are not those of the flow: another one decides.
        name = next((key.rstrip(".") for key in KEYS_OF[field.name]), field.name)
        if HIDDEN in lines:
            field = replace(field, before=HIDDEN, after=HIDDEN)
        yield replace(field, name=name)


def _field_changes(before: object, after: object, prefix: str = "") -> Iterator[FieldChange]:
    assert isinstance(before, FlowConfig | ConsumersConfig)
    for field in fields(before):
        old, new = getattr(before, field.name), getattr(after, field.name)
        name = f"{prefix}{field.name}"
        if isinstance(old, ConsumersConfig):
            yield from _field_changes(old, new, f"{name}.")
        elif isinstance(old, ClientProperties):
            yield from _property_changes(name, old, new)
        elif _plain(old) != _plain(new):
            yield _change(name, old, new)


def _property_changes(
    name: str, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[FieldChange]:
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if old != new:
            yield _change(f"{name}.{key}", old, new)


def _change(name: str, before: object, after: object) -> FieldChange:
    is_live = name in LIVE_FIELDS
    return FieldChange(name=name, before=_text(before), after=_text(after), is_live=is_live)


def _heartbeats(before: MirrorConfig, after: MirrorConfig) -> tuple[str, ...]:
    targets = dict.fromkeys(each.flow.target for each in (*before.heartbeats, *after.heartbeats))
    return tuple(
        target for target in targets if beats_of(before, target) != beats_of(after, target)
    )


def beats_of(config: MirrorConfig, target: str) -> tuple[object, ...]:
    """Return all that the heartbeats to *target* are made of; empty when there are none."""
    pairs = tuple(each for each in config.heartbeats if each.flow.target == target)
    return (pairs, config.cluster(target).admin) if pairs else ()


def _plain(value: object) -> object:
    """Return what counts of a value: not the line of the file where it stands."""
    if isinstance(value, SqlText):
        return value.sql
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _text(value: object) -> str:
    """Return a value for people; what is a secret prints as one."""
    if value is None:
        return _NOTHING
    if isinstance(value, SqlText):
        return value.problem("").value or _NOTHING
    if isinstance(value, PerTopic):
        chosen = (f"{regex}: {_text(each)}" for regex, each in value.chosen)
        return ", ".join((_text(value.default), *chosen))
    if isinstance(value, tuple):
        return ", ".join(map(_text, value)) or "nothing"
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        parts = ((each.name, _text(getattr(value, each.name))) for each in fields(value))
        return ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in parts)
    return str(value).lower() if isinstance(value, bool) else str(value)
