"""One value for all topics, and others for some."""

from __future__ import annotations

import pytest

from kmirror.config.deletion import read_deletion
from kmirror.config.keys.key import ValueProblem, split_list
from kmirror.config.per_topic import check_per_topic, one_of_words, read_per_topic
from kmirror.policy.deletion import Deletion
from kmirror.policy.per_topic import PerTopic

WORDS = one_of_words("park", "skip", "dlq")


def read(text: str) -> PerTopic[str]:
    return read_per_topic(split_list(text), "park", WORDS)


def test_the_first_pattern_that_names_a_topic_counts() -> None:
    choice = read("audit.*: skip, skip, audit-x: dlq, (?:orders|bills):dlq")
    topics = ("audit-x", "bills", "orders2", "else")
    assert [choice.of(topic) for topic in topics] == ["skip", "dlq", "skip", "skip"]
    assert choice.values == ("skip", "skip", "dlq", "dlq")


def test_what_the_list_does_not_name_is_the_default() -> None:
    assert read("a: skip").of("b") == "park"
    assert read("").of("b") == "park"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("drop", "one of park, skip, dlq"),
        ("a: drop", "one of park, skip, dlq"),
        (": skip", "a regex before the colon"),
        ("(a: skip", "a regex before the colon"),
        ("skip, park", "one value for all topics"),
    ],
)
def test_what_is_wrong_is_said(text: str, problem: str) -> None:
    with pytest.raises(ValueProblem, match=problem):
        check_per_topic(WORDS)(split_list(text))


def test_what_becomes_of_copies() -> None:
    read_each = read_per_topic(
        split_list("quarantine, tmp.*: delete-after=7d, .*-x: delete-after = 90s"),
        Deletion(),
        read_deletion,
    )
    assert [read_each.of(topic).text for topic in ("a", "tmp1", "a-x")] == [
        "quarantine",
        "delete-after=7d",
        "delete-after=90s",
    ]
    assert [read_each.of(topic).after_ms for topic in ("tmp1", "a-x")] == [604_800_000, 90_000]


@pytest.mark.parametrize("text", ["drop", "delete-after", "delete-after=7", "ignore=7d"])
def test_what_becomes_of_no_copy(text: str) -> None:
    with pytest.raises(ValueProblem, match="expected"):
        read_deletion(text)
