"""Reads both sides of a gap in the exact offset map, and finds out where its records went."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from confluent_kafka import Message

from kmirror.admin.adopt import LogSide, read
from kmirror.admin.content import columns_of, identity
from kmirror.admin.log_bounds import log_start
from kmirror.offsets.alignment import Seen, align
from kmirror.offsets.exact import Gap
from kmirror.wire.offset_runs import CHUNK_RECORDS_MAX, Chunk, Run


def read_hole(
    source: LogSide, target: LogSide, gap: Gap, *, changed: Collection[str] = ()
) -> Chunk | None:
    """
    Find out where the records of a gap went, or those of its end when it is large.

    Args:
        source: The source partition.
        target: Its copy.
        gap: What is known around it.
        changed: Which of key, value, headers and timestamp the copy may have changed.

    Returns:
        What a lane would have written down; `None` when that cannot be told.

    Raises:
        ClusterError: A side could not be read.
    """
    if gap.after is None:
        return None
    start, there = _begin(source, target, gap)
    if start >= gap.after.source:
        return None  # the source's log begins behind it
    read_here = read(source, start, gap.after.source)
    read_there = read(target, there, gap.after.target)
    columns = columns_of(read_here, read_there, changed)
    ours, theirs = _seen(read_here, columns), _seen(read_there, columns)
    runs = align(ours, theirs)
    if runs is None:
        return None
    whole = gap.before is not None and start == gap.before.source
    first = runs[0].source if runs else gap.after.source
    if not whole and ours and ours[0].offset < first:
        if not runs:
            return None
        # What comes before the first pair may be on the target before what was read.
        start = first
    return Chunk(
        partition=source.partition,
        start=start,
        end=gap.after.source,
        runs=tuple(runs) or (Run(start, gap.after.target, 0),),
    )


def _begin(source: LogSide, target: LogSide, gap: Gap) -> tuple[int, int]:
    """Return the offsets from which both sides are read."""
    assert gap.after is not None, "nobody knows where it ends"
    before, after = gap.before, gap.after
    start = log_start(source.admin, source.partition)
    there = log_start(target.admin, target.partition)
    if before is not None:
        # Since it was written down, the logs may have come to begin in the gap.
        start, there = max(start, before.source), max(there, before.target)
        if after.source - before.source <= CHUNK_RECORDS_MAX:
            return start, there
    # Markers, and what was aborted, take offsets too.
    return max(start, after.source - CHUNK_RECORDS_MAX), max(
        there, after.target - 4 * CHUNK_RECORDS_MAX
    )


def _seen(messages: Sequence[Message], columns: Sequence[str]) -> list[Seen]:
    return [Seen(cast("int", m.offset()), identity(m, columns)) for m in messages]
