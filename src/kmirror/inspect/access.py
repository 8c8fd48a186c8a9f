"""What a properties file needs of its clusters: `plans.access_table` for all its flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.config.principal import Principal, principal_of
from kmirror.plans.access import Access, Client, Row
from kmirror.plans.access_table import HEARTBEAT_ROW, rows_of
from kmirror.plans.grants import Need
from kmirror.policy.acl_names import AclName, literally
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
        logins: By cluster and principal, a client's properties with which to log in.
    """

    needs: tuple[Need, ...]
    unknown: Mapping[str, str]
    logins: Mapping[tuple[str, str], ClientProperties]


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
    asked = [each for flow in config.flows for each in _of_flow(config, flow, moves=moves)]
    asked += _of_heartbeats(config)
    return _with_principals(asked, principals or {})


def named_needs(
    config: MirrorConfig, flow: FlowConfig, topics: Sequence[str], groups: Sequence[str] = ()
) -> FileNeeds:
    """
    Return what a flow needs for topics and groups that are there, by their names.

    Args:
        config: The file.
        flow: The flow.
        topics, groups: Names on the source; no regexes.
    """
    access = replace(
        access_of(config, flow),
        topics=tuple(map(literally, topics)),
        groups=tuple(map(literally, groups)),
        heartbeats=(),
    )
    return _with_principals(_rows_of(flow, access), {})


def heartbeat_needs(config: MirrorConfig) -> FileNeeds:
    """
    Return what heartbeats need.

    Args:
        config: The file.
    """
    return _with_principals(_of_heartbeats(config), {})


def _with_principals(asked: Iterable[_Asked], given: Mapping[str, str]) -> FileNeeds:
    needs = list[Need]()
    unknown, logins = dict[str, str](), dict[tuple[str, str], ClientProperties]()
    for alias, properties, row, name in asked:
        principal = principal_of(properties, alias)
        who = Principal(name=given[alias]) if alias in given else principal
        if who.unknown:
            unknown[who.name] = who.unknown
        logins.setdefault((alias, who.name), properties)
        needs.append(Need(cluster=alias, principal=who.name, row=row, name=name))
    return FileNeeds(needs=tuple(needs), unknown=unknown, logins=logins)


_Asked = tuple[str, ClientProperties, Row, AclName]


def _of_flow(config: MirrorConfig, flow: FlowConfig, *, moves: bool) -> Iterator[_Asked]:
    return _rows_of(flow, access_of(config, flow, moves=moves))


def _rows_of(flow: FlowConfig, access: Access) -> Iterator[_Asked]:
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
            for name in row.names(access):
                yield alias, properties, row, name


def _of_heartbeats(config: MirrorConfig) -> Iterator[_Asked]:
    for alias in dict.fromkeys(beat.flow.target for beat in config.heartbeats):
        yield alias, config.cluster(alias).admin, HEARTBEAT_ROW, AclName(HEARTBEATS_TOPIC)


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
        topic_settings=flow.sync_topic_configs_interval_s is not None,
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
