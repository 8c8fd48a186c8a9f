"""Makes what `/metrics` serves of what the flows know, whenever it is asked for."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

import kmirror
from kmirror.clock import Clock
from kmirror.events.emit import Occurrence
from kmirror.pipeline.figures import ExecutorFigures, JvmFigures, SparkFigures
from kmirror.state.metrics.flow_metrics import FlowMetrics
from kmirror.state.metrics.mm2_metrics import CONNECTORS, Mm2Metrics, quoted
from kmirror.state.metrics.scrape import Scrape
from kmirror.state.metrics.shown import shown
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import FlowState

_EXECUTORS_MAX = 100
_BEGINS = {FlowState.STARTING, FlowState.RESTARTING}


class EventCounts:
    """Counts events; a sink of `events.emit`. Memory grows with kinds of events and flows."""

    def __init__(self) -> None:
        self.events: Counter[tuple[str, str]] = Counter()
        self.gap_records: Counter[tuple[str, str]] = Counter()

    def __call__(self, occurrence: Occurrence) -> None:
        """Count one."""
        flow = str(occurrence.fields.get("flow") or "")
        self.events[flow, occurrence.event.name] += 1
        records = occurrence.fields.get("gap_records")
        if isinstance(records, int):
            self.gap_records[flow, str(occurrence.fields["metric"])] += records


class FlowsCollector(Collector):
    """
    All flows of a process.

    Args:
        flows: Gives them.
        jvm: Says what Spark's JVMs use; `None` while there is none.
        events: What has happened so far.
        clock: Where time comes from.
    """

    def __init__(
        self,
        flows: Callable[[], Sequence[ObservedFlow]],
        jvm: Callable[[], SparkFigures | None],
        events: EventCounts,
        clock: Clock,
    ) -> None:
        self._flows = flows
        self._jvm = jvm
        self._events = events
        self._clock = clock

    def collect(self) -> Iterator[Family]:
        """Yield every metric with all its samples."""
        scrape, flows = Scrape(), self._flows()
        self._put_flows(scrape, flows)
        scrape.put("kmirror_build_info", 1, kmirror.__version__)
        for (flow, event), count in sorted(self._events.events.items()):
            scrape.put("kmirror_events_total", count, flow, event)
        for (flow, metric), records in sorted(self._events.gap_records.items()):
            scrape.put(f"{metric}_total", records, flow)
        if (jvm := self._jvm()) is not None:
            _put_jvm(scrape, jvm.driver)
            _put_executors(scrape, jvm.executors)
        yield from scrape.families()

    def _put_flows(self, scrape: Scrape, flows: Sequence[ObservedFlow]) -> None:
        now_ms = self._clock.wall_ms()
        lags = [flow.progress.lag_by_partition() for flow in flows]
        topics = [
            {each.topic: each.lag_records for each in flow.board.status.topics} for flow in flows
        ]
        partition_count, topic_count = sum(map(len, lags)), sum(map(len, topics))
        shown_count = task_count = 0
        for flow, of_partitions, of_topics in zip(flows, lags, topics, strict=True):
            partitions = shown(of_partitions, of_process=partition_count)
            shown_count += len(partitions)
            mm2 = Mm2Metrics(flow, scrape, now_ms)
            task_count += mm2.task_count
            with flow.meter.lock:
                FlowMetrics(flow, scrape, now_ms).put(
                    shown(of_topics, of_process=topic_count), partitions
                )
                mm2.put(partitions)
        scrape.put("kmirror_partitions_shown", shown_count)
        scrape.put("kmirror_partitions_omitted", partition_count - shown_count)
        _put_worker(scrape, flows, task_count)


def _put_worker(scrape: Scrape, flows: Sequence[ObservedFlow], task_count: int) -> None:
    connectors, worker = len(CONNECTORS) * len(flows), quoted("kmirror")
    scrape.put("kafka_connect_worker_connector_count", connectors)
    scrape.put("kafka_connect_worker_task_count", task_count)
    scrape.put("kafka_connect_coordinator_assigned_connectors", connectors, worker)
    scrape.put("kafka_connect_coordinator_assigned_tasks", task_count, worker)
    begins = any(flow.board.status.state in _BEGINS for flow in flows)
    scrape.put("kafka_connect_worker_rebalance_rebalancing", begins)


def _put_jvm(scrape: Scrape, jvm: JvmFigures) -> None:
    scrape.put("jvm_memory_used_bytes", jvm.heap_bytes, "heap")
    scrape.put("jvm_memory_used_bytes", jvm.nonheap_bytes, "nonheap")
    scrape.put("jvm_threads_current", jvm.threads)
    for name, count, seconds in jvm.collectors:
        scrape.put_summary("jvm_gc_collection_seconds", count, seconds, name)


def _put_executors(scrape: Scrape, executors: Sequence[ExecutorFigures]) -> None:
    fullest = heapq.nlargest(_EXECUTORS_MAX, executors, key=lambda each: each.jvm.heap_bytes)
    for each in sorted(fullest, key=lambda one: one.executor):
        jvm, where = each.jvm, (each.executor, each.host)
        scrape.put("kmirror_executor_heap_used_bytes", jvm.heap_bytes, *where)
        scrape.put("kmirror_executor_heap_max_bytes", jvm.heap_max_bytes, *where)
        scrape.put("kmirror_executor_threads", jvm.threads, *where)
        collections = sum(count for _, count, _ in jvm.collectors)
        seconds = sum(seconds for _, _, seconds in jvm.collectors)
        scrape.put("kmirror_executor_gc_collections_total", collections, *where)
        scrape.put("kmirror_executor_gc_seconds_total", seconds, *where)


class Exposition:
    """
    What `/metrics` answers, and what a collector is sent.

    Args:
        collector: Of the process's flows.
    """

    def __init__(self, collector: Collector) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(collector)
        ProcessCollector(registry=self._registry)

    def answer(self, accept: str) -> tuple[str, bytes]:
        """
        Return the content type and the body.

        Args:
            accept: What the scrape wants: OpenMetrics, or Prometheus' text format.
        """
        encode, content_type = choose_encoder(accept)
        return content_type, encode(self._registry)

    def families(self) -> Iterable[Family]:
        """Return the same figures for whoever does not read text."""
        return self._registry.collect()
