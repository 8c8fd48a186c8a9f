"""
What `/metrics` serves, in OpenTelemetry's words.

Names, labels and values are the same. A counter leaves its `_total` to whoever writes it for
Prometheus, as OpenTelemetry's rules for Prometheus have it. OpenTelemetry's library has no
summaries: a summary is a histogram of one bucket, which keeps `_count` and `_sum`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.samples import Sample

import kmirror

_CUMULATIVE = AggregationTemporality.CUMULATIVE
_CREATED = "_created"
_UNITS = (("_seconds", "s"), ("_bytes", "By"))
_SCOPE = "kmirror"


def metrics_data(
    families: Iterable[Family], resource: Resource, *, began_ns: int, now_ns: int
) -> MetricsData:
    """
    Return all of a scrape as it is sent.

    Args:
        families: What `/metrics` would serve.
        resource: The process.
        began_ns: When counters began, nanoseconds since the epoch.
        now_ns: When this was measured.
    """
    when = _When(began_ns=began_ns, now_ns=now_ns)
    metrics = [_metric(each, when) for each in families if each.samples]
    scope = InstrumentationScope(_SCOPE, kmirror.__version__)
    scoped = ScopeMetrics(scope=scope, metrics=metrics, schema_url="")
    whole = ResourceMetrics(resource=resource, scope_metrics=[scoped], schema_url="")
    return MetricsData(resource_metrics=[whole])


@dataclass(frozen=True, slots=True, kw_only=True)
class _When:
    began_ns: int
    now_ns: int

    def number(self, sample: Sample) -> NumberDataPoint:
        return NumberDataPoint(
            attributes=sample.labels,
            start_time_unix_nano=self.began_ns,
            time_unix_nano=self.now_ns,
            value=float(sample.value),  # some are flags
        )


def _metric(family: Family, when: _When) -> Metric:
    data: Gauge | Sum | Histogram
    if family.type in ("histogram", "summary"):
        points = [each.point(when) for each in _distributions(family)]
        data = Histogram(data_points=points, aggregation_temporality=_CUMULATIVE)
    else:
        numbers = [
            when.number(sample) for sample in family.samples if not sample.name.endswith(_CREATED)
        ]
        if family.type == "counter":
            data = Sum(data_points=numbers, aggregation_temporality=_CUMULATIVE, is_monotonic=True)
        else:
            data = Gauge(data_points=numbers)
    return Metric(
        name=family.name, description=family.documentation, unit=_unit(family.name), data=data
    )


def _unit(name: str) -> str:
    return next((unit for end, unit in _UNITS if name.endswith(end)), "")


@dataclass(slots=True, kw_only=True)
class _Distribution:
    """The samples of one histogram, or summary, with the same labels."""

    labels: dict[str, str]
    # Ends of buckets, and how many values were up to there.
    totals: list[tuple[float, float]] = field(default_factory=list)
    count: float = 0.0
    sum: float = 0.0

    def point(self, when: _When) -> HistogramDataPoint:
        totals = self.totals or [(math.inf, self.count)]
        counts, before = [], 0.0
        for _, total in totals:
            counts.append(round(total - before))
            before = total
        return HistogramDataPoint(
            attributes=self.labels,
            start_time_unix_nano=when.began_ns,
            time_unix_nano=when.now_ns,
            count=sum(counts),
            sum=self.sum,
            bucket_counts=counts,
            explicit_bounds=[end for end, _ in totals if not math.isinf(end)],
            # Nobody has measured them: `None` is not sent.
            min=None,  # type: ignore[arg-type]
            max=None,  # type: ignore[arg-type]
        )


def _distributions(family: Family) -> Iterator[_Distribution]:
    found: dict[frozenset[tuple[str, str]], _Distribution] = {}
    for sample in family.samples:
        labels = {name: value for name, value in sample.labels.items() if name != "le"}
        each = found.setdefault(frozenset(labels.items()), _Distribution(labels=labels))
        kind = sample.name.removeprefix(family.name)
        if kind == "_bucket":
            each.totals.append((float(sample.labels["le"]), sample.value))
        elif kind == "_count":
            each.count = sample.value
        elif kind == "_sum":
            each.sum = sample.value
    yield from found.values()
