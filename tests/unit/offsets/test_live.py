"""The maps of a running flow: lanes' reports and chunks come in any order."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.offsets.exact import Gap, Pair
from kmirror.offsets.live import LiveMaps
from kmirror.wire.offset_runs import Chunk, Run, encode_chunk

PLACE = TopicPartition("t", 0)


def add_chunk(maps: LiveMaps, start: int, end: int, *runs: Run) -> None:
    """Add a chunk as it is read from the topic."""
    chunk = Chunk(partition=PLACE, start=start, end=end, runs=runs)
    maps.add_chunk(chunk, *encode_chunk(chunk))


def target_of(maps: LiveMaps, source: int) -> int | None:
    """Give the target offset; `None` in a gap."""
    found = maps.to_target(PLACE, source)
    return found.target if isinstance(found, Pair) else None


def test_reports_follow_each_other() -> None:
    """They make one tail; a range without records belongs to it."""
    maps = LiveMaps()
    maps.add_copied(PLACE, 0, 10, [Run(0, 0, 10)])
    maps.add_copied(PLACE, 10, 12, [])
    maps.add_copied(PLACE, 12, 20, [Run(12, 11, 8)])
    assert [target_of(maps, at) for at in (0, 9, 10, 11, 12, 19, 20)] == [0, 9, 11, 11, 11, 18, 19]
    assert maps.to_target(PLACE, 21) == Gap(before=Pair(source=20, target=19), after=None)


def test_what_both_logs_have_lost_is_forgotten() -> None:
    """The last chunk stays: it says where the rest begins."""
    maps = LiveMaps()
    for start in (0, 10, 20):
        add_chunk(maps, start, start + 10, Run(start, start + 100, 10))
    assert maps.drop_before(PLACE, 25, 105) == []
    assert maps.drop_before(PLACE, 15, 999) == [chunk_key(0)]
    assert target_of(maps, 5) is None
    assert target_of(maps, 15) == 115
    assert maps.drop_before(PLACE, 999, 999) == [chunk_key(10)]
    assert target_of(maps, 25) == 125
    assert maps.drop_before(TopicPartition("unknown", 0), 9, 9) == []


def chunk_key(start: int) -> bytes:
    """Give the key of a chunk of ten records."""
    runs = (Run(start, start + 100, 10),)
    return encode_chunk(Chunk(partition=PLACE, start=start, end=start + 10, runs=runs))[0]


def test_a_lost_report() -> None:
    """What it told is a gap until a chunk says it."""
    maps = LiveMaps()
    maps.add_copied(PLACE, 0, 10, [Run(0, 0, 10)])
    maps.add_copied(PLACE, 20, 30, [Run(20, 22, 10)])
    assert target_of(maps, 15) is None
    assert target_of(maps, 25) == 27
    add_chunk(maps, 0, 25, Run(0, 0, 10), Run(10, 11, 10), Run(20, 22, 5))
    assert target_of(maps, 15) == 16
    assert target_of(maps, 29) == 31


def test_a_chunk_takes_the_tails_place() -> None:
    """Wholly or in part; the tail goes on at its end."""
    maps = LiveMaps()
    maps.add_copied(PLACE, 0, 10, [Run(0, 0, 10)])
    add_chunk(maps, 0, 10, Run(0, 0, 10))
    maps.add_copied(PLACE, 10, 20, [Run(10, 11, 10)])
    add_chunk(maps, 10, 15, Run(10, 11, 5))
    maps.add_copied(PLACE, 20, 30, [Run(20, 22, 10)])
    expected = [*range(10), *range(11, 21), *range(22, 32)]
    assert [target_of(maps, at) for at in range(30)] == expected


def test_a_committed_position_is_a_place() -> None:
    """After a kill it is known before any report, and reports begin there."""
    maps = LiveMaps()
    add_chunk(maps, 0, 10, Run(0, 0, 10))
    maps.add_place(PLACE, Pair(source=15, target=17))
    assert target_of(maps, 15) == 17
    before, after = Pair(source=10, target=10), Pair(source=15, target=17)
    assert maps.to_target(PLACE, 12) == Gap(before=before, after=after)
    maps.add_copied(PLACE, 15, 20, [Run(15, 18, 5)])
    assert target_of(maps, 15) == 18
    assert target_of(maps, 19) == 22


def test_a_position_that_reports_come_after() -> None:
    """It is read while the lane's report is on its way: what the report covers is known."""
    maps = LiveMaps()
    maps.add_copied(PLACE, 0, 10, [Run(0, 0, 10)])
    maps.add_place(PLACE, Pair(source=15, target=16))
    maps.add_copied(PLACE, 10, 20, [Run(10, 11, 5), Run(15, 17, 5)])
    assert [target_of(maps, at) for at in (9, 10, 14, 15, 19)] == [9, 11, 15, 17, 21]
    assert maps.to_source(PLACE, 21) == Pair(source=19, target=21)


def test_a_partition_that_is_forgotten() -> None:
    """Its offsets mean something else now."""
    maps = LiveMaps()
    maps.add_copied(PLACE, 0, 10, [Run(0, 0, 10)])
    maps.forget(PLACE)
    assert maps.to_target(PLACE, 5) == Gap(before=None, after=None)


def test_tails_are_bounded() -> None:
    """Where chunks do not come, the oldest is forgotten rather than memory filled."""
    maps = LiveMaps()
    for at in range(10_000):
        maps.add_copied(PLACE, at, at + 1, [Run(at, 2 * at, 1)])
    assert target_of(maps, 9_999) == 19_998
    assert target_of(maps, 7_000) == 14_000
    assert target_of(maps, 10) is None
