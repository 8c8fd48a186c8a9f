"""Consumer groups: follows them on the source, writes checkpoints, commits on the target."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from kmirror.admin.groups import GroupAdmin
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.flows.translation import Translator
from kmirror.model import Flow, TopicPartition
from kmirror.plans.groups import CommitPlan, Translation, held_back, plan_commits, refusals
from kmirror.plans.snapshot import GroupPosition, GroupState
from kmirror.wire.mirror_records import Checkpoint

_log = logging.getLogger(__name__)

_GROUPS_AT_ONCE = 100

Translations = dict[str, dict[TopicPartition, Translation]]
"""By group, then by source partition."""


class GroupOffsets:
    """
    The groups of one flow. All of it belongs to one thread.

    Args:
        flow: The flow.
        source, target: The groups of both ends.
        checkpoints: The topic of checkpoints, on the target.
        translator: Knows where offsets are on the target.
        allowed: The group filter, by name.
        positions: Gives how far each source partition is copied.
        clock: For the checkpoints' timestamps.
    """

    def __init__(
        self,
        flow: Flow,
        translator: Translator,
        *,
        source: GroupAdmin,
        target: GroupAdmin,
        checkpoints: InternalTopic,
        allowed: Callable[[str], bool],
        positions: Callable[[], Mapping[TopicPartition, int]],
        clock: Clock,
    ) -> None:
        self._flow = flow
        self._source = source
        self._target = target
        self._checkpoints = checkpoints
        self._translator = translator
        self._allowed = allowed
        self._positions = positions
        self._clock = clock
        self._followed: tuple[str, ...] = ()
        self._refused: dict[str, str] = {}
        self._held: Mapping[str, str] = {}
        self._known: Translations = {}
        self._ahead: set[tuple[str, TopicPartition]] = set()  # of the copy, when last translated
        self._checkpointed: dict[tuple[str, TopicPartition], Translation] = {}
        self._committed: dict[tuple[str, TopicPartition], int] = {}

    def refresh(self) -> None:
        """
        Look which groups there are.

        Raises:
            ClusterError: The source could not be asked.
        """
        states = self._source.groups()
        refused = refusals(states, self._allowed)
        for name in sorted(refused.keys() - self._refused.keys()):
            if self._allowed(name):
                _log.warning("%s: group %s is not synced: %s", self._flow, name, refused[name])
        self._refused = refused
        self._followed = tuple(sorted(states.keys() - refused.keys()))

    def follow(self) -> None:
        """
        Read where the groups are on the source, and translate it.

        Raises:
            ClusterError: The source could not be asked.
        """
        offsets = self._source.offsets(self._followed)
        copied = self._positions()
        for group, positions in offsets.positions.items():
            self._translate(group, positions, copied)
        self._forget(self._known.keys() - set(self._followed))

    def _forget(self, groups: Collection[str]) -> None:
        """Names of groups may be different every day."""
        if groups:
            for group in groups:
                del self._known[group]
            self._ahead = {key for key in self._ahead if key[0] not in groups}
            for kept in (self._checkpointed, self._committed):
                for key in [key for key in kept if key[0] in groups]:
                    del kept[key]

    def _translate(
        self,
        group: str,
        positions: Mapping[TopicPartition, GroupPosition],
        copied: Mapping[TopicPartition, int],
    ) -> None:
        known = self._known.setdefault(group, {})
        for partition, at in positions.items():
            place = known.get(partition)
            behind = copied.get(partition)
            if behind is None or (target := self._translator.copy_of(partition)) is None:
                continue
            if (
                place is not None
                and (place.target, place.upstream, place.metadata)
                == (target, at.offset, at.metadata)
                and (group, partition) not in self._ahead
            ):
                continue
            # Never beyond what is copied: the group would miss what comes in between.
            downstream = self._translator.to_target(partition, min(at.offset, behind))
            if downstream is not None:
                ahead = self._ahead.add if at.offset > behind else self._ahead.discard
                ahead((group, partition))
                known[partition] = Translation(
                    target=target,
                    upstream=at.offset,
                    downstream=downstream,
                    metadata=at.metadata,
                )
        for partition in known.keys() - positions.keys():
            del known[partition]

    def write_checkpoints(self) -> None:
        """
        Write down what has changed since the last time (`MirrorCheckpointTask`).

        Raises:
            MirrorError: They were not written; they will be the next time.
        """
        due = {
            (group, place.target): place
            for group, places in self._known.items()
            for place in places.values()
            if _is_newer(place, self._checkpointed.get((group, place.target)))
        }
        now_ms = self._clock.wall_ms()
        self._checkpoints.write(
            _checkpoint(group, place, now_ms) for (group, _), place in due.items()
        )
        self._checkpointed |= due

    def commit(self) -> None:
        """
        Commit on the target, for groups that have no members there (KIP-545).

        Raises:
            ClusterError: The target could not be asked.
        """
        changed = self._changed()
        if not changed:
            return
        states, groups = self._target.groups(), sorted(changed)
        # While the cluster takes some, the next are compared with what it has.
        with ThreadPoolExecutor(1, "kmirror-group-commits") as pool:
            begun = [
                self._begin_commit(pool, {group: changed[group] for group in part}, states)
                for part in _parts(groups)
            ]
            for commit in begun:
                self._end_commit(commit)
        self._tell_held({group: why for commit in begun for group, why in commit.plan.held.items()})

    def _begin_commit(
        self, pool: ThreadPoolExecutor, changed: Translations, states: Mapping[str, GroupState]
    ) -> _Commit:
        theirs = self._target.offsets([g for g in changed if not held_back(g, states)])
        asked = {group: places for group, places in changed.items() if group not in theirs.failed}
        plan = plan_commits(asked, states, theirs.positions)
        failed = pool.submit(self._target.commit, plan.commit)
        return _Commit(asked=asked, plan=plan, failed=failed)

    def _end_commit(self, commit: _Commit) -> None:
        failed = commit.failed.result()
        for group, error in failed.items():
            _log.debug("%s: group %s: %s", self._flow, group, error)
        for group in commit.asked.keys() - failed.keys() - commit.plan.held.keys():
            for place in commit.asked[group].values():
                self._committed[group, place.target] = place.downstream

    def look_again(self) -> None:
        """Compare everything with the target the next time, also what has not changed here."""
        self._committed.clear()

    def _changed(self) -> Translations:
        return {
            group: changed
            for group, places in self._known.items()
            if (
                changed := {
                    partition: place
                    for partition, place in places.items()
                    if self._committed.get((group, place.target)) != place.downstream
                }
            )
        }

    def _tell_held(self, held: Mapping[str, str]) -> None:
        for group in sorted(held.keys() - self._held.keys()):
            _log.info("%s: group %s is left alone: %s", self._flow, group, held[group])
        self._held = held


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """
    A commit for some groups that is under way.

    Args:
        asked: Where they are.
        plan: What is committed of it.
        failed: Will be the groups that failed, and why.
    """

    asked: Translations
    plan: CommitPlan
    failed: Future[Mapping[str, ClusterError]]


def _parts(groups: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(groups), _GROUPS_AT_ONCE):
        yield groups[at : at + _GROUPS_AT_ONCE]


def _is_newer(place: Translation, last: Translation | None) -> bool:
    """MirrorMaker 2's rule: a group that went back on the source may go back here, too."""
    if last is None or place.upstream < last.upstream:
        return True
    return place.downstream > last.downstream


def _checkpoint(group: str, place: Translation, now_ms: int) -> InternalRecord:
    checkpoint = Checkpoint(
        group=group,
        partition=place.target,
        upstream=place.upstream,
        downstream=place.downstream,
        metadata=place.metadata,
    )
    key, value = checkpoint.encode()
    return InternalRecord(key=key, value=value, timestamp_ms=now_ms)
