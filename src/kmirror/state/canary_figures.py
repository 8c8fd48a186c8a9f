"""What a flow's canary has seen: counts, latencies, and what is still on its way."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, replace

from kmirror.sequence.audit import Arrival, SequenceAudit
from kmirror.sequence.latencies import BucketCounts, Latencies, Spread

PRODUCED_BUCKETS_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""strimzi-canary's, for the time until a record is acknowledged."""

CONSUMED_BUCKETS_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
"""strimzi-canary's up to 0.8 s, for the whole way; and some more, since this one is longer."""

CONNECTED_BUCKETS_S = (0.1, 0.2, 0.4, 0.8, 1.6)
"""strimzi-canary's, for the time without a connection."""

WINDOW_S = 300.0
_WINDOW_STEP_S = 1.0
# Of more that is on its way, the oldest is no longer looked for.
_PENDING_MAX = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryCounts:
    """
    What a canary has counted since it began.

    Args:
        produced: Records that the source has acknowledged.
        failed: Records that it has not.
        consumed: Records that came to the target, each once.
        lost: Acknowledged ones that did not come although later ones of their partition did.
        duplicated: Those that came again.
        reordered: Those that came behind later ones.
        overdue: Acknowledged ones that are on their way for too long, at the moment.
    """

    produced: int = 0
    failed: int = 0
    consumed: int = 0
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0
    overdue: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LastProbe:
    """
    What a canary did last.

    Args:
        sent_us: When it wrote a record, microseconds since the epoch; `None` for never.
        came_us: When one arrived, microseconds since the epoch; `None` for never.
        came_s: How long that one took, seconds; `None` when there was no connection meanwhile.
        reconnected_s: How long a client had no connection; `None` when it always had one.
    """

    sent_us: int | None = None
    came_us: int | None = None
    came_s: float | None = None
    reconnected_s: float | None = None


@dataclass(slots=True)
class _Sent:
    """A record on its way: when it was sent, and whether the source has it for certain."""

    sent_us: int
    is_acknowledged: bool = False


class CanaryFigures:
    """
    Follows the records of one canary. One thread writes, anybody reads.

    Args:
        overdue_s: After how long a record is overdue.
    """

    def __init__(self, *, overdue_s: float) -> None:
        self._lock = threading.Lock()
        self._overdue_us = overdue_s * 1e6
        self._audits: dict[int, SequenceAudit] = {}
        self._pending: dict[tuple[int, int], _Sent] = {}
        self._produced = self._failed = self._consumed = 0
        self._lost = self._duplicated = self._reordered = 0
        self._window: deque[tuple[float, int, int]] = deque()
        self._last = LastProbe()
        self._roundtrips = Latencies()
        self.produce_latency = BucketCounts(PRODUCED_BUCKETS_S)
        self.roundtrip = BucketCounts(CONSUMED_BUCKETS_S)
        self.reconnects = BucketCounts(CONNECTED_BUCKETS_S)
        # Why it cannot write or read; empty while it can.
        self.trouble = ""

    def begin(self) -> None:
        """Forget what is on its way: it was sent by an earlier run, whose numbers end here."""
        with self._lock:
            self._audits.clear()
            self._pending.clear()

    def sent(self, partition: int, number: int, at_us: int) -> None:
        """Note that a record is on its way."""
        with self._lock:
            self._pending[partition, number] = _Sent(at_us)
            self._last = replace(self._last, sent_us=at_us)
            while len(self._pending) > _PENDING_MAX:
                del self._pending[next(iter(self._pending))]

    def answered(self, partition: int, number: int, took_s: float | None) -> None:
        """
        Note that the source has a record.

        Args:
            partition, number: Which.
            took_s: How long that took; `None` when there was no connection meanwhile.
        """
        with self._lock:
            self._produced += 1
            if (sent := self._pending.get((partition, number))) is not None:
                sent.is_acknowledged = True
                self._miss(partition, number)
            if took_s is not None:
                self.produce_latency.add(took_s)

    def refused(self, partition: int, number: int) -> None:
        """Note that the source has not acknowledged a record: it may have it all the same."""
        with self._lock:
            self._failed += 1
            self._pending.pop((partition, number), None)

    def came(
        self, partition: int, number: int, took_s: float | None, *, at_us: int | None = None
    ) -> None:
        """
        Note that a record came to the target.

        Args:
            partition, number: Which.
            took_s: How long the whole way took; `None` when a client had no connection meanwhile.
            at_us: When, microseconds since the epoch; `None` when nobody asks for that.
        """
        with self._lock:
            audit = self._audits.setdefault(partition, SequenceAudit())
            before = audit.next_number
            arrival = audit.add(number)
            if arrival is Arrival.AGAIN:
                self._duplicated += 1
                return
            self._consumed += 1
            if at_us is not None:
                self._last = replace(self._last, came_us=at_us, came_s=took_s)
            self._pending.pop((partition, number), None)
            if arrival is Arrival.LATE:
                self._reordered += 1
            for missing in range(before, number):
                self._miss(partition, missing)
            if took_s is not None:
                self.roundtrip.add(took_s)
                self._roundtrips.add_us(round(took_s * 1e6))

    def _miss(self, partition: int, number: int) -> None:
        """Count a record that did not come although a later one did; one that has to be there."""
        sent, audit = self._pending.get((partition, number)), self._audits.get(partition)
        is_passed = audit is not None and number < audit.next_number
        if sent is not None and sent.is_acknowledged and is_passed:
            del self._pending[partition, number]
            self._lost += 1

    def reconnected(self, took_s: float) -> None:
        """Note how long a client had no connection."""
        with self._lock:
            self.reconnects.add(took_s)
            self._last = replace(self._last, reconnected_s=took_s)

    def look(self, now_s: float) -> None:
        """Take a sample for the last five minutes; *now_s* is on a monotonic clock."""
        with self._lock:
            if self._window and now_s - self._window[-1][0] < _WINDOW_STEP_S:
                return
            self._window.append((now_s, self._produced, self._consumed))
            while now_s - self._window[0][0] > WINDOW_S:
                self._window.popleft()

    def counts(self, now_us: int) -> CanaryCounts:
        """
        Return what was counted.

        Args:
            now_us: The time, microseconds since the epoch.
        """
        with self._lock:
            return CanaryCounts(
                produced=self._produced,
                failed=self._failed,
                consumed=self._consumed,
                lost=self._lost,
                duplicated=self._duplicated,
                reordered=self._reordered,
                overdue=sum(self._is_overdue(sent, now_us) for sent in self._pending.values()),
            )

    def awaited(self, now_us: int) -> int:
        """
        Return how many records may still come, or be answered: all on their way but overdue ones.

        Args:
            now_us: The time, microseconds since the epoch.
        """
        with self._lock:
            return sum(not self._is_overdue(sent, now_us) for sent in self._pending.values())

    def _is_overdue(self, sent: _Sent, now_us: int) -> bool:
        return sent.is_acknowledged and now_us - sent.sent_us > self._overdue_us

    def window(self) -> tuple[float, int, int]:
        """Return how long the last samples reach back, seconds, and what went and came in it."""
        with self._lock:
            if not self._window:
                return 0.0, 0, 0
            (first_s, *before), (last_s, *after) = self._window[0], self._window[-1]
            return last_s - first_s, after[0] - before[0], after[1] - before[1]

    def last(self) -> LastProbe:
        """Return what was done last."""
        with self._lock:
            return self._last

    def spread(self) -> Spread:
        """Describe how long the whole way took."""
        with self._lock:
            return self._roundtrips.spread()
