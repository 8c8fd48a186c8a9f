"""Whether a copy of a compacted topic is right, by what its producers have written down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.ledger import Op, read_ledger

from tests.support.records import Content, read


def check_compacted(
    source: Cluster,
    target: Cluster,
    topics: tuple[str, str],
    ledgers: Iterable[Path],
    *,
    count: int,
) -> list[str]:
    """
    Say what is wrong; an empty list is a good one.

    The cleaner of each side takes what it likes, but never the last record of a key. So: both sides
    agree on the last record of each key, tombstones apart; every copied record is one that a
    producer has written, in the order in which the source took them, and none is there twice.

    Args:
        source, target: The clusters.
        topics: Source topic and target topic.
        ledgers: What the producers have written down.
        count: Of partitions.
    """
    offsets: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    sent: dict[int, set[str]] = defaultdict(set)
    for ledger in ledgers:
        for entry in read_ledger(ledger):
            sent[entry.partition].add(entry.digest)
            if entry.op is Op.OK and entry.offset >= 0:
                offsets[entry.partition][entry.digest].append(entry.offset)
    wrong: list[str] = []
    for number in range(count):
        there = read(target, topics[1], number)
        here = read(source, topics[0], number)
        last_here, last_there = _last(here), _last(there)
        wrong += [
            f"{topics[1]}-{number}: the last record of key {key!r} differs"
            for key in last_here.keys() | last_there.keys()
            if last_here.get(key) != last_there.get(key)
        ]
        wrong += _out_of_place(f"{topics[1]}-{number}", there, offsets[number], sent[number])
    return wrong


def _last(records: list[Content]) -> dict[bytes | None, Content]:
    """Give the last record of each key; a key that ends with a tombstone may be gone already."""
    found = {record.key: record for record in records}
    return {key: record for key, record in found.items() if record.value is not None}


def _out_of_place(
    name: str, there: list[Content], offsets: dict[str, list[int]], sent: set[str]
) -> list[str]:
    """Name records that no producer has written, that come twice, or too early."""
    wrong: list[str] = []
    before = -1
    for record in there:
        digest = record.digest()
        later = [offset for offset in offsets.get(digest, ()) if offset > before]
        if later:
            before = min(later)
        elif digest in offsets or digest not in sent:
            # Of the others nobody knows where they are.
            state = "twice or out of order" if digest in offsets else "written by nobody"
            wrong.append(f"{name}: a record of key {record.key!r} is there {state}")
    return wrong
