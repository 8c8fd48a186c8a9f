"""
Finds out where the records of a gap went, by comparing both logs; pure.

Nothing was written down of a gap, so its records are read on both sides. The target's are the
source's, in their order, without those that a filter left out; compaction may have removed records
from either side since.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from kmirror.offsets.runs import RunArray
from kmirror.wire.offset_runs import Run


@dataclass(frozen=True, slots=True)
class Seen:
    """
    A record of one log.

    Args:
        offset: Where it lies.
        identity: The same for a record and its copy.
    """

    offset: int
    identity: Hashable


def align(source: Sequence[Seen], target: Sequence[Seen]) -> Sequence[Run] | None:
    """
    Pair the records of both sides.

    Args:
        source, target: All records of a range, by offset.

    Returns:
        The runs of those that are on both sides. Records that look the same may allow more than
        one answer: when all of the source are on the target, the first of them; otherwise `None`.
    """
    forwards = _paired(source, target)
    last, end = len(source) - 1, len(target) - 1
    backwards = [
        (last - here, end - there) for here, there in reversed(_paired(source[::-1], target[::-1]))
    ]
    if forwards != backwards and len(forwards) < len(source):
        return None
    runs = RunArray()
    for here, there in forwards:
        runs.append(Run(source[here].offset, target[there].offset, 1))
    return runs


def _paired(source: Sequence[Seen], target: Sequence[Seen]) -> list[tuple[int, int]]:
    """Pair each record of the source with the first of the target that may be its copy."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at, record in enumerate(target):
        places[record.identity].append(at)
    pairs, following = [], 0
    for at, record in enumerate(source):
        candidates = places.get(record.identity, [])
        found = bisect_left(candidates, following)
        if found < len(candidates):
            pairs.append((at, candidates[found]))
            following = candidates[found] + 1
    return pairs
