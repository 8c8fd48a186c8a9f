"""
The text that travels with a position in the group `__kmirror-<S>-<T>`.

Kafka keeps a metadata string beside every group offset. kmirror writes compact JSON there: for a
partition what is needed to recognise the logs again, for a flow's offsets topic who drives it.
Readers ignore keys they do not know, so that a newer kmirror may add some.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from kmirror.model import TopicPartition

METADATA_BYTES_MAX = 4096  # the brokers' default of offset.metadata.max.bytes
_HOST_CHARS_MAX = 255  # the longest DNS name


def position_place(
    source: TopicPartition, target: TopicPartition, *, merged: bool
) -> TopicPartition:
    """
    Return the partition under which a flow's group has a position.

    Args:
        source: What is copied.
        target: Its copy.
        merged: Others are copied to the same partition.
    """
    # Of merged ones each needs its own. Their source is a topic of the same cluster.
    return source if merged else target


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionMetadata:
    """
    What a position stores about the two logs.

    Args:
        target_offset: The next offset of the target partition when the position was written.
        topic_id: The source topic's id; `None` when the source did not tell one.
        target_id: The target topic's id; `None` when the target did not tell one.
        source_epoch: The source's leader epoch of what lies right before the position; `None` when
            unknown. With it the source tells whether its log still is the one that was copied
            (KIP-320).
        target_epoch: The target's leader epoch when the last record was written there, or an
            earlier one; `None` when unknown.
        target_recreated: The target topic was made anew: the position belongs to the one before.
        lost_from: The target lost what it had from this offset on; `None` when it is whole.
    """

    target_offset: int
    topic_id: str | None = None
    target_id: str | None = None
    source_epoch: int | None = None
    target_epoch: int | None = None
    target_recreated: bool = False
    lost_from: int | None = None

    def encode(self) -> str:
        """Return the metadata text."""
        fields = {"t": self.target_offset, "id": self.topic_id, "tid": self.target_id}
        fields |= {"se": self.source_epoch, "te": self.target_epoch}
        fields |= {"r": int(self.target_recreated) or None, "l": self.lost_from}
        return _compact({key: value for key, value in fields.items() if value is not None})


def decode_position(text: str | None) -> PositionMetadata | None:
    """
    Read the metadata text of a position.

    Args:
        text: As Kafka returned it.

    Returns:
        The metadata, or `None` when the text is none of ours: the offset itself may still have
        been set by hand, with any Kafka tool, and stays valid.
    """
    fields = _object(text)
    target_offset = _count(fields, "t")
    if target_offset is None:
        return None
    return PositionMetadata(
        target_offset=target_offset,
        topic_id=_text(fields, "id"),
        target_id=_text(fields, "tid"),
        source_epoch=_count(fields, "se"),
        target_epoch=_count(fields, "te"),
        target_recreated=_count(fields, "r") == 1,
        lost_from=_count(fields, "l"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """
    The owner of a flow: its driver, or a command that holds it.

    Args:
        driver: A UUID, new for every start; all of one process begin alike.
        host: The machine it runs on.
        pid: Its process id there.
        started_ms: When it started, milliseconds since the epoch.
        slots: How many slots its plan has: that many transactional ids may be in use.
        hold: What keeps the flow from copying, such as `failover`; empty when it may copy.
        flow: `S->T`: another flow's names may be the same. Empty in entries of older versions.
        kept_for: The process whose driver had the flow before a hold; in the hold, and in what
            releases it. Empty when there was none.
    """

    driver: str
    host: str
    pid: int
    started_ms: int
    slots: int
    hold: str = ""
    flow: str = ""
    kept_for: str = ""

    @property
    def process(self) -> str:
        """What the UUIDs of its process begin with."""
        return self.driver.partition("-")[0]

    def encode(self) -> str:
        """Return the metadata text."""
        fields: dict[str, object] = {
            "driver": self.driver,
            "host": self.host[:_HOST_CHARS_MAX],
            "pid": self.pid,
            "started_ms": self.started_ms,
            "slots": self.slots,
        }
        more = {"hold": self.hold, "flow": self.flow, "kept_for": self.kept_for}
        return _compact(fields | {key: text for key, text in more.items() if text})

    def __str__(self) -> str:
        process = f"process {self.pid} on {self.host}"
        return (
            f"{process} (kmirror {self.hold})" if self.hold else f"{process} (driver {self.driver})"
        )


def decode_owner(text: str | None) -> Owner | None:
    """Read an owner entry; `None` when the text is none of ours."""
    fields = _object(text)
    driver, host = _text(fields, "driver"), _text(fields, "host")
    pid, started_ms, slots = (_count(fields, key) for key in ("pid", "started_ms", "slots"))
    if driver is None or host is None or pid is None or started_ms is None or slots is None:
        return None
    return Owner(
        driver=driver,
        host=host,
        pid=pid,
        started_ms=started_ms,
        slots=slots,
        hold=_text(fields, "hold") or "",
        flow=_text(fields, "flow") or "",
        kept_for=_text(fields, "kept_for") or "",
    )


def _compact(fields: dict[str, object]) -> str:
    text = json.dumps(fields, separators=(",", ":"))
    assert len(text) <= METADATA_BYTES_MAX, "the broker would refuse the whole commit"
    return text


def _object(text: str | None) -> dict[str, object]:
    """Return the JSON object in *text*, or an empty one."""
    if not text or len(text) > METADATA_BYTES_MAX:
        return {}
    try:
        # librdkafka sends a C string's NUL along, and reads past the end of a text without one:
        # what follows the object means nothing.
        fields, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _count(fields: dict[str, object], key: str) -> int | None:
    value = fields.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def _text(fields: dict[str, object], key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) and value else None
