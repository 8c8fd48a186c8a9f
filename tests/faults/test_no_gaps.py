"""What is normal raises nothing: compaction, markers, aborted records and restarts, for a while."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from itertools import count

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from tests.support.commands import gaps, status
from tests.support.mirrored import MirroredFactory
from tests.support.records import end_offset, numbered, read_with_offsets, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_COMPACT = {
    "cleanup.policy": "compact",
    "segment.ms": "100",
    "min.cleanable.dirty.ratio": "0.01",
}
_TOLD = r"gap:|parked|not mirrored"


def test_no_gap_is_raised(
    kafka_pair: ClusterPair,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    topic_name: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> None:
    """One driver after the other, over topics that are full of holes and get more of them."""
    minutes = float(request.config.getoption("--quiet-minutes"))
    a, b = kafka_pair
    transactions = new_topic(a, "transactions")
    compacted = a.create_topic(topic_name("compacted"), partitions=1, config=_COMPACT)
    flow, clock, never = mirrored(a, b, transactions, compacted), SystemClock(), threading.Event()
    flow.write(transactions, partitions=2, rate=100, abort_every=3)
    numbers = count()

    def again() -> None:
        """Write the same five keys; each write closes a segment before it."""
        write(a, compacted, numbered("again", [next(numbers) for _ in range(20)]))

    def has_holes() -> bool:
        again()
        left = len(read_with_offsets(a, compacted))
        return left < end_offset(a, compacted) / 2

    # What a driver copies as it comes has no holes yet: there are some before the first one.
    wait_until(has_holes, "the cleaner has made holes", timeout_s=90)
    end_s = clock.monotonic_s() + minutes * 60
    while True:
        # The first seconds are the start's own; a driver of a long test copies for five minutes.
        driver = flow.start_copying()
        turn_s = min(end_s, clock.monotonic_s() + max(30.0, min(300.0, minutes * 20)))
        while clock.monotonic_s() < turn_s:
            again()
            clock.wait(never, 0.5)
        assert not driver.lines(_TOLD), driver.lines(_TOLD)
        if clock.monotonic_s() >= end_s:
            break
        driver.kill()
    flow.finish(driver, compacted=[compacted])
    assert not driver.lines(_TOLD), driver.lines(_TOLD)
    for copy in flow.copies:
        # Flows of other tests have the same name, and their gaps the same topic.
        found = map(json.loads, gaps(flow.file, str(copy.flow), "--json").text.splitlines())
        assert not [gap for gap in found if gap["topic"] in copy.topics]
        shown = json.loads(status(flow.file, str(copy.flow), "--json").text)
        holes = {topic["topic"]: topic["holes"] for topic in shown["topics"]}
        assert holes[transactions] > 0
        assert holes[compacted] > 0
