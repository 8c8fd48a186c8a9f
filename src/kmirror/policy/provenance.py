"""What a flow writes into its copies about where they come from, and which records it leaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenanceRules:
    """
    A flow's choices.

    Args:
        hops_max: A record that came over so many flows is copied no further; `None` for no limit.
    """

    hops_max: int | None = None
