"""The metrics of Spark's executors; part of the table."""

from __future__ import annotations

from functools import partial

from kmirror.state.metrics.metric import Metric, MetricType

_executor = partial(
    Metric,
    labels=("executor", "host"),
    source="each executor's own JVM, every 5 s",
)
_gauge = partial(_executor, type=MetricType.GAUGE)
_counter = partial(_executor, type=MetricType.COUNTER)

EXECUTOR_METRICS = (
    _gauge(
        name="kmirror_executor_heap_used_bytes",
        unit="bytes",
        words="What the executor's JVM uses of its heap. `executor` is Spark's id of it: `driver` "
        "where executors are threads of the driver. 100 executors at most, those that use most; "
        "one that is silent for 30 s is absent.",
    ),
    _gauge(
        name="kmirror_executor_heap_max_bytes",
        unit="bytes",
        words="How large its heap can grow.",
    ),
    _gauge(
        name="kmirror_executor_threads",
        unit="",
        words="How many threads it has.",
    ),
    _counter(
        name="kmirror_executor_gc_seconds_total",
        unit="seconds",
        words="How long its garbage collectors have worked since it began.",
    ),
    _counter(
        name="kmirror_executor_gc_collections_total",
        unit="",
        words="How often they have.",
    ),
)
