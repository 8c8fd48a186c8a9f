"""What kind of members a group has, whatever their protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from kmirror.admin import _errors
from kmirror.admin.connection import connection_settings, open_client
from kmirror.errors import NotAuthorized
from kmirror.waits import waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupKind:
    """
    A group's members.

    Args:
        protocol: `consumer`, `connect`, or what else they have; empty for a group without members.
        members: How many there are.
    """

    protocol: str
    members: int


def read_group_kind(config: Mapping[str, Any], group: str, *, timeout_s: float) -> GroupKind:
    """
    Return what members a group has; none where we may not know.

    Args:
        config: librdkafka settings for the cluster.
        group: The group.
        timeout_s: The deadline, seconds.

    Raises:
        ClusterError: The cluster did not answer.
    """
    cause = _errors.ConnectionCause()
    cluster, doing = "the workers' cluster", f"look at group {group}"
    try:
        with waiting(f"for {cluster}", doing, why=cause.words):
            client = open_client(AdminClient, connection_settings(config, cause), cluster)
            found = client.list_groups(group, timeout=timeout_s)
    except KafkaException as error:
        translated = _errors.translate(error, cluster=cluster, doing=doing, cause=cause)
        if isinstance(translated, NotAuthorized):
            return GroupKind(protocol="", members=0)
        raise translated from error
    kinds = [each for each in found if each.members]
    if not kinds:
        return GroupKind(protocol="", members=0)
    return GroupKind(protocol=kinds[0].protocol_type or "", members=len(kinds[0].members))
