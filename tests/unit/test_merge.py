"""Several logs as one."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import pytest
from confluent_kafka import TopicPartition
from hypothesis import given
from hypothesis import strategies as st

from kmirror.apps import merged_reader
from kmirror.apps.event_time_merge import EventTimeMerge
from kmirror.apps.merged_reader import MergedReader
from kmirror.clock import ManualClock

_LATER_MS = 1_000
"""When records arrive whose times are past."""


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
    merged.add("a", Item(1), arrived_ms=_LATER_MS)
    merged.add("a", Item(3), arrived_ms=_LATER_MS)
    assert new(merged) == []
    merged.end("b")
    assert new(merged) == [Item(1), Item(3)]
    merged.add("b", Item(2), arrived_ms=_LATER_MS)
    merged.add("a", Item(4), arrived_ms=_LATER_MS)
    assert new(merged) == [Item(2)]
    merged.close("b")
    assert new(merged) == [Item(4)]


def test_young_records_are_held_back() -> None:
    """Older ones may be on their way."""
    merged = merge()
    merged.add("a", Item(10), arrived_ms=_LATER_MS)
    merged.add("a", Item(20), arrived_ms=_LATER_MS)
    assert new(merged, 15) == [Item(10)]
    assert merged.waiting("a") == 1


def test_a_time_in_the_future_counts_as_that_of_the_arrival() -> None:
    """Nothing waits for it: neither what lies behind it, nor what another log goes on to bring."""
    merged = merge()
    merged.add("a", Item(20_000), arrived_ms=20)
    merged.add("a", Item(10), arrived_ms=21)
    merged.add("b", Item(19), arrived_ms=30)
    merged.add("b", Item(25), arrived_ms=30)
    assert new(merged, 19) == [Item(19)]
    assert new(merged, 24) == [Item(20_000), Item(10)]
    merged.end("a")
    assert new(merged, 30) == [Item(25)]


def test_of_several_times_in_the_future_the_smaller_is_first() -> None:
    """When they arrived at once: all of a topic may have their times in another unit."""
    merged = merge()
    for log, times in {"a": (7_000, 9_000), "b": (6_000, 8_000)}.items():
        for time_ms in times:
            merged.add(log, Item(time_ms), arrived_ms=20)
        merged.end(log)
    assert new(merged, 20) == [Item(6_000), Item(7_000), Item(8_000), Item(9_000)]


def test_copies_come_once() -> None:
    """What came by another log; what one log holds twice is two records."""
    merged = merge()
    for log in ("a", "b"):
        for item in (Item(1, "x"), Item(1, "x"), Item(2, "y")):
            merged.add(log, item, arrived_ms=_LATER_MS)
        merged.end(log)
    assert new(merged) == [Item(1, "x"), Item(1, "x"), Item(2, "y")]


def test_memory_is_bounded() -> None:
    """A copy that comes too late is not found any more."""
    merged = merge(remembered_max=2)
    for number in range(5):
        merged.add("a", Item(number), arrived_ms=_LATER_MS)
    merged.open("b")
    merged.end("b")
    assert len(new(merged)) == 5
    merged.add("b", Item(0), arrived_ms=_LATER_MS)
    merged.add("b", Item(4), arrived_ms=_LATER_MS)
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
            merged.add(log, Item(time_ms, f"{log}{number}"), arrived_ms=_LATER_MS)
        merged.end(log)
    given_items = new(merged)
    for log, times in found.items():
        mine = [item.time_ms for item in given_items if item.text.startswith(log)]
        assert mine == times
    if all(times == sorted(times) for times in found.values()):
        assert [item.time_ms for item in given_items] == sorted(
            time_ms for times in found.values() for time_ms in times
        )


@dataclass(frozen=True, slots=True)
class Sent:
    """A message, as the library gives it."""

    at: int
    time_ms: int

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self.at

    def error(self) -> None:
        return None

    def key(self) -> None:
        return None

    def value(self) -> bytes:
        return b"%d" % self.at

    def headers(self) -> None:
        return None

    def timestamp(self) -> tuple[int, int]:
        return 1, self.time_ms


class Consumes:
    """A member of a group that has one partition."""

    def __init__(self, _settings: object) -> None:
        self.there: deque[Sent] = deque()
        self.paused = False

    def subscribe(self, _topics: object, **_calls: object) -> None:
        """Get the partition."""

    def consume(self, count: int, _timeout_s: float) -> list[Sent]:
        """Give what there is, unless it shall not."""
        count = 0 if self.paused else min(count, len(self.there))
        return [self.there.popleft() for _ in range(count)]

    def assignment(self) -> list[TopicPartition]:
        """Name the partition."""
        return [TopicPartition("t", 0)]

    def pause(self, _partitions: object) -> None:
        """Give nothing any more."""
        self.paused = True

    def resume(self, _partitions: object) -> None:
        """Go on."""
        self.paused = False

    def close(self) -> None:
        """Leave."""


def test_a_reader_waits_for_no_time_in_the_future(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second after microseconds came as milliseconds, their partition goes on with all it has."""
    consumers: list[Consumes] = []

    def consumes(settings: object) -> Consumes:
        consumers.append(Consumes(settings))
        return consumers[-1]

    monkeypatch.setattr(merged_reader, "Consumer", consumes)
    clock = ManualClock(start_s=1_700_000_000)
    config = {"bootstrap.servers": "a:9092", "group.id": "g"}
    with MergedReader(config, "t", clusters=["a"], clock=clock) as reader:
        times = [clock.wall_ms() * 1_000, *[clock.wall_ms()] * 10_500]
        consumers[0].there.extend(Sent(at, time_ms) for at, time_ms in enumerate(times))
        assert not [record for _ in range(12) for record in reader.poll(0.1)]
        assert consumers[0].paused
        clock.advance(1)
        first = reader.poll(0.1)
        assert [first[0].offset, first[0].timestamp_ms] == [0, times[0]]
        clock.advance(1)
        found = [*first, *reader.poll(0.1)]
        clock.advance(1)
        found += reader.poll(0.1)
    assert [record.offset for record in found] == list(range(10_501))
