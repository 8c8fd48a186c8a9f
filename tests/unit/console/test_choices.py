"""Which rows of a long table are asked for, and in which order."""

from __future__ import annotations

import pytest

from kmirror.api.flows import Lag, PartitionView, TopicView
from kmirror.console.choices import RowChoice, chosen_partitions, chosen_topics
from kmirror.errors import BadRequest

ROWS = [
    PartitionView(flow="A->B", topic=topic, partition=number, copy=topic, state=state, slot=slot)
    for topic, number, state, slot in (
        ("t", 10, "parked", None),
        ("t", 9, "mirroring", 2),
        ("other", 0, "mirroring", 11),
    )
]


def places(choice: RowChoice) -> list[str]:
    """Give what is chosen."""
    return [f"{each.topic}-{each.partition}" for each in chosen_partitions(ROWS, choice)]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["t-10", "t-9", "other-0"]),
        ("topic", ["other-0", "t-9", "t-10"]),
        ("-topic", ["t-10", "t-9", "other-0"]),
        # What is not known is last, whatever comes first.
        ("slot", ["t-9", "other-0", "t-10"]),
        ("-slot", ["other-0", "t-9", "t-10"]),
    ],
)
def test_numbers_are_sorted_as_numbers(sort: str, expected: list[str]) -> None:
    assert places(RowChoice(sort=sort)) == expected


def test_all_that_was_asked_holds() -> None:
    assert places(RowChoice(topic="t", state="mirroring", text="T-9", sort="lag")) == ["t-9"]
    assert RowChoice(offset=1, limit=1).page(ROWS) == (ROWS[1],)
    with pytest.raises(BadRequest, match="sort: expected one of topic, state, lag"):
        places(RowChoice(sort="colour"))


def test_topics() -> None:
    rows = [
        TopicView(flow="A->B", topic=topic, copy=topic, partitions=1, lag=Lag(records=records))
        for topic, records in (("b", None), ("a", 5), ("ab", 7))
    ]
    found = chosen_topics(rows, RowChoice(text="A", sort="-lag"))
    assert [each.topic for each in found] == ["ab", "a"]
    assert [each.topic for each in chosen_topics(rows, RowChoice(sort="lag"))] == ["a", "ab", "b"]
