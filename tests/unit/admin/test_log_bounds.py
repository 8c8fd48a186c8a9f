"""Where a log begins and ends; what nobody tells is no empty log."""

from __future__ import annotations

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.log_bounds import log_end, log_start
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
