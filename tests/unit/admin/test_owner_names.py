"""Who has taken a flow over, as the one that lost it tells."""

from __future__ import annotations

from dataclasses import replace

from kmirror.admin.owner_entry import THIS_PROCESS, OwnerEntry, lost_to, this_process
from kmirror.clock import SystemClock
from kmirror.errors import Fenced, Held
from kmirror.model import Flow


def test_all_claims_of_a_process_are_known_as_its_own() -> None:
    flow = Flow("A", "B")
    one, other = (this_process(SystemClock(), flow, slots=1) for _ in range(2))
    assert one.driver != other.driver
    assert one.process == other.process == THIS_PROCESS
    lost = lost_to("A->B", OwnerEntry(generation=2, owner=one))
    assert isinstance(lost, Fenced)
    assert lost.process == THIS_PROCESS


def test_who_cannot_be_read_is_nobody() -> None:
    lost = lost_to("A->B", None)
    assert isinstance(lost, Fenced)
    assert (lost.owner, lost.process) == ("another driver", "")


def test_a_hold_that_is_over_before_it_was_noticed_is_no_other_driver() -> None:
    """Its end was written for whoever had the flow: nobody else may go on from there."""
    flow = Flow("A", "B")
    ours = replace(this_process(SystemClock(), flow, slots=1), kept_for=THIS_PROCESS)
    over = lost_to("A->B", OwnerEntry(generation=3, owner=ours))
    assert isinstance(over, Held)
    # Its end is the next generation, and after that one the flow is another driver's.
    assert over.generation == 2
    others = replace(ours, kept_for="another")
    assert isinstance(lost_to("A->B", OwnerEntry(generation=3, owner=others)), Fenced)
