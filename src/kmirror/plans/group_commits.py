"""Which consumer groups are followed, and what is committed for them on the target; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, GroupState
from kmirror.wire.written_offsets import WrittenOffset

# A group whose members have offsets: these kinds, with this protocol or without members' protocol.
_KINDS = frozenset({"", "Classic", "Consumer"})
_PROTOCOLS = frozenset({"", "consumer"})
_IDLE_STATES = frozenset({"", "Empty", "Dead"})
_OTHER_KINDS = {
    "Share": "a share group: it has no offsets, each record is acknowledged by itself",
    "Streams": "a streams group: its state lies in topics, which offsets alone do not move",
}


def refusal(group: GroupState, allowed: Callable[[str], bool]) -> str:
    """
    Say why a group is not followed; empty when it is.

    Args:
        group: The group.
        allowed: The filter, by name.
    """
    if not allowed(group.name):
        return "groups or groups.exclude says so"
    if group.kind not in _KINDS:
        return _OTHER_KINDS.get(group.kind, f"a {group.kind} group: unknown to kmirror")
    if group.protocol not in _PROTOCOLS:
        return f"its members speak {group.protocol}, not the consumers' protocol"
    return ""


def refusals(groups: Mapping[str, GroupState], allowed: Callable[[str], bool]) -> dict[str, str]:
    """Return the groups that are not followed, and why; see `refusal`."""
    return {name: why for name, group in groups.items() if (why := refusal(group, allowed))}


def all_held(groups: Iterable[str], states: Mapping[str, GroupState]) -> dict[str, str]:
    """Return the groups whose offsets on a cluster are not touched, and why; see `held_back`."""
    return {group: why for group in groups if (why := held_back(group, states))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """
    A group's offset on both clusters.

    Args:
        target: The target partition.
        upstream: The group's offset on the source.
        downstream: Where it goes on, on the target.
        metadata: What it committed with its offset.
        is_anew: A log was cut since the group was translated last: what was committed for it may
            lie where its records are no more.
    """

    target: TopicPartition
    upstream: int
    downstream: int
    metadata: str = ""
    is_anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlan:
    """
    What to commit on the target.

    Args:
        places: What is committed, by group.
        held: Groups that are left alone for now, and why.
        further: Groups that stay further on the target than they are on the source, and why.
    """

    places: Mapping[str, tuple[Translation, ...]] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)

    @property
    def commit(self) -> Mapping[str, Mapping[TopicPartition, GroupPosition]]:
        """What is committed, by group, then by partition."""
        return {
            group: {
                place.target: GroupPosition(offset=place.downstream, metadata=place.metadata)
                for place in places
            }
            for group, places in self.places.items()
        }


FindWritten = Callable[[str, TopicPartition], WrittenOffset | None]
"""Gives what kmirror has committed last for a group on a partition of the target."""


def has_gone_back(written: WrittenOffset | None, *, committed: int, offset: int) -> bool:
    """
    Return whether a group's committed offset may be set to an earlier one.

    Only if kmirror itself wrote it, and the group has gone back since on the cluster where it
    works. What a consumer has committed says that it has read so far.

    Args:
        written: What kmirror has committed for the group there; `None` when nothing.
        committed: What is committed there now.
        offset: The group's own offset on the cluster where it works.
    """
    return written is not None and written.offset == committed and offset < written.origin


def is_ours(written: WrittenOffset | None, committed: int | None) -> bool:
    """
    Return whether kmirror wrote what is committed.

    A consumer that has committed the very same offset has read nothing beyond it.
    """
    return written is not None and written.offset == committed


def who_committed(written: WrittenOffset | None, cluster: str) -> str:
    """Say why an offset counts as a consumer's, which is never set back unasked."""
    if written is None:
        return f"nothing says that kmirror committed that on {cluster}"
    return f"a consumer of {cluster} committed that; kmirror had committed {written.offset}"


def held_back(group: str, states: Mapping[str, GroupState]) -> str:
    """
    Say why a group's offsets on a cluster are not touched; empty when they may be.

    Args:
        group: Its name.
        states: The cluster's groups; one that is not there was never heard of.
    """
    state = states.get(group)
    if state is None:
        return ""
    if state.kind not in _KINDS:
        return f"there it is a {state.kind} group"
    return "" if state.state in _IDLE_STATES else "it has members there"


def plan_commits(
    translations: Mapping[str, Mapping[TopicPartition, Translation]],
    states: Mapping[str, GroupState],
    committed: Mapping[str, Mapping[TopicPartition, GroupPosition]],
    written: FindWritten,
    *,
    cluster: str,
) -> CommitPlan:
    """
    Decide what is committed (KIP-545): only for groups without members, and forwards.

    Backwards where kmirror wrote what is there, and the group has gone back on the source, or what
    it had read was lost on the target, and lies elsewhere now.

    Args:
        translations: By group, then by source partition.
        states: The target's groups.
        committed: What these have committed on the target.
        written: Gives what kmirror has committed.
        cluster: What the target is called.
    """
    chosen: dict[str, tuple[Translation, ...]] = {}
    held: dict[str, str] = {}
    further: dict[str, str] = {}
    for group, places in translations.items():
        if why := held_back(group, states):
            held[group] = why
            continue
        theirs = committed.get(group, {})
        wanted = []
        for place in places.values():
            at = theirs.get(place.target)
            if at is None or at.offset < place.downstream:
                wanted.append(place)
            elif at.offset > place.downstream:
                ours = written(group, place.target)
                has_moved = place.is_anew and is_ours(ours, at.offset)
                if has_moved or has_gone_back(ours, committed=at.offset, offset=place.upstream):
                    wanted.append(place)
                elif not is_ours(ours, at.offset):
                    is_at = f"{place.target} is at {at.offset}, not at {place.downstream}"
                    further[group] = f"{is_at}: {who_committed(ours, cluster)}"
        if wanted:
            chosen[group] = tuple(wanted)
    return CommitPlan(places=chosen, held=held, further=further)
