"""Where in the file a key stands: at top level, below a cluster's alias, or below a flow's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.config.keys.table import KEYS
from kmirror.model import Flow

ARROW = "->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    A key, split into prefix and name.

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
    source, arrow, rest = key.partition(ARROW)
    if arrow:
        target = _alias_before(rest, aliases)
        if source in aliases and target is not None:
            return Place(name=rest.removeprefix(f"{target}."), flow=Flow(source, target))
        return Place(name=key, stray=True)
    alias = None if key in KEYS else _alias_before(key, aliases)
    if alias is None:
        return Place(name=key)
    return Place(name=key.removeprefix(f"{alias}."), cluster=alias)


def _alias_before(text: str, aliases: Sequence[str]) -> str | None:
    """Return the longest alias that *text* begins with, before a dot."""
    fitting = [alias for alias in aliases if text.startswith(f"{alias}.")]
    return max(fitting, key=len, default=None)
