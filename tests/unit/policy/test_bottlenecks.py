"""What holds a slot up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.policy.bottlenecks import (
    Bottleneck,
    LaneTimes,
    SlotFacts,
    judge_slot,
)

BUSY = SlotFacts(
    slot=1, times=LaneTimes(source=1, convert=2, target=6, idle=1), lag_records=100, lag_s=20
)


@pytest.mark.parametrize(
    ("facts", "bottleneck", "words"),
    [
        (BUSY, Bottleneck.TARGET, "60% of the time waiting for the target; more kmirror.slots"),
        (replace(BUSY, lag_records=0, lag_s=0), Bottleneck.IDLE, "nothing to do"),
        (replace(BUSY, lag_s=1), Bottleneck.IDLE, "nothing to do"),
        (replace(BUSY, times=LaneTimes()), Bottleneck.IDLE, "nothing to do"),
        (replace(BUSY, target_throttled=True), Bottleneck.TARGET, "a quota of the target"),
        (
            replace(BUSY, times=LaneTimes(source=9, convert=1)),
            Bottleneck.SOURCE,
            "90% of the time waiting for the source; more kmirror.connections.max",
        ),
        (
            replace(BUSY, times=LaneTimes(source=9), source_throttled=True),
            Bottleneck.SOURCE,
            "a quota of the source",
        ),
        (
            replace(BUSY, times=LaneTimes(source=3, throttled=7)),
            Bottleneck.THROTTLED,
            "kmirror.flow.limit.bytes.per.second",
        ),
        (
            replace(BUSY, times=LaneTimes(convert=1), unpacked="another codec"),
            Bottleneck.CONVERT,
            "batches are taken apart: another codec",
        ),
    ],
)
def test_a_slot(facts: SlotFacts, bottleneck: Bottleneck, words: str) -> None:
    """A lane without lag waits for the source, too, and is held up by nothing."""
    found = judge_slot(facts)
    assert found.bottleneck is bottleneck
    assert words in found.words


def test_a_lane_that_began_again_counts_from_zero() -> None:
    """What it did before is in the sum of its slot already."""
    before = LaneTimes(target=100)
    assert LaneTimes(target=130).since(before) == LaneTimes(target=30)
    assert LaneTimes(target=5).since(before) == LaneTimes(target=5)
