"""Where partitions go on that somebody moves elsewhere; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kmirror.plans.decisions import Seed
from kmirror.plans.position_facts import PartitionFacts
from kmirror.wire.control_orders import SeekOrder


def plan_seeks(seeks: Iterable[SeekOrder], facts: Sequence[PartitionFacts]) -> tuple[Seed, ...]:
    """
    Return the positions to write.

    Args:
        seeks: Where partitions shall go on; one that a skip would take back stays.
        facts: What is known of them.
    """
    known = {fact.source: fact for fact in facts}
    seeds = (_seed(seek, known[seek.partition]) for seek in seeks if seek.partition in known)
    return tuple(seed for seed in seeds if seed is not None)


def _seed(seek: SeekOrder, fact: PartitionFacts) -> Seed | None:
    ours = fact.ours.offset if fact.ours is not None else None
    offset = max(fact.log_start, min(seek.offset, max(fact.log_end, fact.high_watermark)))
    if ours is not None and seek.verb == "skip" and offset <= ours:
        return None
    goes_back = ours is not None and offset < ours
    words = "starts" if ours is None else f"goes on after offset {ours - 1}"
    skipped = 0
    if ours is not None:
        skipped = max(0, offset - ours)
        words = f"gives up offsets {ours} to {offset - 1}"
    if goes_back:
        words = f"copies offsets {offset} to {(ours or 0) - 1} again"
    return Seed(
        partition=fact.source,
        offset=offset,
        why=f"{seek.verb} {seek.author}: {words}",
        skipped=skipped,
        void_from=offset if goes_back else None,
    )
