"""The metrics of topics, partitions and consumer groups; part of the table."""

from __future__ import annotations

from functools import partial

from kmirror.state.metrics.metric import LOOKS, Metric, MetricType

_REPORTS = "the lanes' reports"
_gauge = partial(Metric, type=MetricType.GAUGE)
_counter = partial(Metric, type=MetricType.COUNTER)
_TOPIC = ("flow", "topic")
_PARTITION = ("flow", "topic", "partition")

TOPICS = (
    _gauge(
        name="kmirror_topic_lag_records",
        unit="",
        labels=_TOPIC,
        words="The topic's lag, parked and paused partitions included.",
        source=LOOKS,
    ),
    _gauge(
        name="kmirror_topic_lag_seconds",
        unit="seconds",
        labels=_TOPIC,
        words="The same in time.",
        source=LOOKS,
    ),
    _gauge(
        name="kmirror_topic_lag_verdict",
        unit="",
        labels=_TOPIC,
        words="Burrow's number: 1 OK, 2 WARN, 3 ERR.",
        source=LOOKS,
    ),
    _counter(
        name="kmirror_topic_records_total",
        unit="",
        labels=_TOPIC,
        words="Records copied by this process.",
        source=_REPORTS,
    ),
    _counter(
        name="kmirror_topic_bytes_total",
        unit="bytes",
        labels=_TOPIC,
        words="Bytes of those.",
        source=_REPORTS,
    ),
    _counter(
        name="kmirror_topic_whole_batch_records_total",
        unit="",
        labels=_TOPIC,
        words="How many of the records travelled in the batches they were fetched in.",
        source=_REPORTS,
    ),
    _gauge(
        name="kmirror_topic_unpacked_info",
        unit="",
        labels=(*_TOPIC, "reason"),
        words="1; why others did not, lately.",
        source=_REPORTS,
    ),
    _counter(
        name="kmirror_left_out_records_total",
        unit="",
        labels=(*_TOPIC, "poison"),
        words="Records, or damaged batches, that the copy went on without: `skip`, or `dlq` if "
        "they are kept; see [poison](poison.md).",
        source=_REPORTS,
    ),
)

PARTITIONS = (
    _gauge(
        name="kmirror_partition_lag_records",
        unit="",
        labels=_PARTITION,
        words="The partition's lag.",
        source=LOOKS,
    ),
    _gauge(
        name="kmirror_partition_lag_seconds",
        unit="seconds",
        labels=_PARTITION,
        words="The same in time.",
        source=LOOKS,
    ),
    _gauge(
        name="kmirror_partition_lag_verdict",
        unit="",
        labels=_PARTITION,
        words="Burrow's number: 1 OK, 2 WARN, 3 ERR, 4 STOP, 5 STALL, 6 REWIND.",
        source=LOOKS,
    ),
    _gauge(
        name="kmirror_partition_position",
        unit="",
        labels=_PARTITION,
        words="The next source offset to copy, as committed.",
        source=_REPORTS,
    ),
    _gauge(
        name="kmirror_partition_slot",
        unit="",
        labels=_PARTITION,
        words="The slot that has the partition.",
        source=_REPORTS,
    ),
    _gauge(
        name="kmirror_safe_to_delete_before",
        unit="",
        labels=_PARTITION,
        words="The source offset below which everything is committed on the target, and audited "
        "there; absent while nothing is known to be safe. See [what is safe to delete]"
        "(deletion.md#what-is-safe-to-delete-on-the-source).",
        source="the audit",
    ),
)
_GROUP = ("flow", "group")
_SOURCE_GROUPS = "the flow's thread for consumers, and a look at the source every second"
CONSUMER_GROUPS = (
    _gauge(
        name="kmirror_group_lag_records",
        unit="",
        labels=_GROUP,
        words="How far a consumer group of the source is behind, in the partitions that the flow "
        "mirrors; the 200 groups with the most lag.",
        source=_SOURCE_GROUPS,
    ),
    _gauge(
        name="kmirror_group_lag_seconds",
        unit="seconds",
        labels=_GROUP,
        words="The same in time.",
        source=_SOURCE_GROUPS,
    ),
    _gauge(
        name="kmirror_group_lag_verdict",
        unit="",
        labels=_GROUP,
        words="Burrow's number: 1 OK, 2 WARN, 3 ERR.",
        source=_SOURCE_GROUPS,
    ),
)
