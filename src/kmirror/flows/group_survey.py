"""Where the groups of a flow are on both sides, whether somebody drives it at the moment or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from kmirror.admin.groups import GroupAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterError
from kmirror.flows.clients import FlowClients
from kmirror.flows.discovery import Discovery
from kmirror.flows.group_offsets import GroupEnds, GroupOffsets
from kmirror.flows.translation import Translator, open_ends
from kmirror.model import TopicPartition
from kmirror.plans.groups import held_back
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.offset_runs import offset_map_topic
from kmirror.wire.position import position_group

# Each round fills some holes; a hole is filled once, whoever needs it.
_ROUNDS_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlace:
    """
    A group on one partition.

    Args:
        group: Its name.
        source: The source partition.
        upstream: The group's offset there.
        target: The partition's copy.
        downstream: Where the group goes on, on the target.
        committed: What it has committed there; `None` when nothing.
        metadata: What it committed with its offset on the source.
    """

    group: str
    source: TopicPartition
    upstream: int
    target: TopicPartition
    downstream: int
    committed: int | None
    metadata: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSurvey:
    """
    The groups of a flow.

    Args:
        places: By group and source partition.
        held: Groups whose offsets on the target may not be touched now, and why.
        refused: Groups that are not followed, and why.
    """

    places: tuple[GroupPlace, ...]
    held: Mapping[str, str]
    refused: Mapping[str, str]


class GroupSurveyor:
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
        self._target = target
        with ExitStack() as opened:
            ends = open_ends(opened, config, clients, timeout_s=config.admin_timeout_s, clock=clock)
            topics = clients.target.topics()
            topic = offset_map_topic(config.flow)
            self.translator = Translator(
                config.flow,
                topic if topic in topics else "",
                ends,
                changed=[column for column, _ in config.select],
            )
            self._groups = GroupOffsets(
                config.flow,
                GroupEnds(
                    source=source,
                    target=target,
                    target_admin=clients.target,
                    target_writer=ends.target_writer,
                ),
                self.translator,
                allowed=allowed,
                positions=self._positions,
                clock=clock,
            )
            self._mirrored = Discovery(config, clients.source, clients.target, clock).present()
            self.translator.follow(self._mirrored)
            self.translator.refresh()
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened.close()

    def survey(self) -> GroupSurvey:
        """
        Translate all offsets of all groups; holes of the offset map are filled on the way.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        self._groups.refresh()
        for _ in range(_ROUNDS_MAX):
            self._groups.follow()
            if self.translator.is_settled:
                break
            self.translator.refresh()
        known = self._groups.translations
        states = self._target.groups()
        theirs = self._target.offsets(list(known))
        held = {group: why for group in known if (why := held_back(group, states))}
        held |= {group: str(error) for group, error in theirs.failed.items()}
        places = tuple(
            GroupPlace(
                group=group,
                source=source,
                upstream=place.upstream,
                target=place.target,
                downstream=place.downstream,
                committed=at.offset if at is not None else None,
                metadata=place.metadata,
            )
            for group in sorted(known)
            for source, place in sorted(known[group].items())
            for at in [theirs.positions.get(group, {}).get(place.target)]
        )
        return GroupSurvey(places=places, held=held, refused=self._groups.refused)

    def reset(self, survey: GroupSurvey) -> Mapping[str, ClusterError]:
        """
        Commit on the target what a survey has found, backwards too, except for groups held.

        Returns:
            The groups that failed, and why.
        """
        positions: dict[str, dict[TopicPartition, GroupPosition]] = {}
        for place in survey.places:
            if place.group not in survey.held and place.committed != place.downstream:
                at = GroupPosition(offset=place.downstream, metadata=place.metadata)
                positions.setdefault(place.group, {})[place.target] = at
        return self._target.commit(positions) if positions else {}

    def find(self, source: TopicPartition, offset: int) -> int | None:
        """Say where on the target one goes on who has everything before a source offset."""
        for _ in range(_ROUNDS_MAX):
            at = self.translator.to_target(source, offset)
            if self.translator.is_settled:
                return at
            self.translator.refresh()
        return None

    def source_of(self, target: TopicPartition) -> TopicPartition | None:
        """Give the source partition that a target partition is the copy of."""
        return next((each.source for each in self._mirrored if each.target == target), None)

    def _positions(self) -> Mapping[TopicPartition, int]:
        """Give how far each source partition is copied, as the target has it."""
        copies = {each.target: each.source for each in self._mirrored}
        group = position_group(self._config.flow)
        found = self._clients.target.group_positions(group, tuple(copies))
        return {copies[target]: position.offset for target, position in found.items()}
