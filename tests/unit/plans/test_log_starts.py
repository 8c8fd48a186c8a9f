"""What goes from the beginning of a copy: never beyond what is known."""

from __future__ import annotations

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.log_starts import LogStartFacts, LogStartPlan, plan_log_starts

T, COPY = TopicPartition("t", 0), TopicPartition("A.t", 0)


def planned(target: int | None, *, target_start: int = 0) -> LogStartPlan:
    """Plan for a source that begins at 100; *target* is where that is on the target."""
    facts = LogStartFacts(
        source=T, target=COPY, source_start=100, target_start=target_start, wanted=100
    )
    return plan_log_starts([facts], lambda _, __: target, lambda _, __: "the map begins at 200")


def test_a_copy_begins_where_its_partition_begins() -> None:
    (start,) = planned(110).trim
    assert start.before == 110
    assert str(start) == "A.t-0: begins at 110 instead of 0 (t-0 begins at 100)"


@pytest.mark.parametrize("target_start", [110, 200])
def test_once_is_enough(target_start: int) -> None:
    """Nor does a copy get back what its own retention took."""
    assert planned(110, target_start=target_start) == LogStartPlan()


def test_what_is_not_known_stays() -> None:
    plan = planned(None)
    assert not plan
    assert [str(each) for each in plan.unknown] == ["A.t-0: the map begins at 200"]
