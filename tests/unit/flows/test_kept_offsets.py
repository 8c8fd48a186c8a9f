"""What nobody commits is kept from expiring, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import pytest

from kmirror.clock import ManualClock
from kmirror.ends.discovery import Mirrored
from kmirror.errors import ClusterUnavailable
from kmirror.flows.kept_offsets import KEEP_INTERVAL_S, KeptOffsets
from kmirror.model import TopicPartition

T, U = (
    Mirrored(source=TopicPartition(name, 0), target=TopicPartition(f"A.{name}", 0), topic_id="")
    for name in "tu"
)


@dataclass
class Plan:
    """A plan of two partitions, of which one has a lane."""

    version: int = 3
    mirrored: tuple[Mirrored, ...] = (T, U)
    slot_of: dict[TopicPartition, int] = field(default_factory=lambda: {T.source: 0})


class Claim:
    """A claim, and what was committed again."""

    def __init__(self) -> None:
        self.is_claimed = True
        self.kept: list[set[TopicPartition]] = []
        self.entries = 0
        self.trouble: Callable[[], None] = lambda: None

    def refresh(self) -> None:
        """Take the entry."""
        self.trouble()
        self.entries += 1

    def keep_positions(self, partitions: Collection[TopicPartition]) -> None:
        """Take positions."""
        self.trouble()
        self.kept.append(set(partitions))

    def away(self) -> None:
        """Do not answer."""
        raise ClusterUnavailable("the target is away")

    def lost(self) -> None:
        """Do not answer, so that nobody knows what has become of it."""
        self.is_claimed = False
        self.away()


class Flow:
    """A flow whose lanes have a plan."""

    def __init__(self) -> None:
        self.clock, self.plan, self.claim, self.planned = ManualClock(), Plan(), Claim(), 3
        self.offsets = KeptOffsets(
            self.plan, self.claim, planned=lambda: self.planned, clock=self.clock
        )

    def pass_by(self, hours: float) -> list[set[TopicPartition]]:
        """Let hours pass, and return what was committed again at their end."""
        self.claim.kept.clear()
        self.clock.advance(hours * KEEP_INTERVAL_S)
        self.offsets.keep_positions()
        return self.claim.kept


def test_what_no_lane_has_is_kept_once_an_hour() -> None:
    """Lanes keep the rest."""
    flow = Flow()
    assert flow.pass_by(0.9) == []
    assert flow.pass_by(0.1) == [{U.position}]
    assert flow.pass_by(0.9) == []
    flow.plan.slot_of[U.source] = 1
    assert flow.pass_by(0.1) == []


def test_no_lane_may_have_it_still() -> None:
    """It is kept as soon as all of them have the plan."""
    flow = Flow()
    flow.planned = 2
    assert flow.pass_by(1) == []
    flow.planned = 3
    assert flow.pass_by(0) == [{U.position}]
    assert flow.pass_by(0) == []


def test_a_target_that_is_away_costs_nothing() -> None:
    """There are many hours left."""
    flow = Flow()
    flow.claim.trouble = flow.claim.away
    assert flow.pass_by(1) == []
    with pytest.raises(ClusterUnavailable):
        flow.offsets.keep_entry()
    flow.claim.trouble = lambda: None
    assert flow.pass_by(1) == [{U.position}]
    flow.offsets.keep_entry()
    assert flow.claim.entries == 1


@pytest.mark.parametrize("by_entry", [True, False])
def test_a_claim_that_is_lost_has_to_be_made_again(by_entry: bool) -> None:
    """Its entry would expire a week later, while all goes well, and look like a stranger's."""
    flow = Flow()
    flow.claim.trouble = flow.claim.lost
    if by_entry:
        with pytest.raises(ClusterUnavailable):
            flow.offsets.keep_entry()
    with pytest.raises(ClusterUnavailable, match="the target is away"):
        flow.pass_by(0 if by_entry else 1)
