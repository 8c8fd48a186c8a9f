"""
Finds where two partitions begin to hold the same records; pure.

One side may hold older records: the source's retention removed what was copied, or copying began
in the middle. The first records of the other side are then searched in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kmirror.verify.lockstep import Row

# A single record may be there twice by chance (constant contents in one millisecond).
PREFIX_RECORDS = 64


def find_prefix(
    batches: Iterable[tuple[Sequence[Row], Sequence[int]]], prefix: Sequence[Row]
) -> tuple[int, int] | None:
    """
    Find the first place where a stream goes on like *prefix*.

    Args:
        batches: The stream: rows with their offsets.
        prefix: What to find; at the end of the stream its beginning is enough.

    Returns:
        How many records come before it, and the offset of its first record; or `None`.
    """
    assert prefix, "there is nothing to find"
    rows: list[Row] = []
    offsets: list[int] = []
    dropped = 0
    for more_rows, more_offsets in batches:
        rows.extend(more_rows)
        offsets.extend(more_offsets)
        at = _find(rows, prefix)
        if at is not None:
            return dropped + at, offsets[at]
        # What may still be the beginning of a match stays.
        keep = min(len(rows), len(prefix) - 1)
        dropped += len(rows) - keep
        rows, offsets = rows[len(rows) - keep :], offsets[len(offsets) - keep :]
    for at in range(len(rows)):
        if rows[at:] == list(prefix[: len(rows) - at]):
            return dropped + at, offsets[at]
    return None


def _find(rows: list[Row], prefix: Sequence[Row]) -> int | None:
    wanted = list(prefix)
    at = -1
    while True:
        try:
            at = rows.index(wanted[0], at + 1, len(rows) - len(wanted) + 1)
        except ValueError:
            return None
        if rows[at : at + len(wanted)] == wanted:
            return at
