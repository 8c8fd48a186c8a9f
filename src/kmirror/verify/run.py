"""Reads both clusters and compares them, a few partitions at a time."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from confluent_kafka import Message

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.reader import RecordReader
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import SystemClock
from kmirror.errors import ClusterError, NotAuthorized
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import is_compacted
from kmirror.verify.compacted import CompactedLogs
from kmirror.verify.lockstep import LockStep, Row
from kmirror.verify.pairs import PartitionPair
from kmirror.verify.result import PartitionResult, Verdict, VerifyReport
from kmirror.verify.rows import Meter, Progress, Range, RowReader, stamps_itself

# A commit is visible within milliseconds; longer than this is an open transaction.
_SETTLE_S = 5.0


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
class _Job:
    """
    One partition pair with what there is to read.

    Args:
        pair: Which.
        source, target: Its offsets.
        is_pending: A transaction hides the rest of the target.
        is_compacted: Either side forgets the older records of a key.
    """

    pair: PartitionPair
    source: Range
    target: Range
    is_pending: bool
    is_compacted: bool


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
    Compare partitions record by record, as read_committed consumers see them; where either side is
    compacted, what both must agree on all the same (see `CompactedLogs`).

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
    meter = Meter(sum(_span(job) for job in jobs), progress)
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
    compacted = compacted_topics(source.admin, {pair.source.topic for pair in pairs})
    copies = compacted_topics(target.admin, {pair.target.topic for pair in pairs})
    jobs: list[_Job] = []
    failed: list[PartitionResult] = []
    for pair in pairs:
        ours, theirs = sources.get(pair.source), targets.get(pair.target)
        problem = pair.problem
        if ours is None:
            problem = _untold(pair.source, "source")
        elif theirs is None:
            problem = _untold(pair.target, "target")
        if problem or ours is None or theirs is None:
            failed.append(PartitionResult(source=pair.source, target=pair.target, error=problem))
            continue
        jobs.append(
            _Job(
                pair=pair,
                source=ours.until(pair.source_end),
                target=theirs.until(pair.target_end),
                is_pending=pair.target in pending,
                is_compacted=pair.source.topic in compacted or pair.target.topic in copies,
            )
        )
    return jobs, failed


def _untold(partition: TopicPartition, side: str) -> str:
    return f"{partition} does not exist on the {side}, or its leader does not answer"


def _ranges(
    side: Side, tps: Sequence[TopicPartition], settle_s: float
) -> tuple[dict[TopicPartition, Range], frozenset[TopicPartition]]:
    stable = stable_ends(side.admin, tps, timeout_s=settle_s, clock=SystemClock(), partial=True)
    ends = stable.ends
    starts = side.admin.offsets(tps, "earliest", isolation="read_committed", partial=True)
    ranges = {
        tp: Range(partition=tp, start=starts[tp], end=ends[tp], log_end=ends[tp])
        for tp in tps
        if tp in starts and tp in ends
    }
    return ranges, stable.pending


def compacted_topics(admin: ClusterAdmin, topics: Collection[str]) -> frozenset[str]:
    """Name those of *topics* whose cleanup policy contains `compact`."""
    try:
        configs = admin.topic_configs(topics)
    except NotAuthorized:
        # Nothing else needs DescribeConfigs here; the other side's settings are as a rule the same.
        return frozenset()
    return frozenset(topic for topic, entries in configs.items() if is_compacted(entries))


def _span(job: _Job) -> int:
    sides = [job.source, job.target]
    if job.is_compacted:
        sides = [side.whole() for side in sides]
    return sum(max(0, side.end - side.start) for side in sides)


class _Comparison:
    """One partition and its copy."""

    def __init__(
        self,
        job: _Job,
        source: RecordReader,
        target: RecordReader,
        meter: Meter,
        began_at_latest: bool,
    ) -> None:
        self._job = job
        self._source, self._target = RowReader(source, meter), RowReader(target, meter)
        self._began_at_latest = began_at_latest

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
        job = self._job
        target_head = self._target.head(job.target)
        with_time = not any(stamps_itself(message) for message in target_head[:1])
        self._source.with_time = self._target.with_time = with_time
        result = self._run_compacted() if job.is_compacted else self._run_in_step(target_head)
        result = replace(
            result,
            # A target that has lost its own oldest records cannot hold the source's.
            older_allowed=self._began_at_latest or job.target.start > 0,
            timestamps_compared=with_time,
            open_transaction=job.is_pending,
            compared=(job.source.start, job.source.end),
        )
        is_different = result.verdict is Verdict.DIFFERENT
        return replace(result, audited=None) if is_different else result

    def _run_compacted(self) -> PartitionResult:
        job = self._job
        with closing(CompactedLogs()) as logs:
            for rows, offsets in self._source.stream(job.source.whole()):
                logs.add("source", rows, offsets, end=job.source.end)
            for rows, offsets in self._target.stream(job.target.whole()):
                logs.add("target", rows, offsets, end=job.target.end)
            result = logs.compare(job.pair, source_forgets=job.source.start > 0)
        whole = job.source.start, job.source.end
        return replace(result, audited=None if result.behind else whole)

    def _run_in_step(self, target_head: list[Message]) -> PartitionResult:
        source, target = self._job.source, self._job.target
        older_on_source = older_on_target = 0
        ours = self._source.rows(self._source.head(source))[0]
        theirs = self._target.rows(target_head)[0]
        if ours and theirs and ours[0] != theirs[0]:
            older_on_source, source, older_on_target, target = self._align(ours, theirs)
        elif theirs and not ours and source.start > 0 and source.start == source.end:
            # Everything that was copied has left the source since.
            older_on_target, target = self._target.count(target), target.since(target.end)
        step = self._compare(source, target)
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
            behind=step.behind,
            newer_on_target=step.newer_on_target,
            audited=(source.start, source.end if step.behind_from is None else step.behind_from),
            difference=step.difference,
        )

    def _align(self, ours: list[Row], theirs: list[Row]) -> tuple[int, Range, int, Range]:
        """Skip older records of one side; give what was skipped, and what is left, of both."""
        source, target = self._job.source, self._job.target
        # A source that still has its first offset cannot have lost older records.
        if source.start > 0:
            found = self._target.find(target, ours)
            if found is not None:
                return 0, source, found[0], target.since(found[1])
        found = self._source.find(source, theirs)
        if found is not None:
            return found[0], source.since(found[1]), 0, target
        return 0, source, 0, target

    def _compare(self, source: Range, target: Range) -> LockStep:
        """Run both streams to their ends."""
        step = LockStep(target_may_be_ahead=self._job.pair.target_may_be_ahead)
        with (
            closing(self._source.stream(source)) as source_rows,
            closing(self._target.stream(target)) as target_rows,
        ):
            step.run(source_rows, target_rows)
        return step
