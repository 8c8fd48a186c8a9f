"""Reads a little of some partitions: how fast it comes, and what it is made of. Writes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors
from kmirror.admin.connection import Connected, connection_settings, open_client
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition

_COUNTED_EVERY_MS = 100
_COUNTED_S_MAX = 2.0  # for the library's next count
_POLL_S = 0.1
_RECORDS_MAX = 500  # handed on at a time: few, so that there is something to time
_OVERHEAD_BYTES = 70  # a record's own fields, generously
# One answer holds one batch: the broker gives the first one whole, and nothing behind it.
_ONE_BATCH = {
    "fetch.message.max.bytes": 1,
    "message.max.bytes": 1000,
    "fetch.max.bytes": 1000,
    "queued.min.messages": 1,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """
    What the library has counted so far.

    Args:
        wire_bytes: Received from brokers.
        clear_bytes, records: Unpacked from that.
        answers: Fetches that were answered.
    """

    wire_bytes: int = 0
    clear_bytes: int = 0
    records: int = 0
    answers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """
    What was read.

    Args:
        counted: By the library: what came from the brokers.
        handed_bytes: Keys and values after the first moment, and...
        seconds: ... the time that they took.
        largest_bytes: The largest record.
        complete: All there was has been read.
    """

    counted: Counted
    handed_bytes: int
    seconds: float
    largest_bytes: int
    complete: bool

    @property
    def packed(self) -> float | None:
        """Bytes on the network for each byte of keys and values."""
        if not self.counted.clear_bytes:
            return None
        return self.counted.wire_bytes / self.counted.clear_bytes

    @property
    def wire_bytes_s(self) -> float | None:
        """Bytes per second on the network; None when it was over at once."""
        if self.packed is None or self.seconds <= 0 or not self.handed_bytes:
            return None
        return self.packed * self.handed_bytes / self.seconds


class Sampler(Connected):
    """
    A consumer that is told what to read and for how long; it joins no group and commits nothing.

    Args:
        config: librdkafka settings.
        cluster: The cluster as messages shall name it.
        clock: Where time comes from.
        answer_bytes: The largest answer; None for one batch in each.
    """

    def __init__(
        self, config: Mapping[str, Any], *, cluster: str, clock: Clock, answer_bytes: int | None
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._cause = _errors.ConnectionCause()
        self._counts: list[Counted] = []
        sizes = _ONE_BATCH if answer_bytes is None else _answers_of(answer_bytes)
        settings = {
            "group.id": "kmirror-tune",  # required by the library, never joined
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            "isolation.level": "read_uncommitted",
            "auto.offset.reset": "error",
            "fetch.wait.max.ms": 100,
            "fetch.queue.backoff.ms": 5,
            "statistics.interval.ms": _COUNTED_EVERY_MS,
            "stats_cb": lambda text: self._counts.append(_counted(text)),
            **sizes,
        }
        try:
            complete = connection_settings(config, self._cause, settings)
            self._consumer = open_client(Consumer, complete, cluster)
        except KafkaException as error:
            raise self._translated(error) from error

    def read(
        self, starts: Mapping[TopicPartition, int], *, bytes_max: int, seconds_max: float
    ) -> Sample:
        """
        Read from some offsets on, until there is enough or nothing more.

        Args:
            starts: The first offset of each partition.
            bytes_max: How much to read, about.
            seconds_max: How long to read, at most.

        Raises:
            ClusterError: The read was refused.
        """
        first_s = last_s = None
        handed = before = largest = 0
        open_ends = set(starts)
        base = self._next_count(_COUNTED_S_MAX)
        deadline_s = self._clock.monotonic_s() + seconds_max
        self._consumer.assign(
            [KafkaPartition(at.topic, at.partition, o) for at, o in starts.items()]
        )
        while open_ends and handed < bytes_max and self._clock.monotonic_s() < deadline_s:
            sizes = self._sizes(open_ends)
            if not sizes:
                continue
            last_s = self._clock.monotonic_s()
            if first_s is None:
                first_s, before = last_s, sum(sizes)
            handed += sum(sizes)
            largest = max(largest, *sizes)
        complete = not open_ends
        counted = self._next_count(_COUNTED_S_MAX)
        self._consumer.unassign()
        return Sample(
            counted=_difference(counted, base),
            handed_bytes=handed - before,
            seconds=0.0 if first_s is None or last_s is None else last_s - first_s,
            largest_bytes=largest + _OVERHEAD_BYTES if largest else 0,
            complete=complete,
        )

    def _sizes(self, open_ends: set[TopicPartition]) -> list[int]:
        """Return the sizes of the next records; ends that were reached are taken out."""
        sizes = []
        for message in self._consumer.consume(_RECORDS_MAX, _POLL_S):
            error = message.error()
            if error is None:
                sizes.append(len(message.key() or b"") + len(message.value() or b""))
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # a public code
                at = TopicPartition(message.topic() or "", message.partition() or 0)
                open_ends.discard(at)
            elif not _errors.is_passing(error):
                raise self._translated(error)
        return sizes

    def _next_count(self, seconds_max: float) -> Counted:
        """Wait for the library's next count; the last one where it is late."""
        known, deadline_s = len(self._counts), self._clock.monotonic_s() + seconds_max
        while len(self._counts) == known and self._clock.monotonic_s() < deadline_s:
            # Events are served meanwhile; a record that comes now is counted, not needed.
            self._consumer.consume(1, _POLL_S)
        return self._counts[-1] if self._counts else Counted()

    def _translated(self, error: BaseException | KafkaError) -> ClusterError:
        return _errors.translate(
            error, cluster=self._cluster, doing="read a sample", cause=self._cause
        )

    def close(self) -> None:
        """Let go of connections."""
        self._consumer.close()


def _answers_of(answer_bytes: int) -> dict[str, int]:
    return {
        "fetch.message.max.bytes": answer_bytes,
        "message.max.bytes": answer_bytes,
        "fetch.max.bytes": answer_bytes,
        "queued.min.messages": 100_000,
        "queued.max.messages.kbytes": max(1024, 2 * answer_bytes // 1024),
    }


def _counted(text: str) -> Counted:
    """Read the library's statistics."""
    stats = json.loads(text)
    brokers = list(stats.get("brokers", {}).values())
    parts = [
        part
        for topic in stats.get("topics", {}).values()
        for part in topic.get("partitions", {}).values()
    ]
    fetches = sum(broker.get("req", {}).get("Fetch", 0) for broker in brokers)
    return Counted(
        wire_bytes=sum(broker.get("rxbytes", 0) for broker in brokers),
        clear_bytes=sum(part.get("rxbytes", 0) for part in parts),
        records=sum(part.get("rxmsgs", 0) for part in parts),
        answers=fetches - sum(broker.get("waitresp_cnt", 0) for broker in brokers),
    )


def _difference(now: Counted, before: Counted) -> Counted:
    return Counted(
        wire_bytes=now.wire_bytes - before.wire_bytes,
        clear_bytes=now.clear_bytes - before.clear_bytes,
        records=now.records - before.records,
        answers=max(0, now.answers - before.answers),
    )
