"""What may be read is divided by need, and none of it is lost."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.plans.limits import ReadLoad, allot, divide, encode, is_bound
from kmirror.policy.limits import LimitRules
from kmirror.policy.per_topic import PerTopic

RATE = 1_000_000


def rules(
    flow: int | None = None,
    topics: dict[str, int] | None = None,
    priority: dict[str, str] | None = None,
) -> LimitRules:
    return LimitRules(
        flow=flow,
        topics=PerTopic(default=None, chosen=tuple((topics or {}).items())),
        priority=PerTopic(default="A", chosen=tuple((priority or {}).items())),
    )


def load(topic: str, slot: int, rate: float = 0.0, *, behind: bool = False) -> ReadLoad:
    return ReadLoad(
        partition=TopicPartition(topic, slot), slot=slot, bytes_per_s=rate, is_behind=behind
    )


demands = st.lists(
    st.one_of(st.just(0.0), st.just(math.inf), st.floats(1, 10 * RATE)), min_size=1, max_size=8
)


@given(st.integers(1000, 10**9), demands)
def test_all_of_a_rate_is_given_to_those_who_need_it(rate: int, wanted: list[float]) -> None:
    shares = divide(rate, wanted)
    assert all((share > 0) is (demand > 0) for share, demand in zip(shares, wanted, strict=True))
    if any(wanted):
        assert abs(sum(shares) - rate) <= len(wanted)


def test_who_needs_little_leaves_the_rest() -> None:
    assert divide(RATE, [100_000, math.inf, math.inf]) == [100_000, 450_000, 450_000]
    assert divide(RATE, [math.inf, 0]) == [RATE, 0]


loads = st.lists(
    st.builds(
        ReadLoad,
        partition=st.builds(TopicPartition, st.sampled_from("abc"), st.integers(0, 5)),
        slot=st.integers(0, 2),
        bytes_per_s=st.floats(0, 10 * RATE),
        is_behind=st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(loads)
def test_slots_have_the_flows_limit_together(found: list[ReadLoad]) -> None:
    """Of whatever classes its topics are."""
    limits = allot(rules(RATE, {"a": RATE // 2}, {"b": "B", "c": "C"}), found, 3)
    assert abs(sum(limit.rate or 0 for limit in limits) - RATE) <= 12
    own = [limit.topics["a"].rate or 0 for limit in limits if "a" in limit.topics]
    assert not own or abs(sum(own) - RATE // 2) <= 6


def test_the_first_class_has_what_it_needs_on_whatever_slot() -> None:
    """A slot that only has later topics gets nearly nothing, while an earlier one is behind."""
    found = [load("first", 0, 500_000, behind=True), load("later", 1, 0, behind=True)]
    limits = allot(rules(RATE, priority={"later": "B"}), found, 2)
    assert (limits[0].rate or 0) >= 0.99 * RATE
    assert limits[1].topics["later"].rank == 1
    calm = [load("first", 0, 100_000), load("later", 1, 0, behind=True)]
    assert (allot(rules(RATE, priority={"later": "B"}), calm, 2)[1].rate or 0) > 0.8 * RATE


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (load("first", 0, 100, behind=True), 0),
        (load("first", 0, 100), 1),
    ],
)
def test_without_a_limit_later_classes_wait_for_earlier_ones(
    first: ReadLoad, expected: int
) -> None:
    limits = allot(rules(priority={"later": "C"}), [first, load("later", 1, behind=True)], 2)
    assert [limit.open for limit in limits] == [expected, expected]
    assert limits[1].rate is None


def test_what_its_own_limit_holds_back_is_not_waited_for() -> None:
    """It would be behind for ever."""
    found = [load("first", 0, 95_000, behind=True), load("later", 0, behind=True)]
    (limit,) = allot(rules(topics={"first": 100_000}, priority={"later": "B"}), found, 1)
    assert limit.open == 1
    assert is_bound(rules(topics={"first": 100_000}), found)
    assert not is_bound(rules(), found)


def test_as_lanes_read_it() -> None:
    found = [load("t", 0, behind=True)]
    text = encode(allot(rules(RATE, {"t": 5000}), found, 1))
    assert json.loads(text) == [
        {"rate": RATE, "open": 1, "topics": {"t": {"rate": 5000, "rank": 0}}}
    ]
    assert not rules()
    assert rules(priority={"t": "B"})


def test_the_limits_for_people() -> None:
    assert not rules(priority={"t": "B"}).words
    assert rules(2_000_000, {"audit.*": 1_000_000}).words == (
        "at most 2.0 MB/s, audit.* at most 1.0 MB/s"
    )
