"""Records of a partition and of its copy beside each other."""

from __future__ import annotations

from kmirror.admin.record_tail import SeenRecord
from kmirror.inspect.record_pairs import Presence, in_step


def record(offset: int, text: str, *, at_ms: int = 0, is_appended: bool = False) -> SeenRecord:
    """Make a record."""
    return SeenRecord(
        offset=offset,
        at_ms=at_ms,
        is_appended=is_appended,
        key=None,
        value=text.encode(),
        headers=(),
        key_bytes=None,
        value_bytes=len(text),
        header_count=0,
        digest=text.encode(),
    )


def lines(
    source: list[SeenRecord], target: list[SeenRecord], position: int | None, *, from_end: bool
) -> list[tuple[str, int | None, int | None]]:
    """Give each line as a word and two offsets."""
    return [
        (
            each.presence.name,
            None if each.source is None else each.source.offset,
            None if each.target is None else each.target.offset,
        )
        for each in in_step(source, target, position=position, from_end=from_end)
    ]


def test_the_same_stands_beside_each_other() -> None:
    """What only one side has is alone, in its place."""
    source = [record(5, "a"), record(6, "dropped"), record(7, "b"), record(8, "late")]
    target = [record(12, "x"), record(13, "a"), record(15, "b")]
    assert lines(source, target, 8, from_end=False) == [
        ("TARGET", None, 12),
        ("BOTH", 5, 13),
        ("SOURCE", 6, None),
        ("BOTH", 7, 15),
        ("WAITING", 8, None),
    ]


def test_of_records_that_are_all_alike_the_last_belong_together() -> None:
    source = [record(offset, "x") for offset in range(4)]
    target = [record(offset, "x") for offset in range(10, 12)]
    assert lines(source, target, 4, from_end=True) == [
        ("SOURCE", 0, None),
        ("SOURCE", 1, None),
        ("BOTH", 2, 10),
        ("BOTH", 3, 11),
    ]
    # What is not copied yet is no copy, however much it looks like one.
    assert lines(source, target, 2, from_end=True)[:2] == [("BOTH", 0, 10), ("BOTH", 1, 11)]


def test_a_time_tells_records_apart() -> None:
    """Unless the broker has given it."""
    own = [record(0, "x", at_ms=1)]
    assert lines(own, [record(9, "x", at_ms=2)], 1, from_end=True)[0][0] == "SOURCE"
    appended = [record(9, "x", at_ms=2, is_appended=True)]
    assert lines(own, appended, 1, from_end=True) == [("BOTH", 0, 9)]


def test_a_position_that_is_not_known_says_nothing() -> None:
    (pair,) = in_step([record(0, "x")], [], position=None, from_end=True)
    assert pair.presence is Presence.SOURCE
