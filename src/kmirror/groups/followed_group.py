"""One consumer group of a flow: where it is on both sides, and what was said and done about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kmirror.model import TopicPartition
from kmirror.plans.group_commits import Translation
from kmirror.plans.snapshot import GroupPosition

Copied = Mapping[TopicPartition, tuple[TopicPartition, int]]
"""By source partition: its copy, and the source offset up to which it is copied."""


class FollowedGroup:
    """
    A group, from when it was first seen.

    Args:
        cut: Source partitions of which a log was cut before; see `cut`.
    """

    def __init__(self, cut: Iterable[TopicPartition] = ()) -> None:
        self._places: dict[TopicPartition, Translation] = {}  # by source partition
        self._ahead: set[TopicPartition] = set()  # of the copy, when last translated
        self._checkpointed: dict[TopicPartition, Translation] = {}  # by target partition
        self._committed: dict[TopicPartition, int] = {}  # by target partition
        self._cut = set(cut)  # source partitions, until the group is translated anew
        self._anew: set[TopicPartition] = set()  # target partitions, until the target has that

    def cut(self, partition: TopicPartition) -> None:
        """Forget where the group was in a source partition: a log of it was cut."""
        self._cut.add(partition)
        self._ahead.discard(partition)
        place = self._places.pop(partition, None)
        if place is not None:
            self._committed.pop(place.target, None)

    def move(
        self,
        positions: Mapping[TopicPartition, GroupPosition],
        copied: Copied,
        to_target: Callable[[TopicPartition, int], int | None],
    ) -> None:
        """
        Translate what has changed.

        Args:
            positions: Where the group is on the source; all of it.
            copied: The partitions that are mirrored.
            to_target: Translates an offset of a source partition; `None` while it is not known.
        """
        for partition, at in positions.items():
            if partition not in copied:
                continue
            target, behind = copied[partition]
            if self._is_known(partition, at, target):
                continue
            # Never beyond what is copied: the group would miss what comes in between.
            downstream = to_target(partition, min(at.offset, behind))
            if downstream is not None:
                ahead = self._ahead.add if at.offset > behind else self._ahead.discard
                ahead(partition)
                if partition in self._cut:
                    self._cut.discard(partition)
                    self._anew.add(target)
                self._places[partition] = Translation(
                    target=target,
                    upstream=at.offset,
                    downstream=downstream,
                    metadata=at.metadata,
                    is_anew=target in self._anew,
                )
        for partition in self._places.keys() - positions.keys():
            del self._places[partition]

    def _is_known(
        self, partition: TopicPartition, at: GroupPosition, target: TopicPartition
    ) -> bool:
        place = self._places.get(partition)
        return (
            place is not None
            and place.upstream == at.offset
            and place.target == target
            and place.metadata == at.metadata
            and partition not in self._ahead
        )

    def newer(self) -> list[Translation]:
        """Return what no checkpoint says yet."""
        return [
            place
            for place in self._places.values()
            if _is_newer(place, self._checkpointed.get(place.target))
        ]

    def checkpointed(self, places: Iterable[Translation]) -> None:
        """Note what was written down."""
        self._checkpointed.update((place.target, place) for place in places)

    def changed(self) -> dict[TopicPartition, Translation]:
        """Return what the target has not been asked to take, by source partition."""
        return {
            partition: place
            for partition, place in self._places.items()
            if self._committed.get(place.target) != place.downstream
        }

    def committed(self, places: Iterable[Translation]) -> None:
        """Note what the target has, or is further than."""
        for place in places:
            self._committed[place.target] = place.downstream
            if place.is_anew:
                self._anew.discard(place.target)

    def look_again(self) -> None:
        """Forget what the target has."""
        self._committed.clear()


def _is_newer(place: Translation, last: Translation | None) -> bool:
    """MirrorMaker 2's rule: a group that went back on the source may go back here, too."""
    if last is None or place.upstream < last.upstream:
        return True
    if place.is_anew:
        return place.downstream != last.downstream
    return place.downstream > last.downstream
