"""Whose a flow is when its driver claims it again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.admin.owner_entry import OwnerEntry, this_process
from kmirror.clock import ManualClock
from kmirror.errors import ClusterUnavailable, Fenced
from kmirror.flows.claims import Claims
from kmirror.wire.position import Owner
from tests.support.driver import A_TO_B

US = this_process(ManualClock(), A_TO_B, slots=1)
# Another driver of the same process: the flow was removed, and added again.
OTHER = this_process(ManualClock(), A_TO_B, slots=1)


class Target:
    """A flow's entry, and whether the next claim fails, before or after it is written."""

    def __init__(self) -> None:
        self.entry: OwnerEntry | None = None
        self.fails = self.is_away = False

    def read_owner(self, *, was_owned: bool = False) -> OwnerEntry | None:
        """Return it, whether there has to be one or not."""
        assert not was_owned or self.entry is not None
        return self.entry

    def claim(self, owner: Owner) -> int:
        """Write it, and fail before or behind that if it is to."""
        if self.is_away:
            raise ClusterUnavailable("the target does not answer")
        generation = 1 if self.entry is None else self.entry.generation + 1
        self.entry = OwnerEntry(generation=generation, owner=owner)
        if self.fails:
            raise ClusterUnavailable("the coordinator of a slot does not answer")
        return generation


def test_a_claim_that_came_half_way_is_no_strangers() -> None:
    """It is claimed again, as often as that fails, also with the settings of a reload."""
    target, claims = Target(), Claims("A->B")
    assert claims.take(target, US) == 1
    target.fails = True
    for owner in (US, US, replace(US, driver=f"{US.process}-reload")):
        with pytest.raises(ClusterUnavailable):
            claims.take(target, owner)
    target.is_away = True
    with pytest.raises(ClusterUnavailable):
        claims.take(target, OTHER)
    target.fails = target.is_away = False
    assert claims.take(target, US) == claims.generation == 5


@pytest.mark.parametrize("half_way", [False, True])
def test_who_has_claimed_since_keeps_it(half_way: bool) -> None:
    """Whatever has become of our own claim before."""
    target, claims = Target(), Claims("A->B")
    claims.take(target, US)
    if half_way:
        target.fails = True
        with pytest.raises(ClusterUnavailable):
            claims.take(target, US)
        target.fails = False
    target.claim(OTHER)
    with pytest.raises(Fenced, match=r"A->B is now driven by process \d+"):
        claims.take(target, US)
    assert target.entry == OwnerEntry(generation=3 if half_way else 2, owner=OTHER)


@pytest.mark.parametrize("before", [None, OTHER])
@pytest.mark.parametrize("is_away", [False, True])
def test_a_first_claim_that_failed_gives_way_too(before: Owner | None, is_away: bool) -> None:
    """It takes the flow from whoever had it, and not from who has come since."""
    target, claims = Target(), Claims("A->B")
    if before is not None:
        target.claim(before)
    target.is_away, target.fails = is_away, not is_away
    for _ in range(2):
        with pytest.raises(ClusterUnavailable):
            claims.take(target, US)
    target.is_away = target.fails = False
    target.claim(replace(OTHER, driver="newer"))
    with pytest.raises(Fenced, match="driver newer"):
        claims.take(target, US)


def test_the_first_claim_takes_it_from_anybody() -> None:
    """Also where nobody has it."""
    target = Target()
    target.claim(OTHER)
    assert Claims("A->B").take(target, US) == 2
    assert Claims("A->B").take(Target(), US) == 1
