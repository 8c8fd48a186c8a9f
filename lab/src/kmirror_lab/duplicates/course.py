"""How a run went: how many records were on both sides, over time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kmirror_lab.duplicates.audit import Sample, new_offsets

Copies = Mapping[int, Sequence[tuple[int, int]]]
"""Partition to offset and sequence number of each of its records, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """
    How many records were where.

    Args:
        at_s: When, since the first record was in the source.
        produced: Records in the source.
        mirrored: Records in the target.
        distinct: Different ones among them.
    """

    at_s: float
    produced: int
    mirrored: int
    distinct: int

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers without the time."""
        return self.produced, self.mirrored, self.distinct


def course(samples: Sequence[Sample], copies: Copies) -> tuple[Moment, ...]:
    """
    Say how many records were there at each time.

    What was seen meanwhile are ends of partitions, which transactions' marks move, too; so
    records are counted by what was read in the end. Times at which nothing changed are left out.

    Args:
        samples: In the order of time.
        copies: All that is in the target.
    """
    places = {
        place: ([offset for offset, _ in copy], new_offsets(copy)) for place, copy in copies.items()
    }
    moments = [
        Moment(
            at_s=round(sample.at_s, 3),
            produced=sample.produced,
            mirrored=sum(
                bisect_left(offsets, sample.ends.get(place, 0))
                for place, (offsets, _) in places.items()
            ),
            distinct=sum(
                bisect_left(new, sample.ends.get(place, 0)) for place, (_, new) in places.items()
            ),
        )
        for sample in samples
    ]
    return tuple(_thinned(moments))


def seen_s(samples: Sequence[Sample], place: int, offset: int) -> float | None:
    """Say when the end of a partition was first seen behind an offset."""
    return next((each.at_s for each in samples if each.ends.get(place, 0) > offset), None)


def _thinned(moments: list[Moment]) -> list[Moment]:
    return [
        moment
        for index, moment in enumerate(moments)
        if index in (0, len(moments) - 1)
        or not moments[index - 1].counts == moment.counts == moments[index + 1].counts
    ]
