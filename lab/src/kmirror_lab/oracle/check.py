"""
The oracle: whether the target holds what the source holds, record by record.

Both clusters are read read_committed up to where they ended when the check began; what is lost is
looked for in the aborted and open transactions of the target, too. Memory does
not grow with the number of records, unless the target holds records that do not belong where
they are: then about 100 bytes per record of that partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from kmirror.model import TopicPartition
from kmirror_lab.cluster.clients import admin_client
from kmirror_lab.oracle.compare import Comparison
from kmirror_lab.oracle.ends import ends
from kmirror_lab.oracle.ledger import Entry, Op, read_ledger
from kmirror_lab.oracle.record import Content
from kmirror_lab.oracle.stream import Row, Stream, marks, records
from kmirror_lab.oracle.verdict import Difference, Fault, PartitionVerdict, Verdict

# Hides the latency of short partitions; the comparing itself shares one interpreter.
_AT_ONCE = 4


def check(
    source: str, target: str, topics_map: Mapping[str, str], *, ledgers: Iterable[Path] = ()
) -> Verdict:
    """
    Compare topics of two clusters: I1 to I5 and I9 of the reliability rules.

    Args:
        source: `bootstrap.servers` of the source cluster.
        target: The same of the target.
        topics_map: Source topic to target topic.
        ledgers: What producers wrote into the source; then the source itself is checked too.

    Raises:
        ClusterUnavailable: A cluster stopped answering.
    """
    here = _ends(source, set(topics_map))
    there = _ends(target, set(topics_map.values()))
    pairs: list[_Pair] = []
    for topic, mirror in topics_map.items():
        numbers = {p.partition for p in here if p.topic == topic}
        numbers |= {p.partition for p in there if p.topic == mirror}
        for number in sorted(numbers):
            from_, to = TopicPartition(topic, number), TopicPartition(mirror, number)
            pairs.append(_Pair(from_, to, here.get(from_), there.get(to)))
    entries = _by_partition(ledgers)

    def verdict(pair: _Pair) -> PartitionVerdict:
        found = _compare(source, target, pair)
        known = entries.get(pair.source)
        return found if known is None else _with_ledger(source, pair, found, known)

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return Verdict(partitions=tuple(pool.map(verdict, pairs)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """Where a partition ends: for everybody, and for a read_committed reader."""

    high_watermark: int
    last_stable: int


@dataclass(frozen=True, slots=True)
class _Pair:
    source: TopicPartition
    target: TopicPartition
    source_end: _End | None
    target_end: _End | None


def _ends(bootstrap: str, topics: set[str]) -> dict[TopicPartition, _End]:
    admin = admin_client(bootstrap)
    high = ends(admin, topics, committed=False)
    stable = ends(admin, topics, committed=True)
    return {p: _End(high_watermark=high[p], last_stable=stable[p]) for p in high}


def _stream(bootstrap: str, place: TopicPartition, end: _End | None) -> Stream:
    return Stream(bootstrap, place if end else None, end.last_stable if end else 0)


def _compare(source: str, target: str, pair: _Pair) -> PartitionVerdict:
    def earlier() -> Iterable[int]:
        with closing(_stream(source, pair.source, pair.source_end)) as again:
            yield from (mark for _, mark in marks(again))

    with (
        closing(_stream(source, pair.source, pair.source_end)) as ours,
        closing(_stream(target, pair.target, pair.target_end)) as theirs,
    ):
        comparison = Comparison(ours, theirs, (pair.source, pair.target), earlier)
        end = pair.target_end
        verdict = comparison.run()
    if verdict.first is not None and verdict.first.fault is Fault.LOST:
        words = _what_became_of(source, target, pair, verdict.first)
        verdict = replace(verdict, first=replace(verdict.first, detail=words))
    if end is None or end.last_stable == end.high_watermark:
        return verdict
    detail = f"last stable offset {end.last_stable}, high watermark {end.high_watermark}"
    return _with(verdict, {Fault.HANGING: 1}, Fault.HANGING, end.last_stable, detail)


def _what_became_of(source: str, target: str, pair: _Pair, lost: Difference) -> str:
    """Look for a lost record in all that the target's log has, aborted transactions included."""
    if pair.target_end is None or lost.source_offset is None:
        return "the target has no such partition"
    with closing(_stream(source, pair.source, pair.source_end)) as ours:
        wanted = next((m for at, m in marks(ours) if at == lost.source_offset), None)
    with closing(_stream(target, pair.target, pair.target_end)) as committed:
        known = {at for at, mark in marks(committed) if mark == wanted}
    high = pair.target_end.high_watermark
    with closing(Stream(target, pair.target, high, isolation="read_uncommitted")) as everything:
        for at, mark in marks(everything):
            if mark == wanted and at not in known:
                state = "aborted" if at < pair.target_end.last_stable else "open"
                return f"the target has it in an {state} transaction, at offset {at}"
    return "it is nowhere in the target's log"


def _with(
    verdict: PartitionVerdict,
    counts: dict[Fault, int],
    fault: Fault,
    offset: int,
    detail: str,
) -> PartitionVerdict:
    first = verdict.first or Difference(
        fault=fault,
        source=verdict.source,
        source_offset=None if fault is Fault.HANGING else offset,
        target=verdict.target,
        target_offset=offset if fault is Fault.HANGING else None,
        detail=detail,
    )
    return replace(verdict, counts=verdict.counts | counts, first=first)


def _by_partition(ledgers: Iterable[Path]) -> dict[TopicPartition, list[Entry]]:
    found: dict[TopicPartition, list[Entry]] = {}
    for path in ledgers:
        for entry in read_ledger(path):
            if entry.op in (Op.OK, Op.FAIL):
                place = TopicPartition(entry.topic, entry.partition)
                found.setdefault(place, []).append(entry)
    return found


def _with_ledger(
    source: str, pair: _Pair, verdict: PartitionVerdict, entries: list[Entry]
) -> PartitionVerdict:
    """Look whether the source has what was acknowledged, and has not what was aborted."""
    acked = {entry.offset: entry for entry in entries if entry.op is Op.OK and entry.offset >= 0}
    # Null values of null keys may be alike, so an aborted record is known by its offset too.
    aborted = {entry.offset: entry for entry in entries if entry.op is Op.FAIL}
    # The answer to a repeated request need not say where the record is.
    somewhere: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.op is Op.OK and entry.offset < 0:
            somewhere.setdefault(entry.digest, []).append(entry)
    surplus: list[Entry] = []
    with closing(_stream(source, pair.source, pair.source_end)) as stream:
        for offset, row in records(stream):
            known = acked.get(offset)
            if known is not None and known.digest == _digest(row):
                del acked[offset]
            elif known is None and somewhere and (found := somewhere.get(_digest(row))):
                found.pop()
            if offset in aborted:
                surplus.append(aborted[offset])
    lost = [*acked.values(), *(entry for same in somewhere.values() for entry in same)]
    if lost:
        entry = min(lost, key=attrgetter("offset"))
        detail = f"producer {entry.producer}, seq {entry.seq}"
        counts = {Fault.LEDGER_LOST: len(lost)}
        verdict = _with(verdict, counts, Fault.LEDGER_LOST, entry.offset, detail)
    if surplus:
        detail = f"producer {surplus[0].producer}, seq {surplus[0].seq}"
        counts = {Fault.LEDGER_ABORTED: len(surplus)}
        verdict = _with(verdict, counts, Fault.LEDGER_ABORTED, surplus[0].offset, detail)
    return verdict


def _digest(row: Row) -> str:
    timestamp_ms, key, value, headers = row
    content = Content(timestamp_ms=timestamp_ms, key=key, value=value, headers=headers or [])
    return content.digest()
