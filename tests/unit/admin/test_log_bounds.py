"""Where a log begins and ends; what nobody tells is no empty log."""

from __future__ import annotations

import threading

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.log_bounds import log_end, log_end_of_new, log_start
from kmirror.clock import ManualClock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic

PLACE = TopicPartition("t", 0)


def test_they_are_told() -> None:
    """An empty log begins where it ends."""
    admin = FakeAdmin()
    admin.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
    assert (log_start(admin, PLACE), log_end(admin, PLACE)) == (0, 0)
    admin.set_log(PLACE, start=3, end=7)
    assert (log_start(admin, PLACE), log_end(admin, PLACE)) == (3, 7)


def test_nobody_tells() -> None:
    """As a broker that has not heard of the partition yet."""
    for bound in (log_start, log_end):
        with pytest.raises(ClusterUnavailable, match="no broker tells the offsets of t-0"):
            bound(FakeAdmin(), PLACE)


class Late(ManualClock):
    """Time in which the topic comes to be known."""

    def __init__(self, admin: FakeAdmin, at_s: float) -> None:
        super().__init__()
        self._admin = admin
        self._at_s = at_s

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        """Have the topic known from then on."""
        answer = super().wait(event, timeout_s)
        if self.monotonic_s() >= self._at_s:
            self._admin.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
            self._admin.set_log(PLACE, end=7)
        return answer


def test_one_that_was_just_made() -> None:
    """It is waited for."""
    admin = FakeAdmin()
    assert log_end_of_new(admin, PLACE, Late(admin, 2.0)) == 7


def test_one_that_does_not_come() -> None:
    """Not for ever."""
    admin = FakeAdmin()
    clock = Late(admin, 1000.0)
    with pytest.raises(ClusterUnavailable, match="no broker tells the offsets of t-0"):
        log_end_of_new(admin, PLACE, clock)
    assert clock.monotonic_s() < 6
