"""Where groups are on one cluster and where they go on, on the other one; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kmirror.model import TopicPartition
from kmirror.plans.group_commits import FindWritten, has_gone_back, is_ours, who_committed
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.text import first_few
from kmirror.wire.written_offsets import WrittenOffset


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlace:
    """
    A group's offset in one partition, on both clusters.

    Args:
        group: Its name.
        here: The partition that it was on.
        offset: Its offset there.
        there: The same partition on the other cluster.
        goes_on: Where it goes on, there.
        committed: What it has committed there; `None` when nothing.
        metadata: What it committed with its offset here.
        has_all: It has read everything here that was copied from there: where it is further there,
            it had read what never came here.
        written: What kmirror has committed for it there; only looked up where it is further there.
    """

    group: str
    here: TopicPartition
    offset: int
    there: TopicPartition
    goes_on: int
    committed: int | None
    metadata: str = ""
    has_all: bool = False
    written: WrittenOffset | None = None

    @property
    def key(self) -> tuple[str, TopicPartition]:
        """The group, and the partition there."""
        return self.group, self.there

    @property
    def is_behind(self) -> bool:
        """Whether it has not come as far there as it was here."""
        return self.committed is None or self.committed < self.goes_on

    @property
    def is_further(self) -> bool:
        """Whether it would leave something out there that it has not read here."""
        return self.committed is not None and self.committed > self.goes_on

    @property
    def is_ours(self) -> bool:
        """Whether kmirror wrote what is committed there."""
        return is_ours(self.written, self.committed)

    @property
    def has_gone_back(self) -> bool:
        """Whether it was moved back here since kmirror wrote what is committed there."""
        at = self.committed
        return at is not None and has_gone_back(self.written, committed=at, offset=self.offset)

    @property
    def is_right(self) -> bool:
        """Whether it goes on there with the record that follows here."""
        if self.is_further and not self.has_gone_back:
            # A gap of the offset map may hide by now what was known when kmirror wrote it.
            return self.has_all or self.is_ours
        return self.committed == self.goes_on

    @property
    def starts_at(self) -> int:
        """Where it starts there, once it is right."""
        return self.committed if self.committed is not None and self.is_right else self.goes_on

    def wrong_start(self) -> str:
        """Say what is wrong with where it starts there; empty when nothing is."""
        if self.is_right:
            return ""
        if self.committed is None:
            return f"{self.there}: has no offset, should start at {self.goes_on}"
        distance = abs(self.committed - self.goes_on)
        what = "skipped" if self.is_further else "read twice"
        return (
            f"{self.there}: starts at {self.committed}, should at {self.goes_on}: "
            f"up to {distance:,} records would be {what}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownPlace:
    """
    A mirrored partition of a group whose offset on the other cluster is unknown.

    Args:
        group: Its name.
        partition: The partition that it was on.
        offset: Its offset there.
        why: Why that is not known.
    """

    group: str
    partition: TopicPartition
    offset: int
    why: str

    def __str__(self) -> str:
        place = f"{self.partition}:{self.offset}"
        return f"{self.group}: where it goes on that was at {place} is not known: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSurvey:
    """
    The groups of one cluster, and their offsets on the other.

    Args:
        places: By group and partition.
        held: Groups that may not be moved now, and why.
        refused: Groups that are not followed, and why.
        active: Groups that have members where they come from.
        unread: Groups of which nobody could say where they are, and why.
        unknown: Groups' partitions that are mirrored, but nobody knows where the groups go on.
    """

    places: tuple[GroupPlace, ...] = ()
    held: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    active: frozenset[str] = frozenset()
    unread: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[UnknownPlace, ...] = ()

    @property
    def groups(self) -> frozenset[str]:
        """Those that are on a partition which both clusters have, and those that may be."""
        return frozenset(place.group for place in self.places) | self.unread.keys()

    def moves(self, *, backwards: bool) -> tuple[GroupPlace, ...]:
        """
        Return the places whose offsets are to be set.

        Args:
            backwards: Also where a consumer has been further there than the group was here.
        """
        return tuple(
            place
            for place in self.places
            if place.group not in self.held
            and (
                place.is_behind
                or place.has_gone_back
                or (backwards and place.committed != place.goes_on)
            )
        )

    def moved(self, moves: Iterable[GroupPlace]) -> GroupSurvey:
        """Return what one would find there after offsets were set."""
        keys = {place.key for place in moves}
        places = (
            replace(place, committed=place.goes_on) if place.key in keys else place
            for place in self.places
        )
        return replace(self, places=tuple(places))

    def left(
        self,
        began_right: Collection[tuple[str, TopicPartition]] = (),
        failed: Mapping[str, str] | None = None,
        *,
        there: str,
    ) -> Mapping[str, str]:
        """
        Return the groups that would not go on there with what follows here, and why.

        Args:
            began_right: Places that were right a moment ago: who is further has gone on from there.
            failed: Groups whose offsets could not be set, and why.
            there: What the cluster there is called.
        """
        wrong: dict[str, list[str]] = {}
        why = dict(failed or {})
        for place in self.places:
            has_gone_on = place.is_further and place.key in began_right
            words = "" if has_gone_on or self.is_in_use(place) else place.wrong_start()
            if words:
                wrong.setdefault(place.group, []).append(words)
                if reason := self._why(place, there):
                    why.setdefault(place.group, reason)
        left = {group: _with_reason(words, why.get(group, "")) for group, words in wrong.items()}
        return {**left, **self.unread}

    def is_in_use(self, place: GroupPlace) -> bool:
        """Whether consumers there are further than the group was here: they have taken over."""
        # What kmirror wrote nobody has read.
        return place.is_further and place.group in self.held and not place.is_ours

    def _why(self, place: GroupPlace, there: str) -> str:
        if held := self.held.get(place.group):
            return held
        if place.is_further and not place.is_ours:
            return f"{who_committed(place.written, there)}; --allow-backwards moves it back"
        return ""


def _with_reason(words: Sequence[str], why: str) -> str:
    text = first_few(words)
    return f"{text} ({why})" if why else text


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


def with_written(places: Iterable[GroupPlace], find: FindWritten) -> tuple[GroupPlace, ...]:
    """
    Add what kmirror has committed for groups that are further there.

    Args:
        places: The places.
        find: Knows it.
    """
    return tuple(
        replace(place, written=find(place.group, place.there)) if place.is_further else place
        for place in places
    )


def positions(places: Iterable[GroupPlace]) -> Mapping[str, Mapping[TopicPartition, GroupPosition]]:
    """Return what is to be committed for *places*, by group and partition."""
    wanted: dict[str, dict[TopicPartition, GroupPosition]] = {}
    for place in places:
        at = GroupPosition(offset=place.goes_on, metadata=place.metadata)
        wanted.setdefault(place.group, {})[place.there] = at
    return wanted


def joined(first: GroupSurvey, second: GroupSurvey) -> GroupSurvey:
    """Join two surveys of the same groups, over different partitions."""
    return GroupSurvey(
        places=first.places + second.places,
        held={**first.held, **second.held},
        refused={**first.refused, **second.refused},
        active=first.active | second.active,
        unread={**first.unread, **second.unread},
        unknown=first.unknown + second.unknown,
    )
