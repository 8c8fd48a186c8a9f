"""Where in the file a key stands: at top level, below a cluster's alias, or below a flow's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.config.keys import KEYS
from kmirror.model import Flow

ARROW = "->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    A key taken apart.

    Args:
        name: What is left without the prefix.
        cluster: The alias before it, if any.
        flow: The flow before it, if any.
        stray: It begins like `X->Y.`, but X or Y is no cluster.
    """

    name: str
    cluster: str | None = None
    flow: Flow | None = None
    stray: bool = False


def place_of(key: str, aliases: Sequence[str]) -> Place:
    """Take *key* apart. An alias may contain dots; the longest that fits counts."""
    longest_first = sorted(aliases, key=len, reverse=True)
    if ARROW in key:
        for source in longest_first:
            for target in longest_first:
                if key.startswith(f"{source}{ARROW}{target}."):
                    flow = Flow(source, target)
                    return Place(name=key.removeprefix(f"{flow}."), flow=flow)
        return Place(name=key, stray=True)
    if key not in KEYS:
        for alias in longest_first:
            if key.startswith(f"{alias}."):
                return Place(name=key.removeprefix(f"{alias}."), cluster=alias)
    return Place(name=key)
