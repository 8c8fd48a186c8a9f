"""Looks whether the last record that was copied still lies where it was put."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from confluent_kafka import Message

from kmirror.admin.adopt import LogSide, read
from kmirror.admin.content import columns_of, identity
from kmirror.admin.log_bounds import log_start
from kmirror.admin.reader import headers_of
from kmirror.wire.provenance import read_provenance

# A filter may have left out the last ones; compaction may have removed some.
_LOOK_BACK_OFFSETS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedUpTo:
    """
    A position in both logs.

    Args:
        source: The next source offset to copy.
        target: The offset behind the last record that was written to the target.
    """

    source: int
    target: int


def holds_last_copied(
    source: LogSide,
    target: LogSide,
    copied: CopiedUpTo,
    *,
    changed: Collection[str] = (),
    origin: str | None = None,
) -> bool:
    """
    Return whether the target still has the last record that was copied, at its offset.

    Args:
        source: The source partition.
        target: Its copy.
        copied: How far it was copied.
        changed: The columns that the copy may have changed.
        origin: The source's alias, if copies say where they come from; then that is enough: behind
            the last one the source may have any number of records that are not copied.

    Returns:
        Also true when nothing is left to compare, because retention or compaction removed it.

    Raises:
        ClusterError: A side could not be read.
    """
    if log_start(target.admin, target.partition) >= copied.target:
        return True
    theirs = _before(target, copied.target)
    last = theirs[-1] if theirs else None
    if last is None or last.offset() != copied.target - 1:
        return _is_compacted(target)
    if origin is not None:
        provenance = read_provenance(headers_of(last))
        return provenance is not None and provenance.chain[-1:] == (origin,)
    ours = _before(source, copied.source)
    columns = columns_of(ours, theirs, changed)
    if identity(last, columns) in {identity(message, columns) for message in ours}:
        return True
    return not ours or _is_compacted(source)


def _before(side: LogSide, offset: int) -> list[Message]:
    return read(
        side, max(log_start(side.admin, side.partition), offset - _LOOK_BACK_OFFSETS), offset
    )


def _is_compacted(side: LogSide) -> bool:
    settings = side.admin.topic_configs([side.partition.topic]).get(side.partition.topic, ())
    policy = next((entry.value for entry in settings if entry.name == "cleanup.policy"), None)
    return "compact" in (policy or "")
