"""Since when flows have their verdicts."""

from __future__ import annotations

from kmirror.console.verdicts import Verdicts
from kmirror.model import Flow

AB = Flow("A", "B")


def test_since_when_a_flow_is_as_it_is() -> None:
    """The first look that saw it counts; of a verdict that is newer nobody knows that yet."""
    verdicts = Verdicts()
    assert verdicts.since_ms(AB, "IN_SYNC") is None
    for at_ms, verdict in ((5, "IN_SYNC"), (10, "IN_SYNC"), (15, "BEHIND"), (20, "BEHIND")):
        verdicts.note(AB, verdict, at_ms)
    assert verdicts.since_ms(AB, "BEHIND") == 15
    assert verdicts.since_ms(AB, "IN_SYNC") is None
    verdicts.forget_others(frozenset())
    assert verdicts.since_ms(AB, "BEHIND") is None
