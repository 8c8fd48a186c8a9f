"""Lists of topics as people write them, and what of them is not there."""

from __future__ import annotations

import pytest

from kmirror.policy.unmatched import spelling_doubt, unmatched

TOPICS = frozenset({"orders", "payments", "topic_a", "topic_b", "a.b", "__consumer_offsets"})


def told(*items: str) -> dict[str, str]:
    return {each.item: each.why for each in unmatched(items, TOPICS)}


@pytest.mark.parametrize(
    ("items", "why"),
    [
        (['"orders', 'payments"'], "leave them out"),
        (["'orders'"], "leave them out"),
        (["orders payments"], "write orders, payments"),
        (["topic_*"], "write topic_.* for any ending"),
        (["order"], "there is no topic of that name"),
        (["order.+x"], "no topic's whole name matches it"),
        (['"*.internal', '__.*"'], "leave them out"),
    ],
)
def test_what_matches_nothing_is_named_with_the_reason(items: list[str], why: str) -> None:
    found = told(*items)
    assert list(found) == items
    assert all(why in each for each in found.values())


@pytest.mark.parametrize(
    "items",
    [["orders"], [".*"], ["topic_.*"], ["pay.*", "orders"], ["a.b"], ["(orders", "payments)"]],
)
def test_what_matches_is_left_alone(items: list[str]) -> None:
    assert not told(*items)


def test_only_what_is_missing_among_others_is_named() -> None:
    assert list(told("orders", "nobody", "pay.*")) == ["nobody"]


def test_a_group_that_never_matches_is_named_whole() -> None:
    """`(x,y)` is one regex in MM2, and no part of it is one by itself."""
    assert list(told("(x", "y)")) == ["(x,y)"]


def test_a_name_is_asked_for_and_a_pattern_may_match_nothing() -> None:
    named = {each.item: each.is_named for each in unmatched(["x", "x-.*", "x-*"], TOPICS)}
    assert named == {"x": True, "x-.*": False, "x-*": True}


def test_an_empty_cluster_is_no_fault_of_a_pattern() -> None:
    assert [each.item for each in unmatched([".*", "x"], set())] == ["x"]


@pytest.mark.parametrize("item", [r"\d*", ".*", "[0-9]*", "(ab)*", r"a\.b", "a+", "ab?"])
def test_sound_regexes_raise_no_doubt(item: str) -> None:
    assert not spelling_doubt(item)


def test_groups_may_have_blanks() -> None:
    assert spelling_doubt("my group")
    assert not spelling_doubt("my group", blanks=False)
