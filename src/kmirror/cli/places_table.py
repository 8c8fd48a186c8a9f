"""Draws where groups are on both clusters."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from kmirror.plans.places import GroupPlace


def places_table(places: Sequence[GroupPlace], *, here: str, there: str) -> Table:
    """
    Draw places.

    Args:
        places: By group and partition.
        here, there: What the two clusters are called.
    """
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("group")
    table.add_column(here)
    table.add_column("offset", justify="right")
    table.add_column(there)
    for column in ("goes on at", "committed"):
        table.add_column(column, justify="right")
    for place in places:
        committed = "-" if place.committed is None else str(place.committed)
        offsets = (str(place.offset), str(place.there), str(place.goes_on), committed)
        table.add_row(place.group, str(place.here), *offsets)
    return table
