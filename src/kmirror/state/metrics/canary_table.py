"""The metrics of canaries; part of the table."""

from __future__ import annotations

from functools import partial

from kmirror.state.metrics.metric import Metric, MetricType

_CANARY = "the flow's [canary](canary.md)"
_counter = partial(Metric, type=MetricType.COUNTER, unit="", labels=("flow",), source=_CANARY)
_times = partial(
    Metric, type=MetricType.HISTOGRAM, unit="seconds", labels=("flow",), source=_CANARY
)

CANARY_METRICS = (
    _counter(
        name="kmirror_canary_produced_total",
        words="Records of the canary that the source has acknowledged.",
    ),
    _counter(
        name="kmirror_canary_produce_failed_total",
        words="Records of the canary that the source has not acknowledged.",
    ),
    _counter(
        name="kmirror_canary_consumed_total",
        words="Records of the canary that came to the target, each once.",
    ),
    _counter(
        name="kmirror_canary_lost_total",
        words="Acknowledged ones that did not come although later ones of their partition did. One "
        "that comes after all is out of order, too.",
    ),
    _counter(
        name="kmirror_canary_duplicates_total",
        words="Records of the canary that came again.",
    ),
    _counter(
        name="kmirror_canary_out_of_order_total",
        words="Records of the canary that came behind later ones.",
    ),
    Metric(
        name="kmirror_canary_overdue_records",
        type=MetricType.GAUGE,
        unit="",
        labels=("flow",),
        words="Records of the canary that are on their way for longer than "
        "`kmirror.canary.overdue.seconds`.",
        source=_CANARY,
    ),
    Metric(
        name="kmirror_canary_up",
        type=MetricType.GAUGE,
        unit="",
        labels=("flow",),
        words="1 while the canary can write and read; 0 while it cannot, and says why in the log.",
        source=_CANARY,
    ),
    _times(
        name="kmirror_canary_produce_seconds",
        words="How long the source took to acknowledge a record of the canary. Times with a "
        "reconnect in them are left out.",
    ),
    _times(
        name="kmirror_canary_roundtrip_seconds",
        words="How long a record of the canary took from the source to a read_committed reader on "
        "the target. Times with a reconnect of the canary's own clients in them are left out.",
    ),
    _times(
        name="kmirror_canary_reconnect_seconds",
        words="How long a client of the canary had no connection, from the failure to the next "
        "answer.",
    ),
)
