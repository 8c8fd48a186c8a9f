"""Shows that groups go on at the same record: what they would get next, on both clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from kmirror.admin.next_record import Log, NextRecord
from kmirror.errors import NotAuthorized
from kmirror.moves.ends import MoveEnds
from kmirror.plans.places import GroupPlace
from kmirror.plans.snapshot import is_compacted

# Each costs some requests; of more places an even choice is looked at.
_PLACES_MAX = 100
Seen = Literal["same", "end", "different", "skipped"]
_FIELDS = ("key", "value", "headers")


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveProof:
    """
    What was compared.

    Args:
        same: Places whose next record is the same.
        ends: Places without a next record on one cluster or on both: all was consumed, or what
            follows is not copied.
        different: Places whose next records differ.
        skipped: Places that cannot be told by this, such as those of compacted topics.
        why: Why none could be compared; empty otherwise.
    """

    same: int = 0
    ends: int = 0
    different: tuple[GroupPlace, ...] = ()
    skipped: int = 0
    why: str = ""

    def __str__(self) -> str:
        if self.why:
            return f"no next record was compared: {self.why}"
        parts = [
            f"{self.same} next records are the same on both clusters",
            f"{self.ends} at the end" if self.ends else "",
            f"{len(self.different)} differ" if self.different else "",
            f"{self.skipped} not compared" if self.skipped else "",
        ]
        return ", ".join(filter(None, parts))


def prove(places: Sequence[GroupPlace], ends: MoveEnds) -> MoveProof:
    """
    Compare the next records of places.

    Args:
        places: Groups' places, each of which is right.
        ends: Both clusters.

    Raises:
        ClusterError: A cluster could not be read.
    """
    if ends.trouble:
        return MoveProof(skipped=len(places), why=ends.silence)
    configs = [config for config in (ends.flows.main, ends.flows.reverse) if config is not None]
    if any(config.drops_records for config in configs):
        why = "a filter leaves records out, and the next one may be one of them"
        return MoveProof(skipped=len(places), why=why)
    changed = {column for config in configs for column in config.changed_columns}
    chosen = places[:: -(-len(places) // _PLACES_MAX) or 1]
    count: Counter[str] = Counter(skipped=len(places) - len(chosen))
    different: list[GroupPlace] = []
    with ends.logs() as (here, there):
        for place in chosen:
            seen = _compare(place, here, there, changed)
            count[seen] += 1
            if seen == "different":
                different.append(place)
    return MoveProof(
        same=count["same"],
        ends=count["end"],
        different=tuple(different),
        skipped=count["skipped"],
    )


def _compare(place: GroupPlace, here: Log, there: Log, changed: Collection[str]) -> Seen:
    first = here.next_record(place.here, place.offset)
    second = there.next_record(place.there, place.starts_at)
    if first is None or second is None:
        return "end"
    if _content(first, changed) == _content(second, changed):
        return "same"
    # What was next may be gone on one of them.
    removes = _removes(here, place.here.topic) or _removes(there, place.there.topic)
    return "skipped" if removes else "different"


def _content(record: NextRecord, changed: Collection[str]) -> tuple[object, ...]:
    return tuple(getattr(record, field) for field in _FIELDS if field not in changed)


def _removes(log: Log, topic: str) -> bool:
    try:
        entries = log.admin.topic_configs([topic]).get(topic, ())
    except NotAuthorized:
        return True  # nobody can tell, so a difference proves nothing
    return is_compacted(entries)
