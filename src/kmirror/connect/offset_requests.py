"""
Which offsets of MirrorMaker 2's connectors may be written by request; pure.

The checks and their words are `MirrorUtils`' and each connector's `alterOffsets` (KIP-875).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kmirror.config.connector import Kind
from kmirror.connect.model import ConnectorOffset, JsonValue
from kmirror.errors import BadRequest
from kmirror.model import Flow, TopicPartition

_INT_MAX = 2**31 - 1
_LONG_MAX = 2**63 - 1
_WORDS = {
    Kind.SOURCE: ("cluster", "topic"),
    Kind.CHECKPOINT: ("group", "topic"),
    Kind.HEARTBEAT: ("sourceClusterAlias", "targetClusterAlias"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedPosition:
    """
    Where a partition shall go on.

    Args:
        cluster: The alias of its cluster.
        partition: Which.
        position: The next offset to copy; `None` begins anew.
    """

    cluster: str
    partition: TopicPartition
    position: int | None


def check_offsets(kind: Kind, offsets: Iterable[ConnectorOffset]) -> None:
    """
    Refuse what a connector refuses.

    Args:
        kind: Which connector.
        offsets: As they were sent.

    Raises:
        BadRequest: One is not possible; Connect has the same words, and calls it its own fault.
    """
    for each in offsets:
        if each.offset is None:
            continue  # garbage can be cleaned up
        for key in _WORDS[kind]:
            _check_text(each.partition, key)
        if kind is not Kind.HEARTBEAT:
            _check_partition(each.partition)
        _check_offset(each.partition, each.offset, only_zero=kind is not Kind.SOURCE)


def wanted_positions(offsets: Iterable[ConnectorOffset]) -> tuple[WantedPosition, ...]:
    """Return what checked offsets of a MirrorSourceConnector ask for; garbage asks for nothing."""
    found = []
    for each in offsets:
        match each.partition:
            case {"cluster": str(cluster), "topic": str(topic), "partition": int(number)}:
                last = None if each.offset is None else each.offset["offset"]
                position = last + 1 if isinstance(last, int) else None
                place = TopicPartition(topic, number)
                found.append(WantedPosition(cluster=cluster, partition=place, position=position))
    return tuple(found)


def offset_of(cluster: str, partition: TopicPartition, position: int) -> ConnectorOffset:
    """Return a position in MirrorMaker 2's words: it tells which offset was the last."""
    return ConnectorOffset(
        partition={
            "cluster": cluster,
            "partition": partition.partition,
            "topic": partition.topic,
        },
        offset={"offset": position - 1},
    )


def checkpoint_partition(group: str, partition: TopicPartition) -> Mapping[str, JsonValue]:
    """Return what a checkpoint is about, in MirrorMaker 2's words."""
    return {"partition": partition.partition, "topic": partition.topic, "group": group}


def heartbeat_partition(flow: Flow) -> Mapping[str, JsonValue]:
    """Return what a heartbeat is about, in MirrorMaker 2's words."""
    return {"sourceClusterAlias": flow.source, "targetClusterAlias": flow.target}


def _check_text(partition: Mapping[str, JsonValue], key: str) -> None:
    _require(partition, key)
    if not isinstance(partition[key], str):
        raise _invalid(partition, key, "must be a string")


def _check_partition(partition: Mapping[str, JsonValue]) -> None:
    _require(partition, "partition")
    number = _integer(partition["partition"])
    if number is None or number > _INT_MAX:
        raise _invalid(partition, "partition", "must be an integer")
    if number < 0:
        raise _invalid(partition, "partition", "cannot be negative")


def _check_offset(
    partition: Mapping[str, JsonValue], offset: Mapping[str, JsonValue], *, only_zero: bool
) -> None:
    head = f"Source offset {_shown(offset)} for source partition {_shown(partition)}"
    if "offset" not in offset:
        raise BadRequest(f"{head} is missing the 'offset' key, which is required")
    value = offset["offset"]
    head = f"{head} has an invalid value {_shown(value)} for the 'offset' key"
    number = _integer(value)
    # The largest has none behind it that could be copied next.
    if number is None or number >= _LONG_MAX:
        raise BadRequest(f"{head}, which must be an integer")
    if only_zero and number != 0:
        raise BadRequest(f"{head}; the only accepted value is 0")
    if number < 0:
        raise BadRequest(f"{head}, which cannot be negative")


def _require(partition: Mapping[str, JsonValue], key: str) -> None:
    if key not in partition:
        raise BadRequest(
            f"Source partition {_shown(partition)} is missing the '{key}' key, which is required"
        )


def _invalid(partition: Mapping[str, JsonValue], key: str, why: str) -> BadRequest:
    return BadRequest(
        f"Source partition {_shown(partition)} has an invalid value {_shown(partition[key])} for "
        f"the '{key}' key, which {why}"
    )


def _integer(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _shown(value: object) -> str:
    """Return a value as Java prints it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={_shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
