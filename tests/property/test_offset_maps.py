"""The exact offset map agrees with a list of all pairs of offsets, whatever its chunks."""

from __future__ import annotations

from itertools import accumulate
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.offsets.exact import ExactMap, Pair
from kmirror.offsets.live import KeptChunk
from kmirror.wire.offset_runs import Chunk, Run, decode_chunk, encode_chunk

gaps = st.integers(0, 3) | st.integers(0, 10**6)
steps = st.lists(st.tuples(gaps, gaps, st.integers(1, 300)), max_size=30)
topic_ids = st.none() | st.binary(min_size=16, max_size=16).filter(any).map(
    lambda raw: UUID(bytes=raw)
)


def runs_of(start: Run, way: list[tuple[int, int, int]]) -> tuple[Run, ...]:
    """Give the runs that lie behind *start*, by their gaps and counts."""
    after = accumulate(
        way,
        lambda last, step: Run(last.source_end + step[0], last.target_end + step[1], step[2]),
        initial=start,
    )
    return tuple(after)[1:]


def kept(start: int, end: int, runs: tuple[Run, ...]) -> KeptChunk:
    """Give a chunk of the only partition."""
    chunk = Chunk(partition=TopicPartition("t", 0), start=start, end=end, runs=runs)
    return KeptChunk(start, end, *encode_chunk(chunk))


@settings(deadline=None)  # a busy machine is no failure
@given(steps, st.integers(0, 2**62), st.integers(0, 2**62), gaps, st.tuples(topic_ids, topic_ids))
def test_chunks_are_read_back(
    way: list[tuple[int, int, int]],
    source: int,
    target: int,
    tail: int,
    ids: tuple[UUID | None, UUID | None],
) -> None:
    """Whatever they hold."""
    runs = runs_of(Run(source, target, 0), way)
    chunk = Chunk(
        partition=TopicPartition("t.x", 3),
        start=source,
        end=(runs[-1].source_end if runs else source) + tail,
        runs=runs,
        source_id=ids[0],
        target_id=ids[1],
    )
    assert decode_chunk(*encode_chunk(chunk)) == chunk


@settings(deadline=None)  # a busy machine is no failure
@given(st.none() | st.binary(max_size=60), st.none() | st.binary(max_size=60))
def test_garbage_never_raises(key: bytes | None, value: bytes | None) -> None:
    """Anybody may write to the topic."""
    assert decode_chunk(key, value) is None
    assert decode_chunk(b'["t",0,0]', value and b"\x01" + value) is None or value


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 5)), min_size=1),
    st.sets(st.integers(0, 20)),
)
def test_every_offset_is_found(way: list[tuple[int, int, int]], cuts: set[int]) -> None:
    """Each goes to the first record at or behind it, in both directions."""
    runs = runs_of(Run(7, 9, 0), way)
    starts = [7, *(runs[cut].source for cut in sorted(cuts) if 0 < cut < len(runs))]
    ends = [*starts[1:], runs[-1].source_end]
    known = ExactMap(
        kept(start, end, tuple(run for run in runs if start <= run.source < end))
        for start, end in zip(starts, ends, strict=True)
    )
    pairs = [(run.source + n, run.target + n) for run in runs for n in range(run.count)]
    for source in range(7, ends[-1]):
        first = min(pair for pair in pairs if pair[0] >= source)
        assert known.to_target(source) == Pair(source=source, target=first[1])
    for target in range(runs[0].target, runs[-1].target_end):
        first = min(pair for pair in pairs if pair[1] >= target)
        assert known.to_source(target) == Pair(source=first[0], target=target)
