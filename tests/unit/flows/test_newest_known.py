"""Where groups were on a source that does not answer: whatever was written down last."""

from __future__ import annotations

import pytest

from kmirror.groups.checkpoint_survey import newest_known
from kmirror.model import TopicPartition
from kmirror.wire.mirror_records import Checkpoint
from kmirror.wire.written_offsets import WrittenOffset

THERE = TopicPartition("A.t", 0)
POINT = Checkpoint(group="g", partition=THERE, upstream=80, downstream=85, metadata="m")


def written(at_ms: int, group: str = "g") -> WrittenOffset:
    """Give what was committed for a group."""
    return WrittenOffset(
        cluster="B", group=group, partition=THERE, offset=905, origin=900, at_ms=at_ms
    )


@pytest.mark.parametrize(("at_ms", "upstream", "downstream"), [(99, 80, 85), (101, 900, 905)])
def test_the_newer_one_counts(at_ms: int, upstream: int, downstream: int) -> None:
    """A group that went back after a commit, and a commit after the checkpoint."""
    (found,) = newest_known({POINT: 100}, [written(at_ms)])
    assert (found.upstream, found.downstream, found.metadata) == (upstream, downstream, "m")


def test_a_group_without_a_checkpoint() -> None:
    """What was committed for it is as good."""
    found = newest_known({POINT: 100}, [written(50, group="h")])
    assert [(each.group, each.upstream) for each in found] == [("g", 80), ("h", 900)]
