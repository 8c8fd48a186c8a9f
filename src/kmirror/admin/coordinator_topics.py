"""Kafka's own topics of coordinators, which brokers make when somebody first asks for one."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin

GROUPS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"


def may_ask(admin: ClusterAdmin, topic: str) -> bool:
    """
    Return whether a coordinator can be asked without making its topic.

    As long as there is no `GROUPS_TOPIC`, no group has offsets or members; the same goes for
    `TRANSACTIONS_TOPIC` and transactional ids.

    Args:
        admin: The control plane of the cluster.
        topic: One of the two.

    Raises:
        ClusterError: The cluster did not answer.
    """
    # Not for everybody's eyes, as usual where there are ACLs; such clusters are in use.
    return admin.told_ids([topic]).get(topic, "") is not None
