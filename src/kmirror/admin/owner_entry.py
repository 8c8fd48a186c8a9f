"""The entry in a flow's group that says whose the flow is."""

from __future__ import annotations

import os
import platform
import uuid
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.errors import Fenced, Held, MirrorError
from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import Owner, decode_owner

# What the UUIDs of this process's claims begin with.
THIS_PROCESS = uuid.uuid4().hex[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerEntry:
    """
    The owner's entry in the flow's group.

    Args:
        generation: How many times the flow was claimed.
        owner: Who claimed it last; `None` when the text is unreadable.
    """

    generation: int
    owner: Owner | None

    @property
    def is_hold(self) -> bool:
        """Whether somebody keeps the flow from copying."""
        return self.owner is not None and bool(self.owner.hold)

    @property
    def driver(self) -> Owner | None:
        """The driver that owns the flow, dead or alive; who holds a flow drives nothing."""
        return None if self.is_hold else self.owner


def read_owner(flow: Flow, admin: ClusterAdmin, offsets_topic: str) -> OwnerEntry | None:
    """
    Return who owns *flow* now; `None` when nobody ever did.

    Args:
        flow: The flow.
        admin: The target's control plane.
        offsets_topic: The flow's offsets topic.
    """
    entry = TopicPartition(offsets_topic, 0)
    position = admin.group_positions(position_group(flow), [entry]).get(entry)
    if position is None:
        return None
    return OwnerEntry(generation=position.offset, owner=decode_owner(position.metadata))


def this_process(
    clock: Clock, flow: Flow, *, slots: int, hold: str = "", kept_for: str = ""
) -> Owner:
    """
    Name this process as an owner.

    Args:
        clock: Where time comes from.
        flow: What it owns.
        slots: See `Owner`.
        hold, kept_for: See `Owner`.
    """
    return Owner(
        driver=THIS_PROCESS + str(uuid.uuid4())[len(THIS_PROCESS) :],
        host=platform.node(),
        pid=os.getpid(),
        started_ms=clock.wall_ms(),
        slots=slots,
        hold=hold,
        flow=str(flow),
        kept_for=kept_for,
    )


def lost_to(flow: str, entry: OwnerEntry | None) -> MirrorError:
    """
    Return the error of a driver that lost its flow.

    Args:
        flow: The flow.
        entry: Who owns it now, as far as that can be told.
    """
    owner = None if entry is None else entry.owner
    if entry is not None and owner is not None and entry.is_hold:
        return Held(
            f"{flow} is kept from copying by {owner}",
            generation=entry.generation,
            hint=f"`kmirror failback` lets it copy again, as `kmirror {owner.hold} --abort` does",
        )
    if entry is not None and owner is not None and owner.kept_for == THIS_PROCESS:
        # It was over before it was noticed. Its end is the newest entry: nobody else has the flow.
        return Held(
            f"{flow} was kept from copying, and may copy again: {owner}",
            generation=entry.generation - 1,
            hint="it goes on by itself",
        )
    name = str(owner or "another driver")
    return Fenced(
        f"{flow} is now driven by {name}",
        owner=name,
        process="" if owner is None else owner.process,
        hint="one driver per flow; this one has stopped and wrote nothing since",
    )
