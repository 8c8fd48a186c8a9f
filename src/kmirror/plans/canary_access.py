"""What a flow's canary asks of its clusters; part of `access_table`."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.plans.access import Access, Client, Operation, Resource, Row
from kmirror.policy.acl_names import AclName

_ONLY = "with `kmirror.canary.enabled = true`"


def _topics(access: Access) -> Sequence[AclName]:
    return (AclName(access.canary_topic),)


def _copies(access: Access) -> Sequence[AclName]:
    copy = access.policy.format_remote_topic(access.flow.source, access.canary_topic)
    return (AclName(copy),)


CANARY_ROWS = (
    Row(
        end="source",
        clients=(Client.CONTROL,),
        resource=Resource.TOPIC,
        names=_topics,
        operations=(Operation.CREATE, Operation.WRITE),
        why="writing the canary's records",
        without="there is no canary",
        when=lambda access: bool(access.canary_topic),
        only=_ONLY,
    ),
    Row(
        end="target",
        clients=(Client.CONTROL,),
        resource=Resource.TOPIC,
        names=_copies,
        operations=(Operation.READ,),
        why="looking whether the canary's records arrive",
        without="there is no canary",
        when=lambda access: bool(access.canary_topic),
        only=_ONLY,
    ),
)
