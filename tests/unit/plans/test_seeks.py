"""Where a partition goes on that somebody moves."""

from __future__ import annotations

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.position_facts import OwnPosition, PartitionFacts
from kmirror.plans.seeks import plan_seeks
from kmirror.wire.control_orders import Author, SeekOrder

T0 = TopicPartition("t", 0)


def facts(ours: int | None) -> PartitionFacts:
    """Give a source that holds 10 to 100, of which so much was copied."""
    return PartitionFacts(
        source=T0,
        target=TopicPartition("A.t", 0),
        log_start=10,
        log_end=100,
        target_end=50,
        ours=None if ours is None else OwnPosition(offset=ours),
    )


@pytest.mark.parametrize(
    ("verb", "ours", "to", "offset", "skipped", "void_from"),
    [
        ("seek", 40, 60, 60, 20, None),
        ("seek", 40, 20, 20, 0, 20),
        ("seek", 40, 0, 10, 0, 10),
        ("seek", 40, 500, 100, 60, None),
        ("seek", None, 30, 30, 0, None),
        ("skip", 40, 41, 41, 1, None),
    ],
)
def test_it_goes_where_it_was_sent(  # noqa: PLR0917 - a table
    verb: str, ours: int | None, to: int, offset: int, skipped: int, void_from: int | None
) -> None:
    """Within the source's log; what the map says behind a step back is no longer true."""
    seek = SeekOrder(verb=verb, partition=T0, offset=to, author=Author(by="ann", at_ms=1))
    (seed,) = plan_seeks([seek], [facts(ours)])
    assert (seed.offset, seed.skipped, seed.void_from) == (offset, skipped, void_from)
    assert seed.why.startswith(f"{verb} by ann: ")


def test_a_skip_never_goes_back() -> None:
    """It was ordered before the lane got that far by itself."""
    skip = SeekOrder(verb="skip", partition=T0, offset=40, author=Author(by="ann", at_ms=1))
    assert plan_seeks([skip], [facts(40)]) == ()
    assert plan_seeks([skip], []) == ()
