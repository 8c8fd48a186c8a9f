"""The log says what stands still once, topic by topic; again only when that has changed."""

from __future__ import annotations

from kmirror.events.emit import subscribed
from kmirror.model import Flow, TopicPartition
from kmirror.state.parked_lines import ParkedLines
from kmirror.state.status import ParkedPartition

FLOW = Flow("A", "B")


def parked(topic: str, number: int, cause: str, kind: str = "gap") -> ParkedPartition:
    at = TopicPartition(topic, number)
    return ParkedPartition(partition=at, kind=kind, reason=f"{at}: {cause}")


def lines_of(lines: ParkedLines, parked: list[ParkedPartition]) -> list[str]:
    said: list[str] = []
    with subscribed(lambda each: said.append(str(each))):
        lines.tell(parked)
    return [line.removeprefix(f"{FLOW}: ") for line in said]


def test_a_topic_is_one_line() -> None:
    """Whose partitions have the same cause; other topics and causes have their own."""
    news = lines_of(
        ParkedLines(FLOW),
        [
            *(parked("orders", number, "not known") for number in range(12)),
            parked("orders", 20, "too large", "refused"),
            *(parked("paid", number, f"gap at {number}") for number in (3, 7)),
            *(parked("keys", number, f"offset {9 + number}: no key") for number in (1, 2)),
        ],
    )
    assert news == [
        "orders: 12 partitions parked (0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more): not known",
        "parked orders-20: too large",
        "paid: 2 partitions parked (3, 7): such as paid-3: gap at 3",
        "keys: 2 partitions parked (1 at offset 10, 2 at offset 11): no key",
    ]


def test_what_was_said_is_not_repeated() -> None:
    """Not at the next plan, nor when a partition was tried again in vain."""
    lines = ParkedLines(FLOW)
    both = [parked("orders", number, "not known") for number in range(2)]
    assert len(lines_of(lines, both)) == 1
    for again in (both, [], both[:1], both):
        assert not lines_of(lines, again)


def test_what_changed_is_said() -> None:
    """One more, or for another reason: then all of the topic."""
    lines = ParkedLines(FLOW)
    lines_of(lines, [parked("orders", 0, "gap at 3")])
    more = [parked("orders", 0, "gap at 3"), parked("orders", 1, "gap at 3")]
    assert lines_of(lines, more) == ["orders: 2 partitions parked (0, 1): gap at 3"]
    assert lines_of(lines, [parked("orders", 0, "gap at 9")]) == ["parked orders-0: gap at 9"]


def test_what_was_mended_may_break_again() -> None:
    """In the same way: once it was copied on, it is news."""
    lines = ParkedLines(FLOW)
    both = [parked("orders", number, "target deleted") for number in range(2)]
    lines_of(lines, both)
    lines.forget(both[0].partition)
    assert lines_of(lines, both[1:]) == []
    assert len(lines_of(lines, both)) == 1


def test_programs_know_one_word_for_a_cause() -> None:
    """Whether a lane has met it, or a start; offsets and partitions are numbers."""
    heard: list[tuple[str, object, object]] = []
    with subscribed(
        lambda each: heard.append(
            (each.event.name, each.fields["kind"], each.fields.get("partitions"))
        )
    ):
        ParkedLines(FLOW).tell([parked("a", 0, "x", "DataGap")])
        ParkedLines(FLOW).tell([parked("a", number, "x", "data_gap") for number in (1, 2)])
    assert heard == [
        ("partition.parked", "data_gap", None),
        ("partitions.parked", "data_gap", [1, 2]),
    ]
