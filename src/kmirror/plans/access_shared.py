"""What processes that share flows ask of the cluster on which they meet; part of the table."""

from __future__ import annotations

from functools import partial

from kmirror.plans.access import Client, Operation, Resource, Row, nodes_topics
from kmirror.policy.acl_names import AclName
from kmirror.wire.worker_group import workers_topic

_ALL = (Operation.CREATE, Operation.READ, Operation.WRITE)

NODES_ROW = Row(
    end="target",
    clients=(Client.CONTROL,),
    resource=Resource.TOPIC,
    names=nodes_topics,
    operations=_ALL,
    why="sharing flows with other nodes",
    without="the node runs nothing",
    only="with `kmirror.nodes = several`",
)
"""What a node asks of the cluster on which nodes meet."""

_workers = partial(Row, end="target", clients=(Client.CONTROL,))


def _storage(kind: str, why: str) -> Row:
    """Return what a Connect worker asks of one of its three topics."""
    return _workers(
        resource=Resource.TOPIC,
        names=lambda _: (AclName(f"connect-{kind}"),),
        operations=_ALL,
        why=why,
        without="the worker does not start",
    )


CONFIG_STORAGE_ROW = _storage("configs", "connectors, and what they shall do")
OFFSET_STORAGE_ROW = _storage("offsets", "where Connect's connectors were, and where ours are")
STATUS_STORAGE_ROW = _storage("status", "what connectors do")
WORKERS_ROW = _workers(
    resource=Resource.TOPIC,
    names=lambda _: (AclName(workers_topic("connect-cluster")),),
    operations=_ALL,
    why="sharing flows with other workers",
    without="the worker runs nothing",
)
LEADER_ROW = _workers(
    resource=Resource.TRANSACTIONAL_ID,
    names=lambda _: (AclName("connect-cluster-connect-cluster"),),
    operations=(Operation.WRITE,),
    why="changing connectors",
    without="no connector can be made, changed or deleted",
)
WORKERS_GROUP_ROW = _workers(
    resource=Resource.GROUP,
    names=lambda _: (AclName("connect-cluster"),),
    operations=(Operation.READ,),
    why="keeping workers of Kafka Connect out of the group",
    without="the worker does not know of them, and both may copy the same records",
)
WORKER_ROWS = (
    CONFIG_STORAGE_ROW,
    OFFSET_STORAGE_ROW,
    STATUS_STORAGE_ROW,
    WORKERS_ROW,
    LEADER_ROW,
    WORKERS_GROUP_ROW,
)
"""What a Connect worker asks of its own cluster, with the names that Kafka's example has."""
