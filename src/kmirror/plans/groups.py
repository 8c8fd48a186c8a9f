"""Which consumer groups are followed, and what is committed for them on the target; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, GroupState

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
    """Give the groups that are not followed, and why; see `refusal`."""
    return {name: why for name, group in groups.items() if (why := refusal(group, allowed))}


def all_held(groups: Iterable[str], states: Mapping[str, GroupState]) -> dict[str, str]:
    """Give the groups whose offsets on a cluster are not touched, and why; see `held_back`."""
    return {group: why for group in groups if (why := held_back(group, states))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """
    Where a group is on both sides.

    Args:
        target: The target partition.
        upstream: The group's offset on the source.
        downstream: Where it goes on, on the target.
        metadata: What it committed with its offset.
    """

    target: TopicPartition
    upstream: int
    downstream: int
    metadata: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlan:
    """
    What to commit on the target.

    Args:
        commit: By group, then by partition.
        held: Groups that are left alone for now, and why.
    """

    commit: Mapping[str, Mapping[TopicPartition, GroupPosition]] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)


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
) -> CommitPlan:
    """
    Decide what is committed (KIP-545): forwards only, and only for groups without members.

    Args:
        translations: By group, then by source partition.
        states: The target's groups.
        committed: What these have committed on the target.
    """
    commit: dict[str, Mapping[TopicPartition, GroupPosition]] = {}
    held: dict[str, str] = {}
    for group, places in translations.items():
        if why := held_back(group, states):
            held[group] = why
            continue
        theirs = committed.get(group, {})
        forwards = {
            place.target: GroupPosition(offset=place.downstream, metadata=place.metadata)
            for place in places.values()
            if place.target not in theirs or theirs[place.target].offset < place.downstream
        }
        if forwards:
            commit[group] = forwards
    return CommitPlan(commit=commit, held=held)
