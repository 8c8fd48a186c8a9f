"""Where groups are on one cluster and where they go on, on the other one; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlace:
    """
    A group on one partition, where it was and where it would go.

    Args:
        group: Its name.
        here: The partition that it was on.
        offset: Its offset there.
        there: The same partition on the other cluster.
        goes_on: Where it goes on, there.
        committed: What it has committed there; `None` when nothing.
        metadata: What it committed with its offset here.
    """

    group: str
    here: TopicPartition
    offset: int
    there: TopicPartition
    goes_on: int
    committed: int | None
    metadata: str = ""

    @property
    def is_behind(self) -> bool:
        """Whether it has not come as far there as it was here."""
        return self.committed is None or self.committed < self.goes_on


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSurvey:
    """
    Groups that were on one cluster, and what they would find on the other one.

    Args:
        places: By group and partition.
        held: Groups that may not be moved now, and why.
        refused: Groups that are not followed, and why.
        active: Groups that have members where they come from.
        unknown: Groups' partitions that are mirrored, but where they go on is not known.
    """

    places: tuple[GroupPlace, ...] = ()
    held: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    active: frozenset[str] = frozenset()
    unknown: tuple[tuple[str, TopicPartition], ...] = ()

    @property
    def groups(self) -> frozenset[str]:
        """Those that are on a partition which both clusters have."""
        return frozenset(place.group for place in self.places)

    def moves(self, *, backwards: bool) -> tuple[GroupPlace, ...]:
        """
        Give the places whose offsets are to be set.

        Args:
            backwards: Also where the group has been further there than it was here.
        """
        return tuple(
            place
            for place in self.places
            if place.group not in self.held
            and (place.is_behind or (backwards and place.committed != place.goes_on))
        )

    def left(self) -> Mapping[str, str]:
        """Give the groups that would not go on where they were, and why they are left alone."""
        behind = {place.group for place in self.places if place.is_behind}
        return {group: why for group, why in self.held.items() if group in behind}


def with_committed(
    places: Iterable[GroupPlace], committed: Mapping[str, Mapping[TopicPartition, GroupPosition]]
) -> tuple[GroupPlace, ...]:
    """
    Add what the groups have committed there.

    Args:
        places: The places.
        committed: By group, then by partition.
    """
    found = ((place, committed.get(place.group, {}).get(place.there)) for place in places)
    return tuple(
        place if at is None else replace(place, committed=at.offset) for place, at in found
    )


def positions(places: Iterable[GroupPlace]) -> Mapping[str, Mapping[TopicPartition, GroupPosition]]:
    """Give what is to be committed for *places*, by group and partition."""
    wanted: dict[str, dict[TopicPartition, GroupPosition]] = {}
    for place in places:
        at = GroupPosition(offset=place.goes_on, metadata=place.metadata)
        wanted.setdefault(place.group, {})[place.there] = at
    return wanted


def joined(first: GroupSurvey, second: GroupSurvey) -> GroupSurvey:
    """Give two surveys of the same groups, over different partitions, as one."""
    return GroupSurvey(
        places=first.places + second.places,
        held={**first.held, **second.held},
        refused={**first.refused, **second.refused},
        active=first.active | second.active,
        unknown=first.unknown + second.unknown,
    )
