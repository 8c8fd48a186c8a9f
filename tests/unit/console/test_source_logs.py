"""What a source tells of its logs while somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kmirror_lab.process.waiting import wait_until

from kmirror.admin.fake import FakeAdmin
from kmirror.api.flows import PartitionView
from kmirror.clock import Clock, ManualClock
from kmirror.config.flows import FlowConfig
from kmirror.console.figures import Offsets
from kmirror.console.source_logs import (
    KEEP_S,
    NOBODY,
    SourceLogs,
    SourceLooks,
    mirrored_shares,
    with_logs,
)
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from tests.support.mirror_files import Load

T0, T1, U0 = (TopicPartition(topic, number) for topic, number in (("t", 0), ("t", 1), ("u", 0)))


class Source:
    """A source that counts who asks, and answers nobody while it is away."""

    def __init__(self) -> None:
        self.admin = FakeAdmin(brokers=2)
        self.admin.create_topics([NewTopic(name="t", partitions=2, replication_factor=1)])
        self.admin.set_log(T0, start=40, end=100)
        self.asked = 0
        self.is_away = False

    def open(self, _config: FlowConfig, _clock: Clock) -> FakeAdmin:
        self.asked += 1
        if self.is_away:
            raise ClusterUnavailable("cluster A: no answer")
        return self.admin


def test_it_is_asked_now_and_then_while_somebody_looks(tmp_path: Path) -> None:
    """Nobody waits for it, and what is known stays where it does not answer."""
    (config,) = Load(tmp_path)().flows
    source, clock = Source(), ManualClock(100.0)
    looks = SourceLooks(clock, source.open)

    def partitions() -> Iterator[TopicPartition]:
        yield from (T0, T1)

    assert looks.of(config, partitions).as_of_ms is None
    wait_until(lambda: looks.of(config, partitions).begins, "an answer", timeout_s=30)
    found = looks.of(config, partitions)
    assert (found.begins[T0], found.leaders, source.asked) == (40, {T0: 0, T1: 1}, 1)
    source.is_away = True
    clock.advance(KEEP_S)
    wait_until(lambda: looks.of(config, partitions).error, "an error", timeout_s=30)
    doubted = looks.of(config, partitions)
    assert (doubted.begins, doubted.as_of_ms, source.asked) == (found.begins, found.as_of_ms, 2)


def test_what_is_not_known_of_a_partition_is_said() -> None:
    logs = SourceLogs(as_of_ms=1, begins={T0: 40}, leaders={T0: NOBODY, T1: 3})
    rows = [
        PartitionView(flow="A->B", topic=each.topic, partition=each.partition, copy="", state="")
        for each in (T0, T1, U0)
    ]
    told = [(each.source_begin, each.leader) for each in with_logs(rows, logs)]
    assert told == [(40, NOBODY), (None, 3), (None, None)]


def shares(*places: tuple[TopicPartition, int, int | None]) -> dict[str, float]:
    """Give the shares of what is copied, where logs begin at 40, 0 and 7."""
    logs = SourceLogs(as_of_ms=1, begins={T0: 40, T1: 0, U0: 7})
    found: Sequence[Offsets] = [Offsets(*each) for each in places]
    return dict(mirrored_shares(found, logs))


def test_how_much_of_what_the_source_holds_is_copied() -> None:
    """What retention has taken from it does not count, copied or not."""
    assert shares((T0, 70, 100), (T1, 40, 40)) == {"t": 0.7}
    assert shares((T0, 10, 100), (T1, 0, 40)) == {"t": 0.0}
    assert shares((T0, 120, 100), (U0, 7, 7)) == {"t": 1.0}
    assert shares((T0, 70, 100), (T1, 0, None)) == {}
    assert shares((TopicPartition("x", 0), 7, 9)) == {}
