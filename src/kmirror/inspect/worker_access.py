"""What a Connect worker needs of its own cluster, and its connectors' flows of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kmirror.config.clusters import ClusterConfig
from kmirror.config.connectors import ConnectorFlow
from kmirror.config.worker import WorkerConfig
from kmirror.inspect.access import Asked, FileNeeds, asked_of, flow_access, with_principals
from kmirror.plans.access_shared import (
    CONFIG_STORAGE_ROW,
    LEADER_ROW,
    OFFSET_STORAGE_ROW,
    STATUS_STORAGE_ROW,
    WORKERS_GROUP_ROW,
    WORKERS_ROW,
)
from kmirror.plans.access_table import HEARTBEAT_ROW
from kmirror.policy.acl_names import AclName
from kmirror.policy.replication import HEARTBEATS_TOPIC
from kmirror.wire.worker_group import workers_topic

WORKERS_CLUSTER = "worker"
"""What the worker's own cluster is called, which has no alias."""


def worker_needs(
    config: WorkerConfig, flows: Sequence[ConnectorFlow], principals: Mapping[str, str]
) -> FileNeeds:
    """
    Return what a worker needs.

    Args:
        config: The worker's file.
        flows: Those of connectors that are known.
        principals: Who kmirror is on a cluster, by alias; see `file_needs`.
    """
    asked = [*_of_worker(config), *(each for flow in flows for each in _of_flow(flow))]
    return with_principals(asked, principals)


def shared_needs(config: WorkerConfig, flows: Sequence[ConnectorFlow]) -> FileNeeds:
    """
    Return what is needed besides what flows need: by the worker itself, and for heartbeats.

    Args:
        config: The worker's file.
        flows: Those of connectors that are known.
    """
    asked = [*_of_worker(config), *(each for flow in flows for each in _of_heartbeats(flow))]
    return with_principals(asked, {})


def worker_clusters(
    config: WorkerConfig, flows: Sequence[ConnectorFlow]
) -> Mapping[str, ClusterConfig]:
    """Return the clusters of a worker and of flows, by alias."""
    own = ClusterConfig(
        alias=WORKERS_CLUSTER, bootstrap_servers=config.bootstrap_servers, admin=config.client
    )
    return {each.alias: each for each in (own, *(one for flow in flows for one in flow.clusters))}


def _of_worker(config: WorkerConfig) -> Iterator[Asked]:
    if config.standalone:
        return
    group = config.group_id
    named = [
        (row, storage.name)
        for row, storage in (
            (CONFIG_STORAGE_ROW, config.config_storage),
            (OFFSET_STORAGE_ROW, config.offset_storage),
            (STATUS_STORAGE_ROW, config.status_storage),
        )
        if storage is not None
    ]
    named += [
        (WORKERS_ROW, workers_topic(group)),
        (LEADER_ROW, f"connect-cluster-{group}"),
        (WORKERS_GROUP_ROW, group),
    ]
    for row, name in named:
        yield WORKERS_CLUSTER, config.client, row, AclName(name)


def _of_flow(flow: ConnectorFlow) -> Iterator[Asked]:
    if flow.config is not None:
        yield from asked_of(flow.config, flow_access(flow.config))
    yield from _of_heartbeats(flow)


def _of_heartbeats(flow: ConnectorFlow) -> Iterator[Asked]:
    if flow.heartbeats is not None:
        target = flow.clusters[1]
        yield target.alias, target.admin, HEARTBEAT_ROW, AclName(HEARTBEATS_TOPIC)
