"""Every metric that there is. `make docs` writes docs/metrics.md from it."""

from __future__ import annotations

from functools import partial

from kmirror.state.metrics.canary_table import CANARY_METRICS
from kmirror.state.metrics.executor_table import EXECUTOR_METRICS
from kmirror.state.metrics.metric import LOOKS, Metric, MetricType
from kmirror.state.metrics.mm2_table import MM2_METRICS
from kmirror.state.metrics.place_table import CONSUMER_GROUPS, PARTITIONS, TOPICS

_STATE = "the flow's state"
_REPORTS = "the lanes' reports"
_CLOCKS = "the lanes' own clocks"
_AUDIT = "the audit"
_gauge = partial(Metric, type=MetricType.GAUGE)
_counter = partial(Metric, type=MetricType.COUNTER)
_flow = partial(_gauge, labels=("flow",))
_flow_counter = partial(_counter, labels=("flow",))

PROCESS = (
    _gauge(
        name="kmirror_build_info",
        unit="",
        labels=("version",),
        words="1; kmirror's version.",
        source="the package",
    ),
    _gauge(
        name="kmirror_partitions_shown",
        unit="",
        labels=(),
        words="How many partitions have series of their own: all of them up to 2,000; of more, "
        "the 20 of each flow that are the furthest behind.",
        source="the scrape",
    ),
    _gauge(
        name="kmirror_partitions_omitted",
        unit="",
        labels=(),
        words="How many have not. Their topics and flows count them all the same.",
        source="the scrape",
    ),
    _counter(
        name="kmirror_events_total",
        unit="",
        labels=("flow", "event"),
        words="[Events](events.md) of the log, by name; `flow` is empty for those of no flow.",
        source="the log",
    ),
    *(
        _counter(
            name=f"kmirror_gap_{kind}_records_total",
            unit="",
            labels=("flow",),
            words=f"Offsets of [gaps](gaps.md) of the kind `{kind}`, as far as that is known.",
            source="the log",
        )
        for kind in ("overtaken", "truncated", "recreated", "target_lost", "position_missing")
    ),
)

STATE = (
    _gauge(
        name="kmirror_flow_state",
        unit="",
        labels=("flow", "state"),
        words="1 for the state that the flow has, 0 for the others.",
        source=_STATE,
    ),
    _gauge(
        name="kmirror_flow_trouble_info",
        unit="",
        labels=("flow", "reason"),
        words="1; why the flow does not copy, for people. Absent while it does.",
        source=_STATE,
    ),
    _flow(
        name="kmirror_generation",
        unit="",
        words="How often the flow's query was started since the flow began.",
        source=_STATE,
    ),
    _gauge(
        name="kmirror_partitions",
        unit="",
        labels=("flow", "state"),
        words="Partitions that are `copied`, `parked`, `paused` or `waiting`: in no plan "
        "yet, or without a leader on the source.",
        source=_STATE,
    ),
    _gauge(
        name="kmirror_parked_partition_info",
        unit="",
        labels=("flow", "topic", "partition", "kind"),
        words="1 for a parked partition, with the cause; 100 of a flow at most.",
        source=_STATE,
    ),
    _gauge(
        name="kmirror_refused_partitions",
        unit="",
        labels=("flow", "topic"),
        words="Partitions of a topic that a cluster does not let the flow read or write.",
        source=_STATE,
    ),
    _gauge(
        name="kmirror_certificate_expiry_timestamp_seconds",
        unit="seconds",
        labels=("flow", "cluster", "certificate"),
        words="When the first certificate ends that the flow's clients have for a cluster, since "
        "the epoch: its own (`client`), or one of those that it trusts (`authority`).",
        source="key stores, at each start of the flow",
    ),
    _gauge(
        name="kmirror_broker_certificate_expiry_timestamp_seconds",
        unit="seconds",
        labels=("flow", "cluster", "broker"),
        words="When the first certificate ends of the chain that a broker shows at the address "
        "that it advertises, since the epoch; the 100 of a flow that end first. Absent where the "
        "flow's clients do not speak TLS. A broker that is away keeps what it has shown before.",
        source="a connection to each broker, once an hour",
    ),
    _gauge(
        name="kmirror_slo_verdict",
        unit="",
        labels=("flow", "verdict"),
        words="1 for what the flow is: `IN_SYNC`, `BEHIND` or `BROKEN`; 0 for the others.",
        source=LOOKS,
    ),
    _flow(
        name="kmirror_slo_lag_seconds",
        unit="seconds",
        words="What `kmirror.slo.lag.seconds` says.",
        source="the file",
    ),
    _flow(
        name="kmirror_slo_rpo_seconds",
        unit="seconds",
        words="What `kmirror.slo.rpo.seconds` says.",
        source="the file",
    ),
)

LAG = (
    _flow(
        name="kmirror_lag_records",
        unit="",
        words="Source offsets that are not on the target; parked partitions do not count.",
        source=LOOKS,
    ),
    _flow(
        name="kmirror_lag_seconds",
        unit="seconds",
        words="How long ago the source got the oldest record that the target has not, without "
        "what is parked or paused; see [verdicts](monitoring.md#verdicts).",
        source=LOOKS,
    ),
    _flow(
        name="kmirror_rpo_seconds",
        unit="seconds",
        words="The same with what is parked or paused: what would be lost with the source is at "
        "most as old as this.",
        source=LOOKS,
    ),
    _flow(
        name="kmirror_lag_eta_seconds",
        unit="seconds",
        words="In how many seconds the lag is gone, at the rate of the last minute. Absent while "
        "it does not shrink.",
        source=LOOKS,
    ),
    _flow(
        name="kmirror_lag_trend",
        unit="",
        words="-1 shrinking, 0 steady or not known, 1 growing.",
        source=LOOKS,
    ),
    _flow(
        name="kmirror_lag_verdict",
        unit="",
        words="Burrow's number: 1 OK, 2 WARN, 3 ERR.",
        source=LOOKS,
    ),
    _gauge(
        name="kmirror_lag_verdict_partitions",
        unit="",
        labels=("flow", "verdict"),
        words="Partitions by lag verdict.",
        source=LOOKS,
    ),
)

COPY = (
    _flow_counter(
        name="kmirror_records_total",
        unit="",
        words="Records copied by this process.",
        source=_REPORTS,
    ),
    _flow_counter(
        name="kmirror_bytes_total",
        unit="bytes",
        words="Bytes of those, as they lie in the source's batches.",
        source=_REPORTS,
    ),
    _flow_counter(
        name="kmirror_whole_batch_records_total",
        unit="",
        words="How many of the records travelled in the batches they were fetched in.",
        source=_REPORTS,
    ),
    _flow(
        name="kmirror_last_commit_timestamp_seconds",
        unit="seconds",
        words="When a lane committed last, since the epoch; absent before the first commit.",
        source=_REPORTS,
    ),
    Metric(
        name="kmirror_event_age_seconds",
        type=MetricType.HISTOGRAM,
        unit="seconds",
        labels=("flow",),
        words="How old records were when they were fetched, by their timestamps. A record of a "
        "batch that travels whole is as old as the newest one of its batch.",
        source=_CLOCKS,
    ),
    Metric(
        name="kmirror_pipeline_latency_seconds",
        type=MetricType.HISTOGRAM,
        unit="seconds",
        labels=("flow",),
        words="How long records took from kmirror's first touch to their commit, by kmirror's "
        "clock alone: of each transaction the time of its first record counts for all.",
        source=_CLOCKS,
    ),
    Metric(
        name="kmirror_commit_seconds",
        type=MetricType.HISTOGRAM,
        unit="seconds",
        labels=("flow",),
        words="How long the target took to end a transaction; `_count` is how many there were.",
        source=_CLOCKS,
    ),
    _flow_counter(
        name="kmirror_seams_total",
        unit="",
        words="Batches of Spark that the lanes have begun.",
        source=_CLOCKS,
    ),
    _flow(
        name="kmirror_checkpoint_timestamp_seconds",
        unit="seconds",
        words="When all checkpoints were up to date on the target last, since the epoch.",
        source="the flow's thread for consumers",
    ),
)

SLOTS = (
    _counter(
        name="kmirror_lane_seconds_total",
        unit="seconds",
        labels=("flow", "slot", "activity"),
        words="What the slot's lane did with its time: `source` waiting for records, `convert` "
        "putting them into transactions, `target` waiting for the target, `throttled` by the "
        "file's limits, `idle` between rounds and batches.",
        source=_CLOCKS,
    ),
    _gauge(
        name="kmirror_bottleneck",
        unit="",
        labels=("flow", "slot", "bottleneck"),
        words="1 for what has held the slot up in the last 10 s: `source`, `convert`, `target`, "
        "`throttled` or `idle`; see [bottlenecks](monitoring.md#bottlenecks).",
        source=_CLOCKS,
    ),
    _gauge(
        name="kmirror_slot_partitions",
        unit="",
        labels=("flow", "slot"),
        words="How many partitions the slot has.",
        source=_REPORTS,
    ),
)

AUDIT = (
    _counter(
        name="kmirror_audit_windows_total",
        unit="",
        labels=("flow", "verdict"),
        words="Windows that this process has compared, by [verdict](audit.md#verdicts). Absent, "
        "like all of the audit's, without `kmirror.audit.enabled`.",
        source=_AUDIT,
    ),
    _flow_counter(
        name="kmirror_audit_records_total",
        unit="",
        words="Source records of those.",
        source=_AUDIT,
    ),
    _flow_counter(
        name="kmirror_audit_bytes_total",
        unit="bytes",
        words="Keys and values that were read for it, of both sides.",
        source=_AUDIT,
    ),
    _gauge(
        name="kmirror_audit_standing_windows",
        unit="",
        labels=("flow", "topic", "verdict"),
        words="Windows of a topic that are `missing`, `extra`, `different` or `undecidable`, "
        "whenever that was found, until they are audited again.",
        source=_AUDIT,
    ),
    _flow(
        name="kmirror_audit_lag_records",
        unit="",
        words="Source offsets that are copied, and not audited yet.",
        source=_AUDIT,
    ),
    _flow(
        name="kmirror_audit_caught_up_timestamp_seconds",
        unit="seconds",
        words="When everything that was copied was audited last, since the epoch; absent before "
        "the first time.",
        source=_AUDIT,
    ),
)

GROUPS: tuple[tuple[str, tuple[Metric, ...]], ...] = (
    ("The process", PROCESS),
    ("Flows", STATE),
    ("Lag", LAG),
    ("The copy", COPY),
    ("Slots", SLOTS),
    ("Spark's executors", EXECUTOR_METRICS),
    ("The audit", AUDIT),
    ("Topics", TOPICS),
    ("Partitions", PARTITIONS),
    ("Consumer groups", CONSUMER_GROUPS),
    ("Canaries", CANARY_METRICS),
    ("MirrorMaker 2's", MM2_METRICS),
)
METRICS = {metric.name: metric for _, group in GROUPS for metric in group}
