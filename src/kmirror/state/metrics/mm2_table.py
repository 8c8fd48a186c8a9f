"""
MirrorMaker 2's metrics, by the names that Strimzi's rules for the JMX exporter give them.

Source: strimzi-kafka-operator, `examples/metrics/kafka-mirror-maker-2-metrics.yaml`. The values of
`clientid` and `connector` are in quotation marks, which are part of them: so JMX has them, and
Strimzi's dashboard asks for them.
"""

from __future__ import annotations

from functools import partial

from kmirror.state.metrics.metric import Metric, MetricType

_REPORTS = "the lanes' reports"
_CLIENTS = "Kafka's clients in the lanes, every 5 s"
_gauge = partial(Metric, type=MetricType.GAUGE)
_counter = partial(Metric, type=MetricType.COUNTER)

_PARTITION = ("source", "target", "topic", "partition")
_source = partial(_gauge, labels=_PARTITION, source=_REPORTS)
_MIRROR_SOURCE = "kafka_connect_mirror_mirrorsourceconnector_"
_MIRROR_CHECKPOINT = "kafka_connect_mirror_mirrorcheckpointconnector_"
_STATISTICS = (
    ("", "now"),
    ("_min", "the least of the last 60 s"),
    ("_max", "the most of the last 60 s"),
    ("_avg", "the mean of the last 60 s"),
)

MIRROR_SOURCE = (
    _source(
        name=f"{_MIRROR_SOURCE}record_count",
        unit="",
        words="Records copied by this process. `topic` is the name on the target.",
    ),
    _source(name=f"{_MIRROR_SOURCE}record_rate", unit="1/s", words="The same a second, over 60 s."),
    _source(
        name=f"{_MIRROR_SOURCE}byte_count",
        unit="bytes",
        words="Bytes of those, as they lie in the source's batches; MirrorMaker 2 counts values.",
    ),
    _source(name=f"{_MIRROR_SOURCE}byte_rate", unit="bytes/s", words="The same, over 60 s."),
    *(
        _source(
            name=f"{_MIRROR_SOURCE}record_age_ms{suffix}",
            unit="ms",
            words="How old the newest record of a transaction was when it was fetched, by its "
            f"timestamp: {what}.",
        )
        for suffix, what in _STATISTICS
    ),
    *(
        _source(
            name=f"{_MIRROR_SOURCE}replication_latency_ms{suffix}",
            unit="ms",
            words="How old it was when it was committed on the target, by its timestamp: "
            f"{what}. Old records have a long one whatever the copy does; see "
            "`kmirror_pipeline_latency_seconds`.",
        )
        for suffix, what in _STATISTICS
    ),
)

MIRROR_CHECKPOINT = tuple(
    _gauge(
        name=f"{_MIRROR_CHECKPOINT}checkpoint_latency_ms{suffix}",
        unit="ms",
        labels=("source", "target", "group", "topic", "partition"),
        words=f"How long the target took to take a group's checkpoint: {what}.",
        source="the flow's thread for consumers",
    )
    for suffix, what in _STATISTICS
)

_connector_tasks = partial(_gauge, unit="", labels=("connector",), source="the flow's state")
WORKER = (
    _gauge(
        name="kafka_connect_worker_connector_count",
        unit="",
        labels=(),
        words="Connectors of this process: three for each flow, as MirrorMaker 2 has them.",
        source="the flow's state",
    ),
    _gauge(
        name="kafka_connect_worker_task_count",
        unit="",
        labels=(),
        words="Tasks of these: the slots, and one for each of the other two.",
        source="the flow's state",
    ),
    *(
        _connector_tasks(
            name=f"kafka_connect_worker_connector_{state}_task_count",
            words=f"Tasks of a connector that are {what}.",
        )
        for state, what in (
            ("running", "running"),
            ("paused", "paused: always 0, kmirror pauses partitions"),
            ("failed", "failed: the flow has ended, or somebody else has it"),
            ("unassigned", "not running yet, or not at the moment: a cluster is away"),
            ("total", "there"),
        )
    ),
    _gauge(
        name="kafka_connect_connector_status",
        unit="",
        labels=("connector", "task", "status"),
        words="1 for the status that a task has.",
        source="the flow's state",
    ),
    _gauge(
        name="kafka_connect_worker_rebalance_rebalancing",
        unit="",
        labels=(),
        words="1 while flows start or restart; kmirror has no rebalances.",
        source="the flow's state",
    ),
    _gauge(
        name="kafka_connect_coordinator_assigned_connectors",
        unit="",
        labels=("clientid",),
        words="Connectors of this process.",
        source="the flow's state",
    ),
    _gauge(
        name="kafka_connect_coordinator_assigned_tasks",
        unit="",
        labels=("clientid",),
        words="Tasks of this process.",
        source="the flow's state",
    ),
)

_task = partial(_gauge, labels=("connector", "task"), source=_REPORTS)
TASKS = (
    _task(
        name="kafka_connect_connector_task_offset_commit_avg_time_ms",
        unit="ms",
        words="How long a commit took, the mean of the last 60 s, or of the last commit before.",
    ),
    _task(
        name="kafka_connect_connector_task_running_ratio",
        unit="",
        words="1 while the task runs, otherwise 0.",
    ),
    _task(
        name="kafka_connect_source_task_source_record_active_count",
        unit="",
        words="Records of the slot's partitions that the target has not committed: the lag, as "
        "far as it is known.",
    ),
    _counter(
        name="kafka_connect_source_task_source_record_write_total",
        unit="",
        labels=("connector", "task"),
        words="Records that the slot's lane has copied.",
        source=_REPORTS,
    ),
)

_client = partial(_gauge, labels=("clientid",), source=_CLIENTS)
_client_counter = partial(_counter, labels=("clientid",), source=_CLIENTS)
_FETCH = "kafka_consumer_fetch_manager_"
CLIENTS = (
    _gauge(
        name=f"{_FETCH}records_lag",
        unit="",
        labels=("clientid", "topic", "partition"),
        words="The lag of a partition, offsets; `topic` is the name on the source.",
        source=_REPORTS,
    ),
    _client_counter(
        name="kafka_consumer_incoming_byte_total",
        unit="bytes",
        words="Bytes that the consumer has received.",
    ),
    *(
        _client(name=f"{_FETCH}{name}", unit=unit, words=words)
        for name, unit, words in (
            ("fetch_size_avg", "bytes", "How large an answer was, the mean."),
            ("fetch_size_max", "bytes", "The largest one."),
            ("fetch_rate", "1/s", "How many answers came."),
            ("fetch_latency_avg", "ms", "How long an answer took, the mean."),
            ("fetch_throttle_time_avg", "ms", "How long the source's quota held answers back."),
            ("fetch_throttle_time_max", "ms", "The longest such time."),
        )
    ),
    *(
        _client(name=f"kafka_consumer_{name}", unit="", words=words)
        for name, words in (
            ("io_ratio", "Share of the time in which the consumer's sockets were used."),
            ("io_wait_ratio", "Share of the time in which it waited for them."),
        )
    ),
    _client_counter(
        name="kafka_producer_outgoing_byte_total",
        unit="bytes",
        words="Bytes that the producer has sent.",
    ),
    *(
        _client_counter(name=f"kafka_producer_record_{name}_total", unit="", words=words)
        for name, words in (
            ("error", "Sends that failed."),
            ("retry", "Sends that were repeated."),
        )
    ),
    *(
        _client(name=f"kafka_producer_{name}", unit=unit, words=words)
        for name, unit, words in (
            ("buffer_available_bytes", "bytes", "How much of `buffer.memory` is free."),
            ("batch_size_avg", "bytes", "How large a batch was that was sent, the mean."),
            ("batch_size_max", "bytes", "The largest one."),
            ("requests_in_flight", "", "Requests that wait for their answers."),
            ("record_retry_rate", "1/s", "Sends that were repeated, a second."),
            ("request_latency_avg", "ms", "How long an answer took, the mean."),
            ("produce_throttle_time_avg", "ms", "How long the target's quota held back."),
            ("compression_rate_avg", "", "How large batches were, compressed: a share."),
            ("io_ratio", "", "Share of the time in which the producer's sockets were used."),
            ("io_wait_ratio", "", "Share of the time in which it waited for them."),
        )
    ),
)

_JVM = "Spark's driver JVM; in local mode the lanes are in it"
JVM = (
    _gauge(
        name="jvm_memory_used_bytes",
        unit="bytes",
        labels=("area",),
        words="Memory in use: `heap` or `nonheap`.",
        source=_JVM,
    ),
    Metric(
        name="jvm_gc_collection_seconds",
        type=MetricType.SUMMARY,
        unit="seconds",
        labels=("gc",),
        words="Time that a collector has taken, and how often it ran.",
        source=_JVM,
    ),
    _gauge(
        name="jvm_threads_current", unit="", labels=(), words="Threads of the JVM.", source=_JVM
    ),
)
MM2_METRICS = (*MIRROR_SOURCE, *MIRROR_CHECKPOINT, *WORKER, *TASKS, *CLIENTS, *JVM)
