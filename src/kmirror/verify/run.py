"""Reads both clusters and compares them, a few partitions at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Message

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.reader import RecordReader
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import SystemClock
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.verify.align import PREFIX_RECORDS, find_prefix
from kmirror.verify.lockstep import LockStep, Row
from kmirror.verify.pairs import PartitionPair
from kmirror.verify.result import PartitionResult, VerifyReport

Progress = Callable[[int, int], None]
"""Told how far it is: records read, and how many there are at most. Called from any thread."""

# A commit is visible within milliseconds; longer than this is an open transaction.
_SETTLE_S = 5.0

_Rows = tuple[list[Row], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """
    One cluster to read.

    Args:
        name: As messages shall name it.
        admin: Its control plane.
        config: librdkafka settings for its consumers.
    """

    name: str
    admin: ClusterAdmin
    config: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range:
    """Offsets of one partition: the first one, and the one to stop before."""

    partition: TopicPartition
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """One partition pair with what there is to read; pending: a transaction hides the rest."""

    pair: PartitionPair
    source: _Range
    target: _Range
    is_pending: bool


def verify(
    source: Side,
    target: Side,
    pairs: Sequence[PartitionPair],
    *,
    began_at_latest: bool = False,
    parallel: int = 2,
    timeout_s: float = 60.0,
    progress: Progress | None = None,
) -> VerifyReport:
    """
    Compare partitions record by record, as read_committed consumers see them.

    Args:
        source: The source cluster.
        target: The target cluster.
        pairs: What to compare.
        began_at_latest: The flow began with `auto.offset.reset = latest`: older records on the
            source are no difference.
        parallel: Partitions read at the same time; each takes some 64 MiB of memory.
        timeout_s: How long a partition may give nothing.
        progress: Told how far it is.

    Raises:
        ClusterUnavailable: A cluster stopped answering.
    """
    jobs, results = _jobs(source, target, pairs)
    meter = _Meter(sum(_span(job) for job in jobs), progress)
    queue = iter(jobs)
    lock = threading.Lock()

    def work() -> list[PartitionResult]:
        done: list[PartitionResult] = []
        with (
            RecordReader(source.config, cluster=source.name, timeout_s=timeout_s) as reader,
            RecordReader(target.config, cluster=target.name, timeout_s=timeout_s) as copy_reader,
        ):
            while True:
                with lock:
                    job = next(queue, None)
                if job is None or meter.stopped:
                    return done
                comparison = _Comparison(job, reader, copy_reader, meter, began_at_latest)
                done.append(comparison.run())

    with ThreadPoolExecutor(max_workers=parallel, thread_name_prefix="verify") as pool:
        workers = [pool.submit(work) for _ in range(min(parallel, len(jobs)))]
        try:
            for worker in workers:
                results.extend(worker.result())
        finally:
            # After an error, or Ctrl-C, the other workers end with their present batch.
            meter.stopped = True
    meter.finish()
    return VerifyReport(partitions=tuple(sorted(results, key=lambda result: result.source)))


def _jobs(
    source: Side, target: Side, pairs: Sequence[PartitionPair]
) -> tuple[list[_Job], list[PartitionResult]]:
    """Find out what there is to read; give also the results of what cannot be read."""
    # The target's ends first: what is copied meanwhile then only makes the source longer.
    targets, pending = _ranges(target, [pair.target for pair in pairs], _SETTLE_S)
    sources, _ = _ranges(source, [pair.source for pair in pairs], 0)
    jobs: list[_Job] = []
    failed: list[PartitionResult] = []
    for pair in pairs:
        ours, theirs = sources.get(pair.source), targets.get(pair.target)
        problem = pair.problem
        if ours is None:
            problem = f"{pair.source} does not exist on the source"
        elif theirs is None:
            problem = f"{pair.target} does not exist on the target"
        if problem or ours is None or theirs is None:
            failed.append(PartitionResult(source=pair.source, target=pair.target, error=problem))
            continue
        jobs.append(
            _Job(
                pair=pair,
                source=_cut(ours, pair.source_end),
                target=_cut(theirs, pair.target_end),
                is_pending=pair.target in pending,
            )
        )
    return jobs, failed


def _ranges(
    side: Side, tps: Sequence[TopicPartition], settle_s: float
) -> tuple[dict[TopicPartition, _Range], frozenset[TopicPartition]]:
    stable = stable_ends(side.admin, tps, timeout_s=settle_s, clock=SystemClock())
    ends = stable.ends
    starts = side.admin.offsets(tps, "earliest", isolation="read_committed")
    ranges = {
        tp: _Range(partition=tp, start=starts[tp], end=ends[tp])
        for tp in tps
        if tp in starts and tp in ends
    }
    return ranges, stable.pending


def _cut(whole: _Range, end: int | None) -> _Range:
    if end is None:
        return whole
    return _Range(partition=whole.partition, start=whole.start, end=min(whole.end, end))


def _span(job: _Job) -> int:
    return sum(max(0, side.end - side.start) for side in (job.source, job.target))


class _Meter:
    """Counts records over all threads; the offsets are the upper bound."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._lock = threading.Lock()
        self._done = 0
        self._total = total
        self._progress = progress
        self.stopped = False

    def add(self, records: int) -> None:
        with self._lock:
            self._done = min(self._done + records, self._total)
            done = self._done
        if self._progress is not None:
            self._progress(done, self._total)

    def finish(self) -> None:
        """Markers and removed records were counted as records until now."""
        self.add(self._total)


class _Comparison:
    """One partition and its copy."""

    def __init__(
        self,
        job: _Job,
        source: RecordReader,
        target: RecordReader,
        meter: _Meter,
        began_at_latest: bool,
    ) -> None:
        self._job = job
        self._source_reader, self._target_reader = source, target
        self._meter = meter
        self._began_at_latest = began_at_latest
        self._with_time = True

    def run(self) -> PartitionResult:
        """Compare; what concerns only this partition becomes its error."""
        try:
            return self._run()
        except ClusterError as error:
            if error.retriable:
                raise
            pair = self._job.pair
            return PartitionResult(source=pair.source, target=pair.target, error=str(error))

    def _run(self) -> PartitionResult:
        source, target = self._job.source, self._job.target
        source_head = self._head(self._source_reader, source)
        target_head = self._head(self._target_reader, target)
        own_time = any(_stamps_itself(message) for message in target_head[:1])
        self._with_time = not own_time
        older_on_source = older_on_target = 0
        ours, theirs = self._rows(source_head)[0], self._rows(target_head)[0]
        if ours and theirs and ours[0] != theirs[0]:
            older_on_source, source, older_on_target, target = self._align(ours, theirs)
        elif theirs and not ours and source.start > 0 and source.start == source.end:
            # Everything that was copied has left the source since.
            older_on_target, target = self._count(self._target_reader, target), _nothing(target)
        step, behind, newer = self._compare(source, target)
        return PartitionResult(
            source=source.partition,
            target=target.partition,
            source_records=step.source_records + older_on_source,
            target_records=step.target_records + older_on_target,
            equal_records=step.equal_records,
            source_hash=step.source_hash,
            target_hash=step.target_hash,
            older_on_source=older_on_source,
            older_on_target=older_on_target,
            # A target that has lost its own oldest records cannot hold the source's.
            older_allowed=self._began_at_latest or self._job.target.start > 0,
            behind=behind,
            newer_on_target=newer,
            timestamps_compared=self._with_time,
            open_transaction=self._job.is_pending,
            difference=step.difference,
        )

    def _align(self, ours: list[Row], theirs: list[Row]) -> tuple[int, _Range, int, _Range]:
        """Skip older records of one side; give what was skipped, and what is left, of both."""
        source, target = self._job.source, self._job.target
        # A source that still has its first offset cannot have lost older records.
        if source.start > 0:
            found = self._find(self._target_reader, target, ours)
            if found is not None:
                return 0, source, found[0], _from(target, found[1])
        found = self._find(self._source_reader, source, theirs)
        if found is not None:
            return found[0], _from(source, found[1]), 0, target
        return 0, source, 0, target

    def _find(
        self, reader: RecordReader, part: _Range, prefix: list[Row]
    ) -> tuple[int, int] | None:
        with closing(self._stream(reader, part)) as batches:
            return find_prefix(batches, prefix)

    def _compare(self, source: _Range, target: _Range) -> tuple[LockStep, int, int]:
        """Run both streams to their ends; give also how far the target is behind, or ahead."""
        step = LockStep()
        with (
            closing(self._stream(self._source_reader, source)) as source_rows,
            closing(self._stream(self._target_reader, target)) as target_rows,
        ):
            while True:
                if step.needs_source:
                    batch = next(source_rows, None)
                    if batch is None:
                        return step, 0, self._rest_of_target(step, target_rows)
                    step.feed_source(*batch)
                if step.needs_target:
                    batch = next(target_rows, None)
                    if batch is None:
                        return step, self._rest_of_source(step, source_rows), 0
                    step.feed_target(*batch)

    def _rest_of_target(self, step: LockStep, rows: Generator[_Rows, None, None]) -> int:
        """Take what the target has beyond the source's end; give how many may be there."""
        pair = self._job.pair
        # The position told where the source ends, but not where the target does.
        allowed = pair.source_end is not None and pair.target_end is None
        count = 0
        while True:
            if step.needs_target:
                batch = next(rows, None)
                if batch is None:
                    break
                step.feed_target(*batch)
            if not allowed:
                step.extra_on_target()
            count += step.take_rest(of_source=False, hashed=not allowed)
        return count if allowed and step.difference is None else 0

    def _rest_of_source(self, step: LockStep, rows: Generator[_Rows, None, None]) -> int:
        """Take what the source has beyond the target's end; give by how much that is behind."""
        count = step.take_rest(of_source=True)
        for batch in rows:
            step.feed_source(*batch)
            count += step.take_rest(of_source=True)
        return count if step.difference is None else 0

    def _head(self, reader: RecordReader, part: _Range) -> list[Message]:
        """Give the first records."""
        head: list[Message] = []
        with closing(reader.batches(part.partition, part.start, part.end)) as batches:
            for batch in batches:
                head.extend(batch)
                if len(head) >= PREFIX_RECORDS:
                    break
        return head[:PREFIX_RECORDS]

    def _count(self, reader: RecordReader, part: _Range) -> int:
        return sum(len(rows) for rows, _ in self._stream(reader, part))

    def _stream(self, reader: RecordReader, part: _Range) -> Generator[_Rows, None, None]:
        for batch in reader.batches(part.partition, part.start, part.end):
            if self._meter.stopped:
                return
            self._meter.add(len(batch))
            yield self._rows(batch)

    def _rows(self, messages: list[Message]) -> _Rows:
        offsets: list[int] = [message.offset() for message in messages]  # type: ignore[misc]  # records have offsets
        if self._with_time:
            rows = [
                (m.key(), m.value(), tuple(m.headers() or ()), m.timestamp()[1]) for m in messages
            ]
        else:
            rows = [(m.key(), m.value(), tuple(m.headers() or ()), 0) for m in messages]
        return rows, offsets  # type: ignore[return-value]  # consumed headers are a list of pairs


def _stamps_itself(message: Message) -> bool:
    return message.timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME


def _from(part: _Range, start: int) -> _Range:
    return _Range(partition=part.partition, start=start, end=part.end)


def _nothing(part: _Range) -> _Range:
    return _from(part, part.end)
