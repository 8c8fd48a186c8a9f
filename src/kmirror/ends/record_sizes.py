"""Tells, before the first record is copied, which copies take smaller records than their topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.errors import ClusterError
from kmirror.events.emit import emit
from kmirror.events.poison import RECORD_SIZE_LIMITED
from kmirror.plans.check_facts import number
from kmirror.plans.check_rules import takes_less
from kmirror.plans.snapshot import settings_of

_SETTING = "max.message.bytes"


def tell_record_sizes(
    config: FlowConfig, clients: FlowClients, mirrored: Sequence[Mirrored]
) -> None:
    """
    Compare what topics and their copies take; what may not be read is left out.

    Args:
        config: The flow.
        clients: Its clients.
        mirrored: What it copies.
    """
    copies = {each.source.topic: each.target.topic for each in mirrored}
    try:
        ours = _limits(clients.source, copies)
        theirs = _limits(clients.target, copies.values())
    except ClusterError:
        return  # the flow itself tells of a cluster that does not answer
    less = [
        (topic, ours[topic], theirs[copy])
        for topic, copy in sorted(copies.items())
        if topic in ours and copy in theirs and takes_less(ours[topic], theirs[copy])
    ]
    if less:
        first, source_bytes, target_bytes = less[0]
        emit(
            RECORD_SIZE_LIMITED,
            flow=config.flow,
            topic=first,
            topic_count=len(less),
            reason=f"{first} takes {source_bytes:,} bytes (max.message.bytes), its copy "
            f"{target_bytes:,}",
        )


def _limits(admin: ClusterAdmin, topics: Iterable[str]) -> Mapping[str, int]:
    found = admin.readable_topic_configs(sorted(set(topics))).entries
    limits = {topic: number(settings_of(entries).get(_SETTING)) for topic, entries in found.items()}
    return {topic: limit for topic, limit in limits.items() if limit is not None}
