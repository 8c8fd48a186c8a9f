"""Whether brokers' clocks are ahead, as far as they write times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.errors import ClusterError
from kmirror.inspect.cluster_clock import ask_clock
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic

STAMPED = ("message.timestamp.type", "LogAppendTime")


class Stamping(FakeAdmin):
    """A cluster whose topics hold records of some time; too old to tell it without one."""

    def __init__(self, newest_ms: int | None, *settings: tuple[str, str]) -> None:
        super().__init__()
        self.newest: int | None = newest_ms
        topic = NewTopic(name="t", partitions=1, replication_factor=1, configs=settings)
        self.create_topics([topic])

    def newest_ms(self, partitions: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the time, of all partitions alike."""
        if self.newest is None:
            raise ClusterError("cluster A: unsupported")
        return dict.fromkeys(partitions, self.newest)


@pytest.mark.parametrize(("ahead_ms", "said_s"), [(3_200, 3.2), (900, 0.0), (-86_400_000, 0.0)])
def test_what_brokers_write_is_not_from_later(ahead_ms: int, said_s: float) -> None:
    """An old record says nothing; clocks that NTP sets are a second apart at most."""
    clock = ManualClock(100.0)
    found = ask_clock(Stamping(clock.wall_ms() + ahead_ms, STAMPED), clock)
    assert (found.ahead_s, found.why_unknown) == (said_s, "")


def test_why_it_is_not_known() -> None:
    """Producers write the times, or brokers do not tell them."""
    clock = ManualClock(100.0)
    written = ask_clock(Stamping(clock.wall_ms() + 9_000), clock)
    assert written.ahead_s is None
    assert "no topic has message.timestamp.type = LogAppendTime" in written.why_unknown
    old = ask_clock(Stamping(None, STAMPED), clock)
    assert old.ahead_s is None
    assert "older than 3.0" in old.why_unknown
