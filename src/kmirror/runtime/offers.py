"""
Who of a group may have which flows, where not all have the same file; pure.

While nodes are started again one after the other, some have the new file and some the old one. A
flow that begins somewhere begins with the newest file that anybody has for it, and one that runs
goes on with what it has until it has to move. So it never goes back to older settings as long as a
node with newer ones is there. A node says what its file is when it was written last, since two
files cannot say themselves which of them is the newer one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kmirror.wire.worker_group import Offer


def candidates(
    flows: Collection[str], members: Sequence[str], offers: Mapping[str, Offer]
) -> dict[str, tuple[str, ...]]:
    """
    Return who may begin a flow, by flow.

    Args:
        flows: What there is to do for all that offer nothing of their own.
        members: Who is there.
        offers: What members have a file for; one that has said nothing has none.
    """
    known = {member: offers[member] for member in members if member in offers}
    if not known:
        return dict.fromkeys(flows, tuple(members))
    ages: dict[str, tuple[int, str]] = {}
    for member, offer in known.items():
        ages[offer.file] = max(ages.get(offer.file, (0, "")), (offer.written_ms, member))
    newest: dict[str, str] = {}
    for offer in known.values():
        for flow in offer.flows:
            if flow not in newest or ages[offer.file] > ages[newest[flow]]:
                newest[flow] = offer.file
    return {
        flow: tuple(
            member for member, offer in known.items() if offer.file == file and flow in offer.flows
        )
        for flow, file in newest.items()
    }


def may_keep(flow: str, member: str, offers: Mapping[str, Offer]) -> bool:
    """Tell whether a member that has a flow may go on with it."""
    return not offers or (member in offers and flow in offers[member].flows)
