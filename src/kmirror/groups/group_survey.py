"""Where the groups of a flow are on both sides, whether somebody drives it at the moment or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.group_admin import GroupAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery
from kmirror.ends.flow_ends import open_ends
from kmirror.ends.translation import translator_from_outside
from kmirror.errors import ClusterError
from kmirror.groups.written_offsets import WrittenOffsets, open_written_offsets
from kmirror.model import TopicPartition
from kmirror.plans.group_commits import all_held, refusals
from kmirror.plans.places import (
    GroupPlace,
    GroupSurvey,
    UnknownPlace,
    positions,
    with_committed,
    with_written,
)
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.flow_names import position_group
from kmirror.wire.written_offsets import WrittenOffset

Positions = Mapping[str, Mapping[TopicPartition, GroupPosition]]
"""By group, then by partition."""


class GroupSurveyor(Connected):
    """
    Looks at the groups of a flow from outside; to be used in a `with` block.

    Args:
        config: The flow.
        clients: Its clients.
        source, target: The groups of both ends.
        allowed: Which groups, by name.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        *,
        source: GroupAdmin,
        target: GroupAdmin,
        allowed: Callable[[str], bool],
        clock: Clock,
    ) -> None:
        self._config = config
        self._clients = clients
        self._source = source
        self._target = target
        self._allowed = allowed
        self._clock = clock
        with ExitStack() as opened:
            ends = open_ends(opened, config, clients, timeout_s=config.admin_timeout_s, clock=clock)
            self._written = open_written_offsets(config, clients, ends)
            self._translator = translator_from_outside(config, ends)
            self._mirrored = Discovery(config, clients.source, clients.target, clock).present()
            self._translator.follow(self._mirrored)
            self._translator.refresh()
            self._opened = opened.pop_all()

    def survey(self, *, back: bool = False) -> GroupSurvey:
        """
        Translate all offsets of all groups; gaps of the offset map are filled on the way.

        Args:
            back: From the target to the source, instead of the other way.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        here, there = (self._target, self._source) if back else (self._source, self._target)
        states = here.groups()
        refused = refusals(states, self._allowed)
        followed = sorted(states.keys() - refused.keys())
        theirs = here.offsets(followed)
        found = self._translated(theirs.positions, back=back)
        known = {(place.group, place.here) for place in found}
        seen = look_there(found, there)
        self._written.look_again()
        return replace(
            seen,
            places=with_written(seen.places, partial(self._written.find, self._there(back=back))),
            unread={group: str(error) for group, error in theirs.failed.items()},
            refused=refused,
            active=frozenset(all_held(followed, states)),
            unknown=tuple(
                UnknownPlace(
                    group=group,
                    partition=partition,
                    offset=at,
                    why=self.why_unknown(partition, at, back=back),
                )
                for group, partition in _mirrored(theirs.positions, self._others(back=back))
                if (group, partition) not in known
                for at in [theirs.positions[group][partition].offset]
            ),
        )

    def _translated(self, found: Positions, *, back: bool) -> list[GroupPlace]:
        """Say where all groups go on; what is not known of a partition is left out."""
        others = self._others(back=back)
        places: list[GroupPlace] = []

        def ask() -> None:
            copied = None if back else self._positions()
            places[:] = [
                GroupPlace(
                    group=group,
                    here=here,
                    offset=at.offset,
                    there=others[here],
                    goes_on=goes_on,
                    committed=None,
                    metadata=at.metadata,
                )
                for group, here in _mirrored(found, others)
                for at in [found[group][here]]
                if copied is None or here in copied
                # Never beyond what is copied.
                for offset in [at.offset if copied is None else min(at.offset, copied[here])]
                if (goes_on := self._other_offset(here, others[here], offset, back=back))
                is not None
            ]

        self._translator.look_again()
        self._translator.settle(ask)
        return self._with_ends(places) if back else places

    def _with_ends(self, places: Sequence[GroupPlace]) -> list[GroupPlace]:
        """Say which groups of the target have read all that was copied."""
        copied = self._positions()
        return [
            replace(place, has_all=place.goes_on >= copied.get(place.there, math.inf))
            for place in places
        ]

    def _other_offset(
        self, here: TopicPartition, there: TopicPartition, offset: int, *, back: bool
    ) -> int | None:
        if back:
            return self._translator.to_source(there, offset)
        return self._translator.to_target(here, offset)

    def commit(
        self, places: Sequence[GroupPlace], *, back: bool = False
    ) -> Mapping[str, ClusterError]:
        """
        Set offsets where groups go on.

        Args:
            places: Which; see `GroupSurvey.moves`.
            back: They are the source's.

        Returns:
            The groups that failed, and why.
        """
        return commit_places(
            places,
            self._source if back else self._target,
            self._written,
            cluster=self._there(back=back),
            at_ms=self._clock.wall_ms(),
        )

    def reaches(self, there: TopicPartition, *, back: bool = False) -> bool:
        """Whether a partition of the other side is the flow's, and not the other way's."""
        return there in set(self._others(back=back).values())

    def find(
        self, here: TopicPartition, offset: int, *, back: bool = False
    ) -> tuple[TopicPartition, int] | None:
        """
        Say where one goes on, on the other side, who has everything before an offset of this one.

        Args:
            here: The partition.
            offset: Its offset.
            back: It is the target's.

        Returns:
            The other partition and its offset; `None` when they are not known.
        """
        there = self._others(back=back).get(here)
        if there is None:
            return None
        ask = partial(self._other_offset, here, there, offset, back=back)
        ask()
        if not self._translator.is_settled:
            self._translator.settle(ask)
        at = ask()
        return None if at is None or not self._translator.is_settled else (there, at)

    def repeats(self, here: TopicPartition, offset: int) -> bool:
        """Return whether who goes on where `find` says, on the target, may read records again."""
        return not self._translator.is_exact(here, offset)

    def why_unknown(self, here: TopicPartition, offset: int, *, back: bool = False) -> str:
        """
        Say why `find` has no answer.

        Args:
            here, offset, back: What was asked.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        there = self._others(back=back).get(here)
        if there is None:
            return self._why_not_mirrored(here, back=back)
        side, alias = self._side(back=back)
        end = side.offsets([here], "latest").get(here)
        if end is not None and offset > end:
            return f"{here} ends at {end} on {alias}"
        return self._translator.why_unknown(there if back else here, offset, back=back)

    def _why_not_mirrored(self, here: TopicPartition, *, back: bool) -> str:
        flow, (side, alias) = self._config.flow, self._side(back=back)
        topics = side.topics()
        if here.topic not in topics:
            return f"there is no topic {here.topic} on {alias}"
        if here.partition >= (count := topics[here.topic].partitions):
            return f"{here.topic} has {count} partitions on {alias}"
        if back:
            return f"{here.topic} is no copy that {flow} makes"
        selection = self._config.topic_selection()
        if not selection.selects(here.topic):
            return f"{flow} does not copy {here.topic} (topics, topics.exclude)"
        return f"not copied yet: its copy {selection.remote_topic(here.topic)} is not complete"

    def _side(self, *, back: bool) -> tuple[ClusterAdmin, str]:
        clients, flow = self._clients, self._config.flow
        return (clients.target, flow.target) if back else (clients.source, flow.source)

    def _others(self, *, back: bool) -> Mapping[TopicPartition, TopicPartition]:
        """Return the partitions of the other side, by those of this one."""
        if back:
            return {each.target: each.source for each in self._mirrored}
        return {each.source: each.target for each in self._mirrored}

    def _there(self, *, back: bool) -> str:
        return self._config.flow.source if back else self._config.flow.target

    def close(self) -> None:
        """Let go of connections."""
        self._opened.close()

    def _positions(self) -> Mapping[TopicPartition, int]:
        """Return how far each source partition is copied, as the target has it."""
        copies = {each.target: each.source for each in self._mirrored}
        group = position_group(self._config.flow)
        found = self._clients.target.group_positions(group, tuple(copies))
        return {copies[target]: position.offset for target, position in found.items()}


def look_there(found: Sequence[GroupPlace], there: GroupAdmin) -> GroupSurvey:
    """
    Add what groups have committed where they go, and which of them may not be moved now.

    Args:
        found: Their places.
        there: The groups of that cluster.

    Raises:
        ClusterError: The cluster could not be asked.
    """
    groups = sorted({place.group for place in found})
    committed = there.offsets(groups)
    unread = {group: str(error) for group, error in committed.failed.items()}
    return GroupSurvey(
        places=with_committed(found, committed.positions),
        held=all_held(groups, there.groups()) | unread,
    )


def commit_places(
    places: Sequence[GroupPlace],
    there: GroupAdmin,
    written: WrittenOffsets,
    *,
    cluster: str,
    at_ms: int,
) -> Mapping[str, ClusterError]:
    """
    Set offsets where groups go on, and write down that it was kmirror who did.

    Args:
        places: Which.
        there: The groups of that cluster.
        written: Remembers it.
        cluster: The alias of that cluster.
        at_ms: When it was seen where the groups are, milliseconds since the epoch.

    Returns:
        The groups that failed, and why.

    Raises:
        ClusterError: It could not be written down; doing it again does no harm.
    """
    failed = there.commit(positions(places)) if places else {}
    written.add(
        WrittenOffset(
            cluster=cluster,
            group=place.group,
            partition=place.there,
            offset=place.goes_on,
            origin=place.offset,
            at_ms=at_ms,
        )
        for place in places
        if place.group not in failed
    )
    written.write()
    return failed


def _mirrored(
    found: Positions, others: Collection[TopicPartition]
) -> Iterator[tuple[str, TopicPartition]]:
    """Yield groups and their partitions, as far as these are mirrored, in order."""
    for group in sorted(found):
        for partition in sorted(found[group]):
            if partition in others:
                yield group, partition
