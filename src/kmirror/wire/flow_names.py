"""
Every name by which brokers know a flow.

Within a process a flow is `S->T`, which only one flow can be: no alias contains `>`. Topics, groups
and transactional ids cannot be called that, so their names join source and target by a dash. An
alias may contain dashes, too: `a->b-c` and `a-b->c` have the same names. The names lie on the
target, and do no harm where the two targets are different clusters. Where they are one cluster,
only one of the two flows may run; `namesakes` gives those to look for.
"""

from __future__ import annotations

import re

from kmirror.model import Flow

_DASH = "-"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]")


def position_group(flow: Flow) -> str:
    """Name the group on the target cluster that holds the positions of *flow*."""
    return f"__kmirror-{joined(flow)}"


def offset_map_topic(flow: Flow) -> str:
    """Name the topic on the target cluster that holds the exact offset map of *flow*."""
    return f"__kmirror-offsets-{joined(flow)}"


def offsets_topic(source: str) -> str:
    """Name the topic on the target with MM2's positions of what comes from *source*."""
    return f"mm2-offsets.{source}.internal"


def slot_transactional_ids(flow: Flow, slot: int) -> tuple[str, str]:
    """Name the transactional ids of a slot: while one commits, the other goes on."""
    first = f"kmirror-{joined(flow)}-{slot}"
    return first, f"{first}-b"


def owner_transactional_id(flow: Flow) -> str:
    """Name the transactional id of a flow's driver."""
    return f"kmirror-{joined(flow)}-owner"


def client_id(flow: Flow) -> str:
    """Name the lanes' clients, for quotas and the brokers' logs."""
    return f"{flow}|kmirror"


def namesakes(flow: Flow) -> tuple[Flow, ...]:
    """Give the other flows that have the same names."""
    words = joined(flow).split(_DASH)
    splits = (Flow(_DASH.join(words[:at]), _DASH.join(words[at:])) for at in range(1, len(words)))
    return tuple(each for each in splits if each.source and each.target and each != flow)


def joined(flow: Flow) -> str:
    """Give what the names of *flow* end with."""
    # A target's alias may have characters that a topic's name may not, or librdkafka's group.
    return f"{flow.source}{_DASH}{in_names(flow.target)}"


def in_names(text: str) -> str:
    """Return *text* without what names may not have."""
    return _NOT_IN_NAMES.sub(lambda found: f"_{ord(found[0]):x}_", text)
