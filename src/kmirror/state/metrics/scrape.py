"""One answer to a scrape, as it grows: samples by metric, checked against the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.metrics_core import Metric as Family

from kmirror.sequence.latencies import BucketCounts
from kmirror.state.metrics.metric import Metric, MetricType
from kmirror.state.metrics.table import METRICS

_INFINITE = "+Inf"


class Scrape:
    """
    What is served, metric by metric.

    Label values come in the order of the table: a sample with others than it has is a mistake.
    """

    def __init__(self) -> None:
        self._families: dict[str, Family] = {}

    def put(self, name: str, value: float | None, *labels: object) -> None:
        """Add a sample; none when the value is not known."""
        if value is not None:
            metric = METRICS[name]
            values = [str(label) for label in labels]
            assert len(values) == len(metric.labels), name
            # Both kinds have it; what they have in common has not.
            self._family(metric).add_metric(values, value)  # type: ignore[attr-defined]

    def put_histogram(
        self, name: str, counts: Sequence[float], sum_s: float, *labels: object, every: int = 1
    ) -> None:
        """
        Add times by how long they were.

        Args:
            name: The metric.
            counts: How many were up to 1, 2, 4, 8 … ms; the last one has the rest.
            sum_s: All of them together, seconds.
            labels: Label values.
            every: Show every so manieth bucket.
        """
        buckets, total = [], 0.0
        for power, count in enumerate(counts[:-1]):
            total += count
            if power % every == 0:
                buckets.append((f"{2**power / 1000:g}", total))
        buckets.append((_INFINITE, total + counts[-1]))
        self._put_histogram(name, buckets, sum_s, labels)

    def put_buckets(self, name: str, found: BucketCounts, *labels: object) -> None:
        """Add times whose buckets have ends of their own."""
        totals = list(accumulate(found.counts))
        ends = [*(f"{bound:g}" for bound in found.bounds_s), _INFINITE]
        self._put_histogram(name, list(zip(ends, totals, strict=True)), found.sum_s, labels)

    def _put_histogram(
        self,
        name: str,
        buckets: Sequence[tuple[str, float]],
        sum_s: float,
        labels: Sequence[object],
    ) -> None:
        family = self._family(METRICS[name])
        assert isinstance(family, HistogramMetricFamily), name
        family.add_metric([str(label) for label in labels], buckets, sum_s)

    def put_summary(self, name: str, count: int, sum_s: float, *labels: object) -> None:
        """Add how many there were, and how long they took together."""
        family = self._family(METRICS[name])
        assert isinstance(family, SummaryMetricFamily), name
        family.add_metric([str(label) for label in labels], count, sum_s)

    def _family(self, metric: Metric) -> Family:
        found = self._families.get(metric.name)
        if found is None:
            found = self._families[metric.name] = _FAMILIES[metric.type](
                metric.name, metric.words, labels=metric.labels
            )
        return found

    def families(self) -> Iterator[Family]:
        """Yield what was added, in the order of the table."""
        for name in METRICS:
            if (family := self._families.get(name)) is not None:
                yield family


_FAMILIES = {
    MetricType.GAUGE: GaugeMetricFamily,
    MetricType.COUNTER: CounterMetricFamily,
    MetricType.HISTOGRAM: HistogramMetricFamily,
    MetricType.SUMMARY: SummaryMetricFamily,
}
