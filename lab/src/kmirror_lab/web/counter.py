"""A consumer with a counter: what came into a topic, each record once, and what came twice."""

from __future__ import annotations

import threading

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Message, TopicPartition

from kmirror.admin.reader import headers_of
from kmirror.clock import Clock
from kmirror.sequence.audit import Arrival, SequenceAudit
from kmirror.wire.load_stamps import LoadStamp, stamp_of
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.web.view import Counted

_BATCH_RECORDS = 1_000
_POLL_S = 0.1
_LOOK_S = 1.0
_ANSWER_S_MAX = 5.0
_END_S_MAX = 10.0


class Tally:
    """
    Counts the records of one run; memory grows with gaps, never with records.

    Args:
        run: The run's name in stamps.
    """

    def __init__(self, run: str) -> None:
        self._run = run
        self._audits: dict[int, SequenceAudit] = {}
        self._distinct = 0
        self._twice = 0
        self._others = 0

    def add(self, stamp: LoadStamp | None) -> None:
        """Take the stamp of a record that came; `None` where it has none."""
        if stamp is None or stamp.run != self._run:
            self._others += 1
            return
        audit = self._audits.setdefault(stamp.partition, SequenceAudit())
        if audit.add(stamp.number) is Arrival.AGAIN:
            self._twice += 1
        else:
            self._distinct += 1

    @property
    def counted(self) -> Counted:
        """What came so far."""
        return Counted(distinct=self._distinct, twice=self._twice, others=self._others)


class Counter:
    """
    Reads a topic from its beginning, and counts; a topic that does not exist yet is waited for.

    Args:
        bootstrap: The cluster.
        topic: The topic.
        run: Whose records count.
        clock: Where time comes from.
    """

    def __init__(self, bootstrap: str, topic: str, run: str, clock: Clock) -> None:
        self._topic = topic
        self._clock = clock
        self._tally = Tally(run)
        self._consumer: Consumer = consumer(bootstrap, auto_offset_reset="earliest")
        self._read: set[int] = set()
        self._over = threading.Event()
        self._trouble = ""
        self._thread = threading.Thread(target=self._run, name=f"counter-{topic}", daemon=True)
        self._thread.start()

    @property
    def counted(self) -> Counted:
        """What came so far."""
        return self._tally.counted

    @property
    def trouble(self) -> str:
        """Why it counts no further; empty when it does."""
        return self._trouble

    @property
    def is_there(self) -> bool:
        """Whether the topic exists."""
        return bool(self._read)

    def end(self) -> None:
        """Read no more; `close` waits until that is so."""
        self._over.set()

    def close(self) -> None:
        """End."""
        self.end()
        self._thread.join(_END_S_MAX)

    def _run(self) -> None:
        looked_s = self._clock.monotonic_s() - _LOOK_S
        while not self._over.is_set():
            try:
                if self._clock.monotonic_s() - looked_s >= _LOOK_S:
                    looked_s = self._clock.monotonic_s()
                    self._find_partitions()
                self._count(self._consumer.consume(_BATCH_RECORDS, _POLL_S))
            except KafkaException as error:
                self._trouble = error.args[0].str()
                self._clock.wait(self._over, _LOOK_S)
        self._consumer.close()

    def _find_partitions(self) -> None:
        described = self._consumer.list_topics(self._topic, timeout=_ANSWER_S_MAX)
        there = set(described.topics[self._topic].partitions)
        if new := sorted(there - self._read):
            self._consumer.incremental_assign(
                [TopicPartition(self._topic, number, OFFSET_BEGINNING) for number in new]
            )
            self._read |= there
        self._trouble = ""

    def _count(self, messages: list[Message]) -> None:
        for message in messages:
            if (error := message.error()) is not None:
                self._trouble = error.str()
            else:
                self._tally.add(stamp_of(headers_of(message)))
