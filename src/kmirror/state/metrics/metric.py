"""A kind of metric: its name, labels and unit, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

LOOKS = "a look at both logs every 1 to 3 s, or up to 15 s while nothing moves"
"""The source of what follows from the ends of logs; see `flows.watch`."""


class MetricType(Enum):
    """How Prometheus reads it."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """
    One row of the table of metrics.

    Args:
        name: As it is scraped; a counter's ends in `_total`.
        type: How Prometheus reads it.
        unit: What one of it is; empty for a number of something.
        labels: The names of its labels.
        words: What it means.
        source: Who measures it.
    """

    name: str
    type: MetricType
    unit: str
    labels: tuple[str, ...]
    words: str
    source: str
