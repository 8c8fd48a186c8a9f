"""Waiting for markers, in virtual time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from kmirror.admin.base import Isolation, Which
from kmirror.admin.fake import FakeAdmin
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import ManualClock
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic

TP = TopicPartition("t", 0)


class Pending(FakeAdmin):
    """A cluster on which a transaction ends after *asked_max* questions."""

    def __init__(self, asked_max: int) -> None:
        super().__init__()
        self._left = asked_max
        self.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
        self.set_log(TP, end=10)

    def offsets(
        self,
        partitions: Iterable[TopicPartition],
        which: Which = "latest",
        *,
        isolation: Isolation = "read_uncommitted",
        partial: bool = False,
    ) -> Mapping[TopicPartition, int]:
        """Hide the last record until the transaction has ended."""
        ends = super().offsets(partitions, which, isolation=isolation, partial=partial)
        if isolation == "read_uncommitted" or self._left == 0:
            return ends
        self._left -= 1
        return {tp: end - 1 for tp, end in ends.items()}


@pytest.mark.parametrize(
    ("asked_max", "end", "pending"), [(0, 10, False), (5, 10, False), (10**9, 9, True)]
)
def test_waits_for_open_transactions(asked_max: int, end: int, pending: bool) -> None:
    """As long as the deadline allows."""
    clock = ManualClock()
    stable = stable_ends(Pending(asked_max), [TP], timeout_s=3, clock=clock)
    assert stable.ends == {TP: end}
    assert stable.pending == (frozenset([TP]) if pending else frozenset())
    assert clock.monotonic_s() <= 3.1


class Leaderless(FakeAdmin):
    """A cluster on which a topic has a leader after some questions, or never."""

    def __init__(self, asked_max: int) -> None:
        super().__init__()
        self._left = asked_max
        self.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
        self.set_log(TP, end=7)

    def offsets(
        self,
        partitions: Iterable[TopicPartition],
        which: Which = "latest",
        *,
        isolation: Isolation = "read_uncommitted",
        partial: bool = False,
    ) -> Mapping[TopicPartition, int]:
        """Know nothing of it, as the real one."""
        self._left -= 1
        return (
            {}
            if self._left >= 0
            else super().offsets(partitions, which, isolation=isolation, partial=partial)
        )


@pytest.mark.parametrize(
    ("asked_max", "partial", "ends"),
    [(5, False, {TP: 7}), (10**9, False, {}), (5, True, {}), (0, True, {TP: 7})],
)
def test_waits_for_leaders(asked_max: int, partial: bool, ends: dict[TopicPartition, int]) -> None:
    """Of topics that were created a moment ago; not where some may not exist."""
    clock = ManualClock()
    stable = stable_ends(Leaderless(asked_max), [TP], timeout_s=3, clock=clock, partial=partial)
    assert stable.ends == ends
    assert not stable.pending
    assert clock.monotonic_s() <= (0 if partial else 3.1)
