"""What a survey makes of what was read."""

from __future__ import annotations

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.sampler import Counted, Sample, _counted, _difference
from kmirror.clock import ManualClock
from kmirror.inspect.link_survey import (
    SAMPLED_PARTITIONS_MAX,
    _Findings,
    _is_telling,
    _measured,
    _starts,
    round_trip_ms,
)
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import ClusterState
from kmirror.plans.topics import NewTopic


class SlowAdmin(FakeAdmin):
    """A cluster in memory whose answers take their time: the first one, which connects, longer."""

    def __init__(self, clock: ManualClock, *took_s: float) -> None:
        super().__init__()
        self._clock = clock
        self._took_s = list(took_s)

    def describe(self) -> ClusterState:
        """Answer later."""
        self._clock.advance(self._took_s.pop(0) if self._took_s else 0.1)
        return super().describe()


def sample(
    *, handed: int = 10**6, seconds: float = 1.0, complete: bool = False, **counted: int
) -> Sample:
    """Give a sample of 1000 records that were packed to the half."""
    numbers = {"wire_bytes": 500_000, "clear_bytes": 10**6, "records": 1000, "answers": 11}
    return Sample(
        counted=Counted(**(numbers | counted)),
        handed_bytes=handed,
        seconds=seconds,
        largest_bytes=2000,
        complete=complete,
    )


def test_a_round_trip_is_the_median() -> None:
    """Neither the connection's beginning nor a single late answer counts."""
    clock = ManualClock()
    assert round_trip_ms(SlowAdmin(clock, 3.0, 2.0), clock) == pytest.approx(100)
    clock = ManualClock()
    assert round_trip_ms(SlowAdmin(clock, *[4.0] * 20), clock) == pytest.approx(4000)
    assert clock.monotonic_s() < 20, "it ends in time"


def test_the_fullest_partitions_are_read() -> None:
    """From where their newest records begin; empty ones are left out."""
    admin = FakeAdmin()
    admin.create_topics([NewTopic(name="t", partitions=50, replication_factor=1)])
    partitions = [TopicPartition("t", at) for at in range(50)]
    admin.set_log(partitions[3], start=10, end=1_000_010)
    admin.set_log(partitions[7], start=5, end=20)
    assert list(_starts(admin, partitions).items()) == [
        (partitions[3], 800_010),
        (partitions[7], 5),
    ]
    for at in partitions:
        admin.set_log(at, end=1)
    assert len(_starts(admin, partitions)) == SAMPLED_PARTITIONS_MAX


def test_numbers_of_a_sample() -> None:
    """Bytes on the network are what counts on a link."""
    found = _Findings(rate_bytes_s=1e6, samples=[sample()])
    known = _measured(found, sample(), 100.0, 1.0, 7)
    assert (known.record_bytes, known.record_bytes_max, known.packed) == (500, 2000, 0.5)
    assert (known.source.rtt_ms, known.source.bytes_per_s) == (100.0, 1e6)
    assert (known.target.rtt_ms, known.target.bytes_per_s) == (1.0, None)
    assert known.partitions == 7
    assert known.batch_records == pytest.approx(1000 / 11)
    # The last answer said that there is no more.
    known = _measured(found, sample(complete=True), 100.0, 1.0, 7)
    assert (known.batch_records, known.batch_bytes) == (100, 50_000)
    assert sample().wire_bytes_s == 500_000


def test_nothing_was_read() -> None:
    """Then nothing is said."""
    known = _measured(_Findings(), None, 100.0, 1.0, 0)
    assert known.record_bytes is known.packed is known.batch_bytes is known.partitions is None
    empty = sample(handed=0, seconds=0.0, clear_bytes=0, wire_bytes=0, records=0, answers=0)
    assert empty.packed is empty.wire_bytes_s is None
    assert _measured(_Findings(samples=[empty]), empty, 1.0, 1.0, 1).record_bytes is None


def test_what_tells_a_rate() -> None:
    """Much, or little over a long time that did not end by itself."""
    assert _is_telling(sample())
    assert _is_telling(sample(handed=60_000))
    assert not _is_telling(sample(handed=60_000, complete=True))
    assert not _is_telling(sample(handed=60_000, seconds=0.1))
    assert not _is_telling(sample(seconds=0.0))


def test_the_librarys_statistics() -> None:
    """Of all brokers and partitions; a fetch on its way is not answered yet."""
    text = """{"brokers": {"b1": {"rxbytes": 10, "waitresp_cnt": 1, "req": {"Fetch": 5}},
        "b2": {"rxbytes": 5, "req": {}}},
        "topics": {"t": {"partitions": {"0": {"rxbytes": 7, "rxmsgs": 2}, "1": {}}}}}"""
    now = Counted(wire_bytes=15, clear_bytes=7, records=2, answers=4)
    assert _counted(text) == now
    assert _counted("{}") == Counted()
    assert _difference(now, now) == Counted()
