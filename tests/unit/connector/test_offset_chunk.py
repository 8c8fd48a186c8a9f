"""Chunks of the exact offset map, as lanes write them, say what `wire.offset_runs` reads."""

from __future__ import annotations

import base64
import itertools
import random
from pathlib import Path
from uuid import UUID

import pytest

from kmirror.model import TopicPartition
from kmirror.wire.offset_runs import Chunk, decode_chunk
from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("OffsetChunks.java")

_SOURCE_ID = UUID("8b1f1e0c-6c5f-4d0e-9f55-52b8a1b6a001")
_TRANSACTIONS = 300
_TRANSACTIONS_PER_CHUNK = 20
Runs = list[tuple[int, int]]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_was_sent_where(seed: int) -> None:
    """Every record of every transaction, whatever lies between them on either side."""
    rng = random.Random(seed)
    source = target = rng.choice([0, 5, 2**40])
    lines, expected = [f"begin {source}"], []
    pairs: list[tuple[int, int]] = []
    start = source
    for number in range(1, _TRANSACTIONS + 1):
        sent, acknowledged, here = _transaction(rng, source, target)
        source, target = here[-1][0] + 1 + rng.choice([0, 0, 1]), here[-1][1] + 2
        pairs += here
        lines.append(f"commit {source} {_words(sent)} {_words(acknowledged)}")
        if number % _TRANSACTIONS_PER_CHUNK == 0:
            lines.append("take")
            expected.append((start, source, pairs))
            start, pairs = source, []
    chunks = [_chunk(record) for record in _run(lines)]
    assert [(c.start, c.end, _pairs(c)) for c in chunks] == expected
    assert {c.source_id for c in chunks} == {_SOURCE_ID}
    assert {c.target_id for c in chunks} == {None}
    assert {c.partition for c in chunks} == {TopicPartition("t.x", 3)}


def test_what_nobody_knows() -> None:
    """A transaction that was not answered in full is a gap: the next chunk begins behind it."""
    lines = ["begin 0", "commit 5 0:5 0:5", "commit 9 5:4 6:3", "commit 12 9:3 11:3", "take"]
    chunk = _chunk(*_run(lines))
    assert (chunk.start, chunk.end, _pairs(chunk)) == (9, 12, [(9, 11), (10, 12), (11, 13)])


def test_an_answer_that_comes_late() -> None:
    """A request that had to be repeated is answered after the one behind it."""
    (record,) = _run(["begin 0", "commit 8 0:8 15:3,10:2,12:1,13:2", "take"])
    expected = [(0, 10), (1, 11), (2, 12), (3, 13), (4, 14), (5, 15), (6, 16), (7, 17)]
    assert _pairs(_chunk(record)) == expected


def test_a_transaction_full_of_gaps() -> None:
    """However many runs one transaction has, no chunk is too large for its topic."""
    count = 20_000
    sent = _words([(2 * n, 1) for n in range(count)])
    lines = ["begin 0", f"commit {2 * count} {sent} 0:{count}", "take"]
    records = _run(lines)
    assert max(len(value) for _, value in records) < 1024
    chunks = [_chunk(record) for record in records]
    found = [pair for chunk in chunks for pair in _pairs(chunk)]
    assert found == [(2 * n, n) for n in range(count)]
    assert all(one.end == other.start for one, other in itertools.pairwise(chunks))
    assert (chunks[0].start, chunks[-1].end) == (0, 2 * count)


def test_bytes_of_usual_transactions() -> None:
    """One byte for each of up to 31 records, two up to 4,095."""
    fixed_bytes = 1 + 32 + 3 + 1
    lines = []
    for count in (20, 400):
        commits = (
            f"commit {first + count} {first}:{count} {first + first // count}:{count}"
            for first in range(0, 100 * count, count)
        )
        lines += ["begin 0", *commits, "take"]
    (_, few), (_, many) = _run(lines)
    assert len(few) <= fixed_bytes + 100 * 1 + 1
    assert len(many) <= fixed_bytes + 100 * 2 + 1


def _transaction(
    rng: random.Random, source: int, target: int
) -> tuple[Runs, Runs, list[tuple[int, int]]]:
    """Give what was sent, what was acknowledged, and the pairs of both."""
    count = rng.randint(1, 40)
    sources = _offsets(rng, source, count)
    targets = _offsets(rng, target + rng.choice([0, 0, 7]), count)
    answers = _told(rng, targets)
    if rng.random() < 0.3:
        rng.shuffle(answers)
    return (
        _told(rng, sources),
        answers,
        list(zip(sources, targets, strict=True)),
    )


def _offsets(rng: random.Random, first: int, count: int) -> list[int]:
    gaps = rng.choice([0, 0, 0.2])
    offsets = []
    for _ in range(count):
        while rng.random() < gaps:
            first += 1
        offsets.append(first)
        first += 1
    return offsets


def _told(rng: random.Random, offsets: list[int]) -> Runs:
    """Tell of offsets one by one, or of several that lie side by side."""
    told: Runs = []
    for offset in offsets:
        if told and sum(told[-1]) == offset and rng.random() < 0.5:
            told[-1] = (told[-1][0], told[-1][1] + 1)
        else:
            told.append((offset, 1))
    return told


def _words(runs: Runs) -> str:
    return ",".join(f"{first}:{count}" for first, count in runs)


def _pairs(chunk: Chunk) -> list[tuple[int, int]]:
    return [(run.source + n, run.target + n) for run in chunk.runs for n in range(run.count)]


def _chunk(record: tuple[bytes, bytes]) -> Chunk:
    chunk = decode_chunk(*record)
    assert chunk is not None, record
    return chunk


def _run(lines: list[str]) -> list[tuple[bytes, bytes]]:
    """Give keys and values of the chunks that the connector makes."""
    topic_id = base64.urlsafe_b64encode(_SOURCE_ID.bytes).decode().rstrip("=")
    printed = run_java(_PROGRAM, topic_id, "", jars=connector_path(), lines="\n".join(lines))
    records = (line.split() for line in printed.splitlines())
    return [(bytes.fromhex(key), bytes.fromhex(value)) for key, value in records]
