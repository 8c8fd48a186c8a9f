"""Which worker has which flows: evenly, and with as few moves as that takes; pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def share(candidates: Mapping[str, Collection[str]], before: Mapping[str, str]) -> dict[str, str]:
    """
    Return a member for each flow; the same input always gives the same answer.

    Args:
        candidates: Who may have a flow, by flow; one that nobody may have goes to nobody.
        before: Who has what so far, and may keep it.
    """
    held: dict[str, list[str]] = {}
    for member in sorted(
        {*before.values(), *(one for each in candidates.values() for one in each)}
    ):
        held[member] = []
    for flow in sorted(candidates):
        if flow in before:
            held[before[flow]].append(flow)
    # Who can go to few places is placed first.
    free = sorted(candidates.keys() - before.keys(), key=lambda flow: (len(candidates[flow]), flow))
    for flow in free:
        if candidates[flow]:
            held[_least(candidates[flow], held)].append(flow)
    while (move := _move(held, candidates)) is not None:
        flow, giver, taker = move
        held[giver].remove(flow)
        held[taker].append(flow)
    return {flow: member for member, own in held.items() for flow in own}


def _move(
    held: Mapping[str, list[str]], candidates: Mapping[str, Collection[str]]
) -> tuple[str, str, str] | None:
    """Return a flow that makes the shares more even, who gives it, and who takes it."""
    fewest = min(map(len, held.values()), default=0)
    for giver in sorted(held, key=lambda member: (-len(held[member]), member)):
        if len(held[giver]) <= fewest + 1:
            return None
        for flow in reversed(held[giver]):
            if candidates[flow]:
                taker = _least(candidates[flow], held)
                if len(held[taker]) + 1 < len(held[giver]):
                    return flow, giver, taker
    return None


def _least(members: Collection[str], held: Mapping[str, list[str]]) -> str:
    """Return who of *members* has least."""
    return min(members, key=lambda member: (len(held[member]), member))
