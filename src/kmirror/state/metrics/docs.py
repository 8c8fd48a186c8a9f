"""Writes docs/metrics.md from the table: `python -m kmirror.state.metrics.docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kmirror.state.metrics.metric import Metric
from kmirror.state.metrics.table import GROUPS

_INTRODUCTION = """# Metrics

With `kmirror.metrics.listen = 127.0.0.1:9404` in the file, or with `--metrics-listen`, `kmirror
run` and `kmirror connect` serve `/metrics` for Prometheus, in OpenMetrics or in Prometheus' older
text format, as the scrape asks. This page has every metric. How to read them, and which alerts
there are, is in [monitoring](monitoring.md), and how a collector gets them
[over OTLP](monitoring.md#opentelemetry).

Names of metrics and labels stay as they are from version to version. A metric whose value is not
known is absent; none is 0 for that reason. Counters begin at 0 with the process.

Up to 2,000 partitions of all flows of the process have series of their own. Of more, the 20 of
each flow that are the furthest behind have them: `kmirror_partitions_omitted` says how many are
left out. What topics and flows have counts all partitions.
"""


def metrics_page() -> str:
    """Write the whole page, in Markdown."""
    return "\n".join(f"{part.rstrip()}\n" for part in (_INTRODUCTION, *_groups()))


def _groups() -> Iterator[str]:
    for title, metrics in GROUPS:
        rows = (_row(metric) for metric in metrics)
        head = "| metric | type | unit | labels | meaning | from |\n|---|---|---|---|---|---|"
        yield "\n".join((f"## {title}\n", head, *rows))


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return (
        f"| `{metric.name}` | {metric.type.value} | {metric.unit} | {labels} | {metric.words} | "
        f"{metric.source} |"
    )


if __name__ == "__main__":
    sys.stdout.write(metrics_page())
