"""
What is known of topics that were deleted on the source.

It lies in the topic `__kmirror-deletions-<S>-<T>`, on the flow's target and compacted, so that a
deletion stays proved, and its time known, whoever drives the flow. Keys are JSON arrays:
`["topic", name]` for a topic of the source, and `["source"]` for the cluster that the flow has
copied from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from kmirror.model import Flow
from kmirror.wire.flow_names import joined
from kmirror.wire.json_text import compact


def deletions_topic(flow: Flow) -> str:
    """Name the topic on the target cluster with what was deleted on the source of *flow*."""
    return f"__kmirror-deletions-{joined(flow)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneTopic:
    """
    A topic of the source that is proved to be gone.

    Args:
        topic: Its name on the source.
        topic_id: Its id there: another topic of the same name is another topic.
        copy: Its copy's name on the target.
        copy_id: The copy's id; empty when the target did not tell one.
        seen_ms: When that was proved, milliseconds since the epoch.
        by: Who proved it.
        policy: The choice of the file, such as `delete-after=7d`.
        released_ms: When somebody gave the copy free again; `None` while nobody has.
        released_by: Who; empty while nobody has.
        deleted_ms: When the copy was deleted; `None` while it is there.
    """

    topic: str
    topic_id: str
    copy: str
    copy_id: str
    seen_ms: int
    by: str
    policy: str
    released_ms: int | None = None
    released_by: str = ""
    deleted_ms: int | None = None

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields: dict[str, object] = {
            "id": self.topic_id,
            "copy": self.copy,
            "copy_id": self.copy_id,
            "seen_ms": self.seen_ms,
            "by": self.by,
            "policy": self.policy,
        }
        if self.released_ms is not None:
            fields |= {"released_ms": self.released_ms, "released_by": self.released_by}
        if self.deleted_ms is not None:
            fields["deleted_ms"] = self.deleted_ms
        return gone_topic_key(self.topic), compact(fields)


def gone_topic_key(topic: str) -> bytes:
    """Return the key of what is known of a topic of the source."""
    return compact(["topic", topic])


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """The cluster that a flow has copied from; on another one, absence says nothing."""

    cluster_id: str

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        return _SOURCE_KEY, compact({"cluster": self.cluster_id})


def decode_deletion(key: bytes | None, value: bytes | None) -> GoneTopic | KnownSource | str | None:
    """
    Read a record of the topic.

    Returns:
        What it says; for a record without a value the name of the topic of which nothing is known
        any more; `None` when it is none of ours.
    """
    try:
        names = json.loads(key or b"")
        fields = None if value is None else json.loads(value)
    except (ValueError, RecursionError):
        return None
    match names, fields:
        case ["topic", str(topic)], None:
            return topic
        case ["source"], {"cluster": str(cluster_id)}:
            return KnownSource(cluster_id=cluster_id)
        case ["topic", str(topic)], dict():
            return _gone(topic, fields)
    return None


def _gone(topic: str, fields: dict[str, object]) -> GoneTopic | None:
    match fields:
        case {
            "id": str(topic_id),
            "copy": str(copy),
            "copy_id": str(copy_id),
            "seen_ms": int(seen_ms),
            "by": str(by),
            "policy": str(policy),
        }:
            released_ms, deleted_ms = fields.get("released_ms"), fields.get("deleted_ms")
            return GoneTopic(
                topic=topic,
                topic_id=topic_id,
                copy=copy,
                copy_id=copy_id,
                seen_ms=seen_ms,
                by=by,
                policy=policy,
                released_ms=released_ms if isinstance(released_ms, int) else None,
                released_by=str(fields.get("released_by", "")),
                deleted_ms=deleted_ms if isinstance(deleted_ms, int) else None,
            )
    return None


_SOURCE_KEY = compact(["source"])
