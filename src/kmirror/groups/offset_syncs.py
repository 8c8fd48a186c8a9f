"""Offset syncs: pairs of offsets for MirrorMaker 2's own tools (KIP-382, KIP-716)."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord
from kmirror.model import TopicPartition
from kmirror.offsets.sync_rules import SyncRules
from kmirror.pipeline.desk import LaneReport
from kmirror.wire.mirror_records import OffsetSync
from kmirror.wire.offset_runs import Run


class OffsetSyncs:
    """
    Writes the offset syncs of a flow.

    Args:
        topic: Their topic.
        lag_max: `offset.lag.max`.
    """

    def __init__(self, topic: InternalTopic, *, lag_max: int) -> None:
        self._topic = topic
        self._lag_max = lag_max
        self._lock = threading.Lock()
        self._rules: dict[TopicPartition, SyncRules] = {}
        self._pending: dict[TopicPartition, OffsetSync] = {}
        self._delayed: dict[TopicPartition, OffsetSync] = {}

    def add(self, report: LaneReport) -> None:
        """Take what a lane reports to have committed; may be called from another thread."""
        with self._lock:
            for entry in report.partitions:
                if entry.copied is None:
                    continue
                rules = self._rules.setdefault(entry.source, SyncRules(self._lag_max))
                for run in entry.copied.runs:
                    self._take(entry.source, run, rules.wants_of(run))

    def _take(self, partition: TopicPartition, run: Run, wanted: Iterable[tuple[int, int]]) -> None:
        """Keep the newest one that is wanted, and the newest one of all, which waits."""
        last = (run.source_end - 1, run.target_end - 1)
        self._delayed[partition] = _sync(partition, *last)
        for pair in wanted:
            self._pending[partition] = _sync(partition, *pair)
            if pair == last:
                del self._delayed[partition]

    def write(self) -> None:
        """
        Write those that are due.

        Raises:
            MirrorError: They were not written; they will be the next time.
        """
        with self._lock:
            due = dict(self._pending)
        self._topic.write(map(_record, due.values()))
        with self._lock:
            for partition, sync in due.items():
                if self._pending[partition] is sync:  # no newer one has come meanwhile
                    del self._pending[partition]

    def flush_delayed(self) -> None:
        """Make due what waits for more records: where nothing comes any more it would for ever."""
        with self._lock:
            # What waits is newer: of a run with one that is due, it is the last.
            self._pending |= self._delayed
            self._delayed = {}


def _sync(partition: TopicPartition, source: int, target: int) -> OffsetSync:
    return OffsetSync(partition=partition, upstream=source, downstream=target)


def _record(sync: OffsetSync) -> InternalRecord:
    key, value = sync.encode()
    return InternalRecord(key=key, value=value)
