"""What the file may say about gaps; `plans.reactions` does it."""

from __future__ import annotations

from typing import Literal

GapReaction = Literal["fail", "continue", "restart", "new-generation"]
"""For every kind of gap."""

PositionReaction = Literal[
    "fail", "continue", "restart", "new-generation", "earliest", "latest", "adopt"
]
"""Where the target lost what was committed there, or nobody knows how far it is."""

GAP_REACTIONS = ("fail", "continue", "restart", "new-generation")
POSITION_REACTIONS = (*GAP_REACTIONS, "earliest", "latest", "adopt")
