"""Offsets are translated exactly, in both directions; what is not known is called a gap."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.offsets.exact import ExactMap, Gap, Pair
from kmirror.offsets.live import KeptChunk
from kmirror.wire.offset_runs import Chunk, Run, encode_chunk

PARTITION = TopicPartition("t", 0)


def chunk(start: int, end: int, *runs: Run) -> KeptChunk:
    """Give a chunk of the only partition."""
    written = Chunk(partition=PARTITION, start=start, end=end, runs=runs)
    return KeptChunk(start, end, *encode_chunk(written))


def pair(source: int, target: int) -> Pair:
    """Give a pair."""
    return Pair(source=source, target=target)


# Two transactions of ours, the second over a source with a gap; then one more chunk.
MAP = ExactMap(
    [
        chunk(30, 40, Run(30, 34, 10)),
        chunk(0, 30, Run(0, 0, 10), Run(10, 11, 5), Run(18, 16, 12)),
    ]
)


def test_inside_a_run() -> None:
    """It is as far into the run there as here."""
    assert MAP.to_target(3) == pair(3, 3)
    assert MAP.to_target(12) == pair(12, 13)
    assert MAP.to_source(13) == pair(12, 13)
    assert MAP.to_target(39) == pair(39, 43)


def test_between_runs() -> None:
    """An offset without a copied record stands for the next one."""
    assert MAP.to_target(16) == pair(16, 16)
    assert MAP.to_source(10) == pair(10, 10)
    assert MAP.to_source(30) == pair(30, 30)


def test_at_the_end() -> None:
    """The end is a place as well, and behind it nothing is known."""
    assert MAP.to_target(40) == pair(40, 44)
    assert MAP.to_source(44) == pair(40, 44)
    assert MAP.to_target(41) == Gap(before=pair(40, 44), after=None)
    assert MAP.to_source(45) == Gap(before=pair(40, 44), after=None)


def test_a_hole() -> None:
    """Between two chunks that do not meet only the neighbours are known."""
    holed = ExactMap([chunk(5, 10, Run(5, 7, 5)), chunk(20, 30, Run(22, 25, 8))])
    assert holed.to_target(4) == Gap(before=None, after=pair(5, 7))
    assert holed.to_target(10) == pair(10, 12)
    assert holed.to_target(15) == Gap(before=pair(10, 12), after=pair(20, 25))
    assert holed.to_target(20) == pair(20, 25)
    assert holed.to_source(6) == Gap(before=None, after=pair(5, 7))
    assert holed.to_source(20) == Gap(before=pair(10, 12), after=pair(20, 25))


def test_a_position_is_a_place() -> None:
    """What the flow committed last is known, whether or not a chunk says so."""
    with_position = ExactMap([chunk(0, 10, Run(0, 0, 10))], [pair(20, 21), pair(5, 5)])
    assert with_position.to_target(20) == pair(20, 21)
    assert with_position.to_target(12) == Gap(before=pair(10, 10), after=pair(20, 21))
    assert with_position.to_target(7) == pair(7, 7)
    assert ExactMap([], [pair(3, 4)]).to_source(4) == pair(3, 4)


def test_nothing_known() -> None:
    """An empty map is one gap."""
    assert ExactMap([]).to_target(0) == Gap(before=None, after=None)
