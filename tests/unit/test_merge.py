"""Several logs as one."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from kmirror.apps.event_time_merge import EventTimeMerge


@dataclass(frozen=True, slots=True)
class Item:
    """A record: its time, and what it says."""

    time_ms: int
    text: str = ""


def merge(remembered_max: int = 1000) -> EventTimeMerge[str, Item]:
    """Give one."""
    return EventTimeMerge(
        time_ms=lambda item: item.time_ms,
        identity=lambda item: item,
        remembered_max=remembered_max,
    )


def new(merged: EventTimeMerge[str, Item], up_to_ms: int | None = None) -> list[Item]:
    """Give what is in order and new."""
    return [item for _, item, is_new in merged.ready(up_to_ms) if is_new]


def test_a_log_that_has_nothing_yet_is_waited_for() -> None:
    """Until it is at its end; when it has more, it counts again."""
    merged = merge()
    merged.open("b")
    merged.add("a", Item(1))
    merged.add("a", Item(3))
    assert new(merged) == []
    merged.end("b")
    assert new(merged) == [Item(1), Item(3)]
    merged.add("b", Item(2))
    merged.add("a", Item(4))
    assert new(merged) == [Item(2)]
    merged.close("b")
    assert new(merged) == [Item(4)]


def test_young_records_are_held_back() -> None:
    """Older ones may be on their way."""
    merged = merge()
    merged.add("a", Item(10))
    merged.add("a", Item(20))
    assert new(merged, 15) == [Item(10)]
    assert merged.waiting("a") == 1


def test_copies_come_once() -> None:
    """What came by another log; what one log holds twice is two records."""
    merged = merge()
    for log in ("a", "b"):
        for item in (Item(1, "x"), Item(1, "x"), Item(2, "y")):
            merged.add(log, item)
        merged.end(log)
    assert new(merged) == [Item(1, "x"), Item(1, "x"), Item(2, "y")]


def test_memory_is_bounded() -> None:
    """A copy that comes too late is not found any more."""
    merged = merge(remembered_max=2)
    for number in range(5):
        merged.add("a", Item(number))
    merged.open("b")
    merged.end("b")
    assert len(new(merged)) == 5
    merged.add("b", Item(0))
    merged.add("b", Item(4))
    merged.end("a")
    assert new(merged) == [Item(0)]


logs = st.dictionaries(
    st.sampled_from("abc"), st.lists(st.integers(0, 20), max_size=20), min_size=1
)


@given(logs)
def test_any_logs(found: dict[str, list[int]]) -> None:
    """All records, in the order of their log; sorted logs give sorted records."""
    merged = merge()
    for log, times in found.items():
        merged.open(log)
        for number, time_ms in enumerate(times):
            merged.add(log, Item(time_ms, f"{log}{number}"))
        merged.end(log)
    given_items = new(merged)
    for log, times in found.items():
        mine = [item.time_ms for item in given_items if item.text.startswith(log)]
        assert mine == times
    if all(times == sorted(times) for times in found.values()):
        assert [item.time_ms for item in given_items] == sorted(
            time_ms for times in found.values() for time_ms in times
        )
