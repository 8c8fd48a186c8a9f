"""Tells, before the first record is copied, which copies take smaller records than their topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.errors import ClusterError
from kmirror.events.emit import emit
from kmirror.events.poison import RECORD_SIZE_LIMITED
from kmirror.model import Flow
from kmirror.plans.check_facts import number
from kmirror.plans.check_rules import takes_less
from kmirror.plans.snapshot import settings_of

_SETTING = "max.message.bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallerCopy:
    """
    A topic whose copy takes smaller records than it does itself.

    Args:
        topic: Its name on the source.
        source_bytes, copy_bytes: `max.message.bytes` of both.
    """

    topic: str
    source_bytes: int
    copy_bytes: int


def smaller_copies(clients: FlowClients, mirrored: Sequence[Mirrored]) -> tuple[SmallerCopy, ...]:
    """
    Compare what topics and their copies take; what may not be read is left out.

    Args:
        clients: The flow's clients.
        mirrored: What it copies.
    """
    copies = {each.source.topic: each.target.topic for each in mirrored}
    try:
        ours = _limits(clients.source, copies)
        theirs = _limits(clients.target, copies.values())
    except ClusterError:
        return ()  # the flow itself tells of a cluster that does not answer
    return tuple(
        SmallerCopy(topic=topic, source_bytes=ours[topic], copy_bytes=theirs[copy])
        for topic, copy in sorted(copies.items())
        if topic in ours and copy in theirs and takes_less(ours[topic], theirs[copy])
    )


def tell_record_sizes(flow: Flow, smaller: Sequence[SmallerCopy]) -> None:
    """
    Log which copies take less, if any do.

    Args:
        flow: The flow.
        smaller: They.
    """
    if smaller:
        first = smaller[0]
        emit(
            RECORD_SIZE_LIMITED,
            flow=flow,
            topic=first.topic,
            topic_count=len(smaller),
            reason=f"{first.topic} takes {first.source_bytes:,} bytes (max.message.bytes), "
            f"its copy {first.copy_bytes:,}",
        )


def _limits(admin: ClusterAdmin, topics: Iterable[str]) -> Mapping[str, int]:
    found = admin.readable_topic_configs(sorted(set(topics))).entries
    limits = {topic: number(settings_of(entries).get(_SETTING)) for topic, entries in found.items()}
    return {topic: limit for topic, limit in limits.items() if limit is not None}
