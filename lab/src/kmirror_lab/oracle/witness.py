"""A read_committed consumer that is there all the time, and what it saw."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import cast

from confluent_kafka import Consumer, KafkaError, KafkaException, Message

from kmirror.clock import Clock, SystemClock
from kmirror.model import TopicPartition
from kmirror_lab.oracle.stream import Stream, assign, fingerprint, marks, reader, row_of
from kmirror_lab.process.waiting import wait_until

_BATCH_RECORDS = 5_000
_POLL_S = 0.2
_LOOK_S = 1.0
_ANSWER_S_MAX = 5
_LOST_ITS_PLACE = {
    KafkaError._AUTO_OFFSET_RESET,  # noqa: SLF001  # its only name
    KafkaError.OFFSET_OUT_OF_RANGE,
}


@dataclass(slots=True)
class _SeenRecords:
    """What was seen of one partition, in the order in which it came."""

    offsets: array[int] = field(default_factory=lambda: array("q"))
    marks: array[int] = field(default_factory=lambda: array("q"))

    def add(self, offset: int, mark: int) -> None:
        self.offsets.append(offset)
        self.marks.append(mark)

    def differs_from(self, final: _SeenRecords) -> str | None:
        """Name the first record that was not seen as it is now."""
        if self == final:
            return None
        for offset, now in zip(self.offsets, final.offsets, strict=False):
            if offset != now:
                return f"saw offset {offset} where {now} is now"
        for offset, mark, now in zip(self.offsets, self.marks, final.marks, strict=False):
            if mark != now:
                return f"saw another record at offset {offset}"
        return f"saw {len(self.offsets)} records, now there are {len(final.offsets)}"


class Witness:
    """
    Reads topics while things happen to them.

    What a read_committed consumer has once seen must be there in the end, at the same offset, and
    nothing else: a transaction that is visible and then gone, or a log that is cut, would show.
    It keeps 16 bytes per record.

    Args:
        bootstrap: `bootstrap.servers` of the cluster.
        topics: What to read; topics that do not exist yet, or have not been named yet, may come.
        clock: Where time comes from.
    """

    def __init__(
        self, bootstrap: str, topics: Collection[str], *, clock: Clock | None = None
    ) -> None:
        self._bootstrap = bootstrap
        self._topics = topics
        self._clock = clock or SystemClock()
        self._seen: dict[TopicPartition, _SeenRecords] = {}
        self._stop = threading.Event()
        self._trouble: KafkaException | None = None
        self._thread = threading.Thread(target=self._run, name="witness", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more; what was seen stays known."""
        self._stop.set()
        self._thread.join()

    def seen(self, place: TopicPartition) -> int:
        """Say how many records of a partition it has seen by now."""
        return len(self._seen_of(place).offsets)

    def disagreements(
        self, ends: Mapping[TopicPartition, int], *, timeout_s: float = 30
    ) -> list[str]:
        """
        Say where what was seen is not what is there now; an empty list is a good one.

        Args:
            ends: Last stable offset of each partition; nothing is written to them any more.
            timeout_s: How long the consumer may take to get there.

        Raises:
            ClusterUnavailable: It did not get there.
            KafkaException: It lost its place in a log.
        """
        final = {place: self._read(place, end) for place, end in ends.items()}

        def arrived() -> bool:
            if self._trouble is not None:
                raise self._trouble
            return all(self._has_seen(place, now) for place, now in final.items())

        wait_until(arrived, "the witness has seen the end", timeout_s=timeout_s, clock=self._clock)
        self.stop()
        found = {place: self._seen_of(place).differs_from(now) for place, now in final.items()}
        return [f"{place}: {words}" for place, words in found.items() if words]

    def _seen_of(self, place: TopicPartition) -> _SeenRecords:
        return self._seen.get(place, _SeenRecords())

    def _has_seen(self, place: TopicPartition, final: _SeenRecords) -> bool:
        seen = self._seen_of(place).offsets
        return not final.offsets or (len(seen) > 0 and seen[-1] >= final.offsets[-1])

    def _read(self, place: TopicPartition, end: int) -> _SeenRecords:
        found = _SeenRecords()
        with closing(Stream(self._bootstrap, place, end)) as stream:
            for offset, mark in marks(stream):
                found.add(offset, mark)
        return found

    def _run(self) -> None:
        client = reader(self._bootstrap, "read_committed")
        try:
            looked_s = -_LOOK_S
            while not self._stop.is_set():
                if self._clock.monotonic_s() - looked_s >= _LOOK_S:
                    self._look(client)
                    looked_s = self._clock.monotonic_s()
                self._take(client.consume(_BATCH_RECORDS, timeout=_POLL_S))
        except KafkaException as error:
            self._trouble = error
        finally:
            client.close()

    def _look(self, client: Consumer) -> None:
        """Add partitions that are new."""
        try:
            listed = client.list_topics(timeout=_ANSWER_S_MAX).topics
            for topic in self._topics:
                if topic in listed:
                    self._add(client, topic, len(listed[topic].partitions))
        except KafkaException:
            return  # brokers come and go here; they are asked again

    def _add(self, client: Consumer, topic: str, partitions: int) -> None:
        for number in range(partitions):
            place = TopicPartition(topic, number)
            if place not in self._seen:
                assign(client, place, timeout_s=_ANSWER_S_MAX)
                self._seen[place] = _SeenRecords()

    def _take(self, messages: list[Message]) -> None:
        for message in messages:
            error = message.error()
            if error is None:
                place = TopicPartition(
                    cast("str", message.topic()), cast("int", message.partition())
                )
                offset = cast("int", message.offset())
                self._seen[place].add(offset, fingerprint(row_of(message)))
            elif error.fatal() or error.code() in _LOST_ITS_PLACE:
                raise KafkaException(error)
            # Anything else is an end, or a broker that goes or comes; silence shows in the end.
