"""Which topics are kmirror's and MirrorMaker 2's own, by their names, and what they are for."""

from __future__ import annotations

from kmirror.policy.selection import CANARY_PREFIX, EVENTS_TOPIC

_PREFIXES = (
    ("__kmirror-offsets-", "the exact offset map of a flow"),
    ("__kmirror-control-", "orders of operators"),
    ("__kmirror-groups-", "what was committed for consumer groups"),
    ("__kmirror-deletions-", "topics that were deleted on the source"),
    ("__kmirror-acls-", "ACLs that a flow has created"),
    ("__kmirror-audit-", "results of audits"),
    ("__kmirror-dlq-", "which dead letters were sent again"),
    ("__kmirror-nodes-", "how nodes share flows"),
    ("__kmirror-workers-", "how Connect workers share connectors"),
    (CANARY_PREFIX, "the canary's records"),
    ("__kmirror-", "kmirror's own"),
    ("kmirror-dlq.", "dead letters: records that could not be copied"),
    ("mm2-offset-syncs.", "MirrorMaker 2's offset syncs"),
    ("mm2-offsets.", "positions as MirrorMaker 2 keeps them"),
    ("mm2-configs.", "configurations of MirrorMaker 2's connectors"),
    ("mm2-status.", "states of MirrorMaker 2's connectors"),
)
_HEARTBEATS = "heartbeats"


def purpose_of(topic: str) -> str:
    """
    Say what a topic is for; empty for one that is of applications.

    Args:
        topic: Its name.
    """
    for prefix, purpose in _PREFIXES:
        if topic.startswith(prefix):
            return purpose
    if topic == EVENTS_TOPIC:
        return "what kmirror tells of gaps"
    if topic.endswith(".checkpoints.internal"):
        return "checkpoints of consumer groups"
    if topic == _HEARTBEATS or topic.endswith(f".{_HEARTBEATS}"):
        return "heartbeats"
    return ""
