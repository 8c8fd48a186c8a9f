"""Logs are read no longer than it takes until what is in them has come, in virtual time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import pytest
from confluent_kafka import KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin.reader import RecordReader
from kmirror.clock import ManualClock
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.model import TopicPartition

TIMEOUT_S = 10.0
ONE, TWO = TopicPartition("t", 1), TopicPartition("t", 2)


def record(place: TopicPartition, offset: int) -> Message:
    """Give a record."""
    return Message(topic=place.topic, partition=place.partition, offset=offset, value=b"v")


def event(code: int, place: TopicPartition | None = None, offset: int = -1) -> Message:
    """Give what is no record, of a partition or of the client as a whole."""
    topic, partition = place or (None, -1)
    return Message(topic=topic, partition=partition, offset=offset, error=KafkaError(code))


class Log:
    """The library's consumer: has messages that have come, and lets time pass where it waits."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.here: deque[Message] = deque()
        self.assigned: list[list[TopicPartition]] = []
        self.learnt: list[str] = []
        self.is_away = False
        self.waited_s = 0.0

    def list_topics(self, topic: str, **_: object) -> None:
        """Learn who leads; who is assigned something else waits for up to a second."""
        if self.is_away:
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))
        self.learnt.append(topic)

    def assign(self, places: Sequence[KafkaPartition]) -> None:
        self.assigned.append([TopicPartition(each.topic, each.partition) for each in places])

    def unassign(self) -> None:
        """Have nothing to say any more."""

    def poll(self, timeout_s: float) -> Message | None:
        return next(iter(self.consume(1, timeout_s)), None)

    def consume(self, count: int, timeout_s: float) -> list[Message]:
        """Wait until there are so many, as the library does."""
        if len(self.here) < count:
            self._clock.advance(timeout_s)
            self.waited_s += timeout_s
        return [self.here.popleft() for _ in range(min(count, len(self.here)))]


@pytest.fixture
def clock() -> ManualClock:
    """Give a clock that moves when somebody waits."""
    return ManualClock()


@pytest.fixture
def log(clock: ManualClock) -> Log:
    """Give a log without records."""
    return Log(clock)


@pytest.fixture
def reader(clock: ManualClock, log: Log, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordReader]:
    """Give what reads it."""
    settings = {"bootstrap.servers": "a:1"}
    with (
        RecordReader(settings, cluster="A", timeout_s=TIMEOUT_S, clock=clock) as opened,
        monkeypatch.context() as patched,
    ):
        patched.setattr(opened, "_consumer", log)
        yield opened


def test_few_records_are_not_waited_for_as_if_they_were_many(
    reader: RecordReader, log: Log
) -> None:
    log.here.extend(record(ONE, offset) for offset in range(3))
    batches = list(reader.batches(ONE, 0, 3))
    assert [message.offset() for batch in batches for message in batch] == [0, 1, 2]
    assert log.waited_s == 0


def test_many_partitions_are_read_together(reader: RecordReader, log: Log) -> None:
    """In one go, each in its order, and no further than wanted."""
    log.here.extend([record(ONE, 5), record(TWO, 0), record(ONE, 6), record(TWO, 1)])
    log.here.extend([record(ONE, 7), record(TWO, 2), record(TWO, 4), record(TWO, 5)])
    found: dict[TopicPartition, list[int | None]] = {ONE: [], TWO: []}
    empty = TopicPartition("t", 3)
    for batch in reader.batches_of({ONE: (5, 7), TWO: (0, 5), empty: (9, 9)}):
        for message in batch:
            found[TopicPartition("t", message.partition() or 0)].append(message.offset())
    assert found == {ONE: [5, 6], TWO: [0, 1, 2, 4]}
    assert log.assigned == [[ONE, TWO]]
    assert log.learnt == ["t"]
    assert log.waited_s == 0


def test_holes_at_the_end_are_no_records_to_wait_for(reader: RecordReader, log: Log) -> None:
    """Markers of transactions: the end of the partition is behind them."""
    end = KafkaError._PARTITION_EOF
    log.here.extend([event(end, TWO, 3), record(ONE, 0), event(end, ONE, 2)])
    batches = list(reader.batches_of({ONE: (0, 2), TWO: (1, 3)}))
    assert [message.offset() for batch in batches for message in batch] == [0]
    assert log.waited_s == 0


def test_leaders_are_asked_for_before_they_are_waited_for(
    reader: RecordReader, log: Log, clock: ManualClock
) -> None:
    """A client looks for them by itself once a second; what it was told does for some time."""
    for expected in (["t"], ["t"], ["t", "t"]):
        log.here.append(record(ONE, 0))
        assert sum(map(len, reader.batches(ONE, 0, 1))) == 1
        assert log.learnt == expected
        clock.advance(6)


def test_who_leads_need_not_be_known_at_once(reader: RecordReader, log: Log) -> None:
    """A broker may be away for a moment; the reader has its time until then."""
    log.is_away = True
    log.here.append(record(ONE, 0))
    assert sum(map(len, reader.batches(ONE, 0, 1))) == 1


def test_what_does_not_come_is_said(reader: RecordReader, log: Log, clock: ManualClock) -> None:
    """When its time is over, with the place where it stopped; what passes is not said."""
    log.here.extend([record(ONE, 0), record(TWO, 0), event(KafkaError._TRANSPORT)])
    with pytest.raises(ClusterUnavailable, match="could not read t-2 from offset 1 to 2"):
        list(reader.batches_of({ONE: (0, 1), TWO: (0, 2)}))
    assert TIMEOUT_S <= clock.monotonic_s() < TIMEOUT_S + 1


@pytest.mark.parametrize("place", [TWO, None])
def test_a_refusal_ends_it(reader: RecordReader, log: Log, place: TopicPartition | None) -> None:
    """Of one of the partitions, or of the client as a whole."""
    log.here.append(event(KafkaError.TOPIC_AUTHORIZATION_FAILED, place))
    with pytest.raises(ClusterError, match="not authorized to read t-"):
        list(reader.batches_of({ONE: (0, 1), TWO: (0, 1)}))
    assert log.waited_s == 0
