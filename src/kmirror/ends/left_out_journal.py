"""Tells of what copies have gone on without: in the log, and in `kmirror-events` on the target."""

from __future__ import annotations

import threading

from kmirror.clock import Clock
from kmirror.ends.gap_topic import GapTopic
from kmirror.errors import MirrorError
from kmirror.events.emit import emit
from kmirror.events.gaps import GAPS_UNWRITTEN
from kmirror.events.poison import POISON_OMITTED
from kmirror.model import Flow, TopicPartition
from kmirror.pipeline.desk import LeftOut
from kmirror.plans.gaps import metric_of
from kmirror.policy.poison import Poison, dlq_topic
from kmirror.wire.gap_events import RESOLVED, GapEvent


class LeftOutJournal:
    """
    What a flow has gone on without. It lives as long as the flow: what a target that is away
    cannot take is written when it is back.

    Args:
        flow: The flow.
        clock: Where time comes from.
    """

    def __init__(self, flow: Flow, clock: Clock) -> None:
        self._flow = flow
        self._clock = clock
        self._lock = threading.Lock()
        self._unwritten: dict[bytes, GapEvent] = {}

    def add(self, partition: TopicPartition, copy: str, left_out: LeftOut) -> None:
        """
        Tell of it in the log, and have it written soon.

        Args:
            partition: On the source.
            copy: The topic on the target.
            left_out: What it was, and why.
        """
        emit(
            POISON_OMITTED,
            flow=self._flow,
            topic=partition.topic,
            partition=partition.partition,
            offset=left_out.cause.offset,
            end_offset=left_out.end - 1,
            size_bytes=left_out.bytes,
            kind=left_out.reason,
            poison=left_out.poison.value,
            reason=left_out.cause.reason(partition),
        )
        event = self._event(partition, copy, left_out)
        with self._lock:
            self._unwritten[event.key] = event

    def write(self, topic: GapTopic) -> None:
        """
        Write what is not written yet; from any thread.

        Raises:
            MirrorError: The target did not answer; it is written the next time.
        """
        with self._lock:
            events = dict(self._unwritten)
        if not events:
            return
        topic.write(events.values())
        with self._lock:
            for key in events:
                self._unwritten.pop(key, None)

    def write_last(self, topic: GapTopic) -> None:
        """Do the same at the end of a query; the log has what is left, and so may the next one."""
        try:
            self.write(topic)
        except MirrorError as error:
            emit(GAPS_UNWRITTEN, flow=self._flow, error=error)

    def _event(self, partition: TopicPartition, copy: str, left_out: LeftOut) -> GapEvent:
        start = left_out.cause.offset
        is_kept = left_out.poison is Poison.DLQ
        return GapEvent(
            flow=str(self._flow),
            kind=left_out.reason,
            topic=partition.topic,
            partition=partition.partition,
            copy=copy,
            log="source",
            start=start,
            end=left_out.end,
            records=None if start is None else left_out.end - start,
            reaction=left_out.poison.value,
            status=RESOLVED,
            offset=left_out.end,
            metric=metric_of(left_out.reason),
            reason=left_out.cause.reason(partition),
            at_ms=self._clock.wall_ms(),
            letter_topic=dlq_topic(self._flow.source) if is_kept else None,
            letter=left_out.letter,
        )
