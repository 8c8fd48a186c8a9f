"""What a properties file needs of its clusters: `plans.access_table` for all its flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.config.principal import Principal, principal_of
from kmirror.plans.access import Access, Client, Row
from kmirror.plans.access_table import HEARTBEAT_ROW, rows_of
from kmirror.plans.grants import Need
from kmirror.policy.acl_names import AclName
from kmirror.policy.replication import HEARTBEATS_TOPIC

# Heartbeats of clusters upstream that a file may name one by one: a full mesh has very many.
_UPSTREAM_MAX = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNeeds:
    """
    All that a file needs.

    Args:
        needs: For all flows and heartbeats.
        unknown: Principals that are to be replaced, and why the file does not name them.
    """

    needs: tuple[Need, ...]
    unknown: Mapping[str, str]


def file_needs(
    config: MirrorConfig, *, moves: bool = False, principals: Mapping[str, str] | None = None
) -> FileNeeds:
    """
    Return what a file needs.

    Args:
        config: The file.
        moves: Groups are to be moved with `kmirror failover` and the like, too.
        principals: Who kmirror is on a cluster, by alias, where the file does not say or the
            brokers make another name of it.
    """
    found = [need for flow in config.flows for need in _of_flow(config, flow, moves=moves)]
    found += _of_heartbeats(config)
    given = principals or {}
    needs, unknown = [], {}
    for alias, principal, row, name in found:
        who = Principal(name=given[alias]) if alias in given else principal
        if who.unknown:
            unknown[who.name] = who.unknown
        needs.append(Need(cluster=alias, principal=who.name, row=row, name=name))
    return FileNeeds(needs=tuple(needs), unknown=unknown)


_Asked = tuple[str, Principal, Row, AclName]


def _of_flow(config: MirrorConfig, flow: FlowConfig, *, moves: bool) -> Iterator[_Asked]:
    access = access_of(config, flow, moves=moves)
    source = flow.flow.source
    # The flow of an alias topic ends where it begins.
    target = source if flow.policy.merges else flow.flow.target
    clients = {
        ("source", Client.CONTROL): (source, flow.source_admin),
        ("source", Client.READER): (source, flow.source_consumer),
        ("target", Client.CONTROL): (target, flow.target_admin),
        ("target", Client.WRITER): (target, flow.target_producer),
    }
    for row in rows_of(access):
        for client in row.clients:
            alias, properties = clients[row.end, client]
            principal = principal_of(properties, alias)
            for name in row.names(access):
                yield alias, principal, row, name


def _of_heartbeats(config: MirrorConfig) -> Iterator[_Asked]:
    for alias in dict.fromkeys(beat.flow.target for beat in config.heartbeats):
        principal = principal_of(config.cluster(alias).admin, alias)
        yield alias, principal, HEARTBEAT_ROW, AclName(HEARTBEATS_TOPIC)


def access_of(config: MirrorConfig, flow: FlowConfig, *, moves: bool = False) -> Access:
    """
    Return what decides what a flow needs.

    Args:
        config: The file.
        flow: The flow.
        moves: See `file_needs`.
    """
    consumers = flow.consumers
    follows = consumers.emit_checkpoints_interval_s is not None
    return Access(
        flow=flow.flow,
        policy=flow.policy,
        topics=flow.topics,
        groups=consumers.groups,
        heartbeats=_heartbeats_from(config, flow),
        offset_storage_topic=flow.offset_storage_topic,
        exactly_once=flow.exactly_once,
        offset_syncs=consumers.offset_syncs_location if consumers.emit_offset_syncs else None,
        checkpoints=follows,
        group_offsets=consumers.sync_group_offsets_interval_s is not None,
        moves=moves and not flow.policy.merges,
    )


def _heartbeats_from(config: MirrorConfig, flow: FlowConfig) -> tuple[str, ...]:
    """Return the heartbeats that come to a flow's source, by the file, and that it carries on."""
    if not flow.heartbeats_replication_enabled:
        return ()
    selects = flow.topic_selection().selects
    return tuple(filter(selects, _heartbeats_on(config, flow.flow.source)))


def _heartbeats_on(config: MirrorConfig, alias: str) -> tuple[str, ...]:
    """Return the heartbeats topics of a cluster, those of the nearest clusters first."""
    written = {beat.flow.target for beat in config.heartbeats}
    arrived: dict[str, dict[str, None]] = {
        each.alias: {HEARTBEATS_TOPIC: None} if each.alias in written else {}
        for each in config.clusters
    }
    news = {name: tuple(topics) for name, topics in arrived.items()}
    while any(news.values()):
        further: dict[str, tuple[str, ...]] = {}
        for flow in config.flows:
            source, target = flow.flow.source, flow.flow.target
            if not flow.heartbeats_replication_enabled or target not in arrived:
                continue
            selection = flow.topic_selection()
            for topic in filter(selection.selects, news.get(source, ())):
                copy = selection.remote_topic(topic)
                if copy not in arrived[target] and len(arrived[target]) < _UPSTREAM_MAX:
                    arrived[target][copy] = None
                    further[target] = (*further.get(target, ()), copy)
        news = further
    return tuple(arrived[alias])
