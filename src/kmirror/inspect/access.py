"""What a properties file needs of its clusters: `plans.access_table` for all its flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.config.principal import Principal, principal_of
from kmirror.plans.access import Access, Client, Row
from kmirror.plans.access_shared import NODES_ROW
from kmirror.plans.access_table import HEARTBEAT_ROW, rows_of
from kmirror.plans.grants import Need
from kmirror.policy.acl_names import AclName, literally
from kmirror.policy.poison import Poison
from kmirror.policy.replication import HEARTBEATS_TOPIC
from kmirror.wire.worker_group import nodes_topic

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
    asked += _of_process(config)
    return with_principals(asked, principals or {})


def named_needs(flow: FlowConfig, topics: Sequence[str], groups: Sequence[str] = ()) -> FileNeeds:
    """
    Return what a flow needs for topics and groups that are there, by their names.

    Args:
        flow: The flow, with the generations that its copies are in.
        topics, groups: Names on the source; no regexes.
    """
    access = replace(
        flow_access(flow),
        topics=tuple(map(literally, topics)),
        groups=tuple(map(literally, groups)),
        heartbeats=(),
        new_generations=False,  # the names of later ones are no topics yet
    )
    return with_principals(asked_of(flow, access), {})


def process_needs(config: MirrorConfig) -> FileNeeds:
    """
    Return what is needed besides what flows need: for heartbeats, and for sharing flows.

    Args:
        config: The file.
    """
    return with_principals(_of_process(config), {})


def with_principals(asked: Iterable[Asked], given: Mapping[str, str]) -> FileNeeds:
    """
    Say who needs what is asked.

    Args:
        asked: By cluster, who asks, row and name.
        given: See `file_needs`.
    """
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


Asked = tuple[str, ClientProperties, Row, AclName]


def _of_flow(config: MirrorConfig, flow: FlowConfig, *, moves: bool) -> Iterator[Asked]:
    heartbeats = _heartbeats_from(config, flow)
    return asked_of(flow, flow_access(flow, heartbeats=heartbeats, moves=moves))


def asked_of(flow: FlowConfig, access: Access) -> Iterator[Asked]:
    """Yield what a flow asks: where, by whose login, which row, and of what name."""
    source, target = flow.flow.source, flow.target_cluster
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


def _of_process(config: MirrorConfig) -> Iterator[Asked]:
    nodes = config.nodes
    if nodes is not None:
        topic = AclName(nodes_topic(nodes.group_id))
        yield nodes.cluster, config.cluster(nodes.cluster).admin, NODES_ROW, topic
    for alias in dict.fromkeys(beat.flow.target for beat in config.heartbeats):
        yield alias, config.cluster(alias).admin, HEARTBEAT_ROW, AclName(HEARTBEATS_TOPIC)


def flow_access(flow: FlowConfig, *, heartbeats: Sequence[str] = (), moves: bool = False) -> Access:
    """
    Return what decides what a flow needs, whatever file it is of.

    Args:
        flow: The flow.
        heartbeats: See `Access`.
        moves: See `file_needs`.
    """
    consumers = flow.consumers
    follows = consumers.emit_checkpoints_interval_s is not None
    canary = flow.canary_topic if flow.canary.enabled else ""
    return Access(
        flow=flow.flow,
        policy=flow.policy,
        topics=flow.topics,
        groups=consumers.groups,
        # What is copied whatever the file's topics say.
        heartbeats=(*heartbeats, *filter(None, (canary,))),
        canary_topic=canary,
        offset_storage_topic=flow.offset_storage_topic,
        own_offsets_topics=tuple(
            place.topic for place in flow.other_offsets_places if place.client is None
        ),
        exactly_once=flow.exactly_once,
        offset_syncs=consumers.offset_syncs_location if consumers.emit_offset_syncs else None,
        checkpoints=follows,
        acls=flow.acls.interval_s is not None,
        acls_asked=flow.acls.is_asked,
        acls_exact=flow.acls.is_exact,
        topic_settings=flow.sync_topic_configs_interval_s is not None,
        new_generations=flow.begins_generations,
        generations=flow.generations,
        deletions=flow.minds_deletions,
        deletes=flow.deletes_copies,
        group_offsets=consumers.sync_group_offsets_interval_s is not None,
        dead_letters=Poison.DLQ in flow.poison.values,
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
