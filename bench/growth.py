"""How a copy grows, seen from the target cluster alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition

_PAUSE_S = 0.05
_QUIET_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """
    When a copy began and ended, on the monotonic clock.

    Args:
        begin_s: The first record was seen on the target, committed or not.
        begin_records: How many were there at that look.
        end_s: The last one was seen, committed.
    """

    begin_s: float
    begin_records: int
    end_s: float

    def rate(self, records: int) -> float:
        """Give records a second, for a copy of *records* altogether."""
        return (records - self.begin_records) / max(self.end_s - self.begin_s, _PAUSE_S)


class Growth:
    """
    Watches a topic of the target, twenty times a second.

    Args:
        admin: The target's control plane.
        topic: The topic, which may not exist yet.
        partitions: How many it will have.
        clock: Where time comes from.
    """

    def __init__(self, admin: KafkaAdmin, topic: str, partitions: int, clock: Clock) -> None:
        self._admin = admin
        self._topic = topic
        self._partitions = [TopicPartition(topic, number) for number in range(partitions)]
        self._clock = clock
        self._never = threading.Event()

    def written(self) -> int:
        """Count the offsets that are there, committed or not."""
        return sum(self._admin.offsets(self._partitions).values())

    def committed(self) -> int:
        """Count the offsets that a read_committed consumer could read."""
        ends = self._admin.offsets(self._partitions, isolation="read_committed")
        return sum(ends.values())

    def wait(
        self, seen: Callable[[], int], wanted: int, check: Callable[[], None], *, timeout_s: float
    ) -> tuple[float, int]:
        """
        Wait until *seen* gives *wanted* at least; give the moment, and what was seen.

        Args:
            seen: `written` or `committed`.
            wanted: How many.
            check: Raises when waiting makes no sense any more.
            timeout_s: How long it may take.

        Raises:
            ClusterUnavailable: It was not reached in time.
        """
        deadline_s = self._clock.monotonic_s() + timeout_s
        count = seen()
        while count < wanted:
            check()
            if self._clock.monotonic_s() > deadline_s:
                raise ClusterUnavailable(
                    f"{self._topic}: {count} of {wanted} records within {timeout_s:g} s"
                )
            self._clock.wait(self._never, _PAUSE_S)
            count = seen()
        return self._clock.monotonic_s(), count

    def follow(
        self,
        records: int,
        count: Callable[[], int],
        check: Callable[[], None],
        *,
        timeout_s: float,
    ) -> Course:
        """
        Follow a copy from its first record to its last one.

        Args:
            records: How many there will be.
            count: Counts the records of the topic; offsets contain transaction markers too.
            check: Raises when waiting makes no sense any more.
            timeout_s: How long it may take.

        Raises:
            ClusterUnavailable: It did not end in time.
        """
        begin_s, begin_records = self.wait(self.written, 1, check, timeout_s=timeout_s)
        deadline_s = begin_s + timeout_s
        wanted = records
        while True:
            left_s = deadline_s - self._clock.monotonic_s()
            self.wait(self.committed, wanted, check, timeout_s=left_s)
            end_s, end = self._wait_quiet(deadline_s)
            if count() >= records:
                return Course(begin_s=begin_s, begin_records=begin_records, end_s=end_s)
            # Markers have filled the number up; the missing records will raise it further.
            wanted = end + 1

    def _wait_quiet(self, deadline_s: float) -> tuple[float, int]:
        """Wait until nothing has come for a while; give the last arrival, and the offsets."""
        last = self.committed()
        last_s = now_s = self._clock.monotonic_s()
        while now_s - last_s < _QUIET_S:
            if now_s > deadline_s:
                raise ClusterUnavailable(f"{self._topic} grows without an end")
            self._clock.wait(self._never, _PAUSE_S)
            found, now_s = self.committed(), self._clock.monotonic_s()
            if found != last:
                last, last_s = found, now_s
        return last_s, last
