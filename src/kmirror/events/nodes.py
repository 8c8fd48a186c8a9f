"""The events of nodes that share flows; part of the table."""

from __future__ import annotations

from logging import INFO, WARNING

from kmirror.events.event import Event

NODES_ONE = Event(
    name="nodes.one",
    level=INFO,
    text="this is the only node of these flows: whoever starts later takes them over, and this one "
    "ends with 4",
    meaning="The file says so, or says nothing (`kmirror.nodes = one`).",
)
NODES_SEVERAL = Event(
    name="nodes.several",
    level=INFO,
    text="{group} shares these flows, and takes over what was a dead node's",
    meaning="The file has `kmirror.nodes = several`; see [several nodes](nodes.md).",
)
NODES_POSTPONED = Event(
    name="nodes.postponed",
    level=WARNING,
    text="this node's flows stay as they are for now: {error}",
    meaning="A node could not begin or end flows as they were shared; it is tried again.",
    action="Look at what it names.",
)
FLOW_HANDOVER = Event(
    name="flow.handover",
    level=INFO,
    text="{error}",
    more=("flow",),
    meaning="Another node, or Connect worker, has taken the flow over, as this one wanted when it "
    "was told to end.",
)
NODES_EVENTS = (
    FLOW_HANDOVER,
    NODES_ONE,
    NODES_SEVERAL,
    NODES_POSTPONED,
)
