"""Consumer groups: follows them on the source, writes checkpoints, commits on the target."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from queue import SimpleQueue

from kmirror.admin.group_admin import GroupAdmin
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord
from kmirror.clock import Clock
from kmirror.ends.translation import Translator
from kmirror.errors import ClusterError, NotAuthorized
from kmirror.events.consumers import (
    GROUP_AHEAD,
    GROUP_DENIED,
    GROUP_HELD,
    GROUP_OFFSETS_FAILED,
    GROUP_OFFSETS_SYNCED,
    GROUP_REFUSED,
)
from kmirror.events.emit import emit
from kmirror.groups.followed_group import Copied, FollowedGroup
from kmirror.groups.written_offsets import WrittenOffsets
from kmirror.model import Flow, TopicPartition
from kmirror.pieces import pieces
from kmirror.plans.group_commits import CommitPlan, Translation, held_back, plan_commits, refusals
from kmirror.plans.snapshot import GroupState
from kmirror.state.meter import Meter
from kmirror.wire.mirror_records import Checkpoint
from kmirror.wire.written_offsets import WrittenOffset

_GROUPS_AT_ONCE = 100

Translations = dict[str, dict[TopicPartition, Translation]]
"""By group, then by source partition."""


class GroupSync:
    """
    The groups of one flow. All of it belongs to one thread, but for `cut`.

    Args:
        flow: The flow.
        source, target: The groups of both ends.
        checkpoints: The topic of checkpoints, on the target.
        written: What was committed on the target.
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
        written: WrittenOffsets,
        allowed: Callable[[str], bool],
        positions: Callable[[], Mapping[TopicPartition, int]],
        meter: Meter,
        clock: Clock,
    ) -> None:
        self._flow = flow
        self._source = source
        self._target = target
        self._checkpoints = checkpoints
        self._written = written
        self._translator = translator
        self._allowed = allowed
        self._positions = positions
        self._meter = meter
        self._clock = clock
        self._followed: tuple[str, ...] = ()
        self._refused: dict[str, str] = {}
        self._held: Mapping[str, str] = {}
        self._further: set[str] = set()
        self._denied: set[str] = set()
        self._groups: dict[str, FollowedGroup] = {}
        self._cut: SimpleQueue[TopicPartition] = SimpleQueue()
        self._cuts: set[TopicPartition] = set()  # what came out of it
        self._followed_in_s = 0.0
        self._followed_at_ms = 0

    def cut(self, partitions: Iterable[TopicPartition]) -> None:
        """Note that logs of source partitions were cut; from any thread."""
        for partition in partitions:
            self._cut.put(partition)

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
                emit(GROUP_REFUSED, flow=self._flow, group=name, reason=refused[name])
        self._refused = refused
        self._followed = tuple(sorted(states.keys() - refused.keys()))

    def follow(self) -> None:
        """
        Read where the groups are on the source, and translate it.

        Raises:
            ClusterError: The source could not be asked.
        """
        began_s, self._followed_at_ms = self._clock.monotonic_s(), self._clock.wall_ms()
        while not self._cut.empty():
            partition = self._cut.get()
            self._cuts.add(partition)
            for each in self._groups.values():
                each.cut(partition)
        # Groups that have caught up are at the same place.
        to_target = cache(self._translator.to_target)
        found: dict[str, Mapping[TopicPartition, int]] = {}
        # While some are translated, the next are read.
        with ThreadPoolExecutor(1, "kmirror-group-offsets") as pool:
            for offsets in pool.map(self._source.offsets, pieces(self._followed, _GROUPS_AT_ONCE)):
                if not offsets.positions and all(e.retriable for e in offsets.failed.values()):
                    pool.shutdown(cancel_futures=True)
                    break  # the source is away: the others would wait as long, one after another
                # Later than the offsets: few groups are ahead of it.
                copied = self._copied({tp for at in offsets.positions.values() for tp in at})
                for name, positions in offsets.positions.items():
                    group = self._groups.get(name)
                    if group is None:
                        group = self._groups[name] = FollowedGroup(self._cuts)
                    group.move(positions, copied, to_target)
                    found[name] = {tp: at.offset for tp, at in positions.items() if tp in copied}
            else:
                # Groups that are not among them count as gone: lags are judged of whole rounds.
                self._meter.groups.follow(found)
        # Names of groups may be different every day.
        for name in self._groups.keys() - set(self._followed):
            del self._groups[name]
        self._further.intersection_update(self._groups)
        self._followed_in_s = self._clock.monotonic_s() - began_s

    def _copied(self, wanted: Collection[TopicPartition]) -> Copied:
        positions = self._positions()
        return {
            partition: (target, positions[partition])
            for partition in wanted
            if partition in positions
            and (target := self._translator.copy_of(partition)) is not None
        }

    def write_checkpoints(self) -> None:
        """
        Write down what has changed since the last time (`MirrorCheckpointTask`).

        Raises:
            MirrorError: They were not written; they will be the next time.
        """
        due = {name: places for name, group in self._groups.items() if (places := group.newer())}
        now_ms, began_s = self._clock.wall_ms(), self._clock.monotonic_s()
        self._checkpoints.write(
            _checkpoint(name, place, now_ms) for name, places in due.items() for place in places
        )
        for name, places in due.items():
            self._groups[name].checkpointed(places)
        self._meter.checkpointed(
            {name: tuple(place.target for place in places) for name, places in due.items()},
            took_ms=(self._clock.monotonic_s() - began_s) * 1000,
            now_ms=self._clock.wall_ms(),
        )

    def commit(self) -> None:
        """
        Commit on the target, for groups that have no members there (KIP-545), and write it down.

        Raises:
            ClusterError: The target could not be asked.
        """
        began_s = self._clock.monotonic_s()
        changed = {
            name: places for name, group in self._groups.items() if (places := group.changed())
        }
        if not changed:
            self._written.write()  # what could not be written the last time
            return
        states = self._target.groups()
        self._written.look_again()
        # While the cluster takes some, the next are compared with what it has.
        with ThreadPoolExecutor(1, "kmirror-group-commits") as pool:
            begun = [
                self._begin_commit(pool, {group: changed[group] for group in part}, states)
                for part in pieces(sorted(changed), _GROUPS_AT_ONCE)
            ]
            self._end_commits(begun)
        self._tell_further(
            changed.keys(),
            {group: why for commit in begun for group, why in commit.plan.further.items()},
        )
        self._tell_held({group: why for commit in begun for group, why in commit.plan.held.items()})
        self._tell_denied(dict(each for commit in begun for each in commit.denied()))
        round_s = self._followed_in_s + self._clock.monotonic_s() - began_s
        emit(GROUP_OFFSETS_SYNCED, flow=self._flow, group_count=len(changed), duration_s=round_s)

    def _begin_commit(
        self, pool: ThreadPoolExecutor, changed: Translations, states: Mapping[str, GroupState]
    ) -> _Commit:
        theirs = self._target.offsets([g for g in changed if not held_back(g, states)])
        asked = {group: places for group, places in changed.items() if group not in theirs.failed}
        cluster = self._flow.target
        plan = plan_commits(
            asked, states, theirs.positions, partial(self._written.find, cluster), cluster=cluster
        )
        failed = pool.submit(self._target.commit, plan.commit)
        return _Commit(asked=asked, plan=plan, unread=theirs.failed, failed=failed)

    def _end_commits(self, begun: Iterable[_Commit]) -> None:
        """While the cluster takes some, what it has taken is written down."""
        trouble: ClusterError | None = None
        for commit in begun:
            self._written.add(self._end_commit(commit))
            try:
                if trouble is None:
                    self._written.write()
            except ClusterError as error:
                trouble = error
        if trouble is not None:
            raise trouble

    def _end_commit(self, commit: _Commit) -> list[WrittenOffset]:
        failed = commit.failed.result()
        for group, error in failed.items():
            emit(GROUP_OFFSETS_FAILED, flow=self._flow, group=group, error=error)
        for group in commit.asked.keys() - failed.keys() - commit.plan.held.keys():
            self._groups[group].committed(commit.asked[group].values())
        return [
            WrittenOffset(
                cluster=self._flow.target,
                group=group,
                partition=place.target,
                offset=place.downstream,
                origin=place.upstream,
                at_ms=self._followed_at_ms,
            )
            for group, places in commit.plan.places.items()
            if group not in failed
            for place in places
        ]

    def prune(self) -> None:
        """
        Forget what was committed for groups that the target has not any more.

        Raises:
            ClusterError: The target could not be asked.
        """
        self._written.forget_all_but(self._flow.target, self._target.groups().keys())

    def look_again(self) -> None:
        """Compare everything with the target the next time, also what has not changed here."""
        for group in self._groups.values():
            group.look_again()

    def _tell_further(self, asked: Collection[str], further: Mapping[str, str]) -> None:
        for group in sorted(further.keys() - self._further):
            emit(GROUP_AHEAD, flow=self._flow, group=group, reason=further[group])
        self._further.difference_update(asked)
        self._further.update(further)

    def _tell_held(self, held: Mapping[str, str]) -> None:
        for group in sorted(held.keys() - self._held.keys()):
            emit(GROUP_HELD, flow=self._flow, group=group, reason=held[group])
        self._held = held

    def _tell_denied(self, denied: Mapping[str, NotAuthorized]) -> None:
        for group in sorted(denied.keys() - self._denied):
            emit(GROUP_DENIED, flow=self._flow, group=group, error=denied[group])
        self._denied = set(denied)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """
    A commit for some groups that is under way.

    Args:
        asked: Where they are.
        plan: What is committed of it.
        unread: Groups that could not be asked for, and why.
        failed: Will be the groups that failed, and why.
    """

    asked: Translations
    plan: CommitPlan
    unread: Mapping[str, ClusterError]
    failed: Future[Mapping[str, ClusterError]]

    def denied(self) -> Iterator[tuple[str, NotAuthorized]]:
        """Yield the groups that may not be touched; all other trouble passes by itself."""
        for group, error in {**self.unread, **self.failed.result()}.items():
            if isinstance(error, NotAuthorized):
                yield group, error


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
