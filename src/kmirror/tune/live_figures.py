"""
Figures of a running mirror, as Prometheus sees them.

MirrorMaker 2's with Strimzi's rules for the JMX exporter, or the JMX exporter's own names, and
kmirror's `/metrics`: the names end alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from kmirror.model import Flow

_LINES_MAX = 200_000
_SERIES = re.compile(
    r'(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>(?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?'
    r"\s+(?P<value>\S+)(?:\s+\S+)?\s*"
)
_LABEL = re.compile(r'(?P<name>[a-zA-Z_]\w*)="(?P<value>(?:[^"\\]|\\.)*)"')
_CLIENT_LABELS = ("clientid", "client_id")
_LANE = "kmirror_lane_seconds_total"
_WAITS = {
    "source": "source_s",
    "convert": "convert_s",
    "target": "target_s",
    "throttled": "throttled_s",
    "idle": "idle_s",
}
# Kafka's name of a figure of either client, and ours; the highest of several clients counts.
_HIGHEST = {
    "consumer": {
        "fetch_size_max": "fetch_bytes_max",
        "fetch_throttle_time_avg": "fetch_throttle_ms",
    },
    "producer": {
        "batch_size_max": "batch_bytes_max",
        "produce_throttle_time_avg": "produce_throttle_ms",
    },
}
_MEANS = {
    "consumer": {"fetch_size_avg": "fetch_bytes", "fetch_rate": "fetch_rate"},
    "producer": {"batch_size_avg": "batch_bytes", "request_latency_avg": "request_ms"},
}
_LOWEST = {"producer": {"buffer_available_bytes": "memory_free_bytes"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFigures:
    """
    What a flow's clients have measured; None is unknown.

    Args:
        of_kmirror: Whether kmirror runs, and not MirrorMaker 2.
        batch_bytes, batch_bytes_max: A batch that was sent: the mean, and the largest.
        request_ms: How long the target took to answer.
        produce_throttle_ms, fetch_throttle_ms: How long quotas held answers back.
        memory_free_bytes: How much of a producer's `buffer.memory` is free.
        fetch_bytes, fetch_bytes_max: An answer of the source: the mean, and the largest.
        fetch_rate: Answers a second, of one consumer.
        source_s, convert_s, target_s, throttled_s, idle_s: What kmirror's lanes did with their
            time: waited for the source, put records into transactions, waited for the target, were
            held back by limits, or had nothing to do.
    """

    of_kmirror: bool = False
    batch_bytes: float | None = None
    batch_bytes_max: float | None = None
    request_ms: float | None = None
    produce_throttle_ms: float | None = None
    memory_free_bytes: float | None = None
    fetch_bytes: float | None = None
    fetch_bytes_max: float | None = None
    fetch_rate: float | None = None
    fetch_throttle_ms: float | None = None
    source_s: float | None = None
    convert_s: float | None = None
    target_s: float | None = None
    throttled_s: float | None = None
    idle_s: float | None = None

    @property
    def known(self) -> bool:
        """Whether there is any."""
        return any(getattr(self, each.name) is not None for each in fields(self)[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """One line of a scrape."""

    name: str
    labels: Mapping[str, str]
    value: float

    def is_of(self, flow: Flow, flows: Iterable[Flow]) -> bool:
        """Whether it is of a flow: it names this one, or none at all."""
        told = self.labels.get("flow") or next(
            (self.labels[name] for name in _CLIENT_LABELS if name in self.labels), ""
        )
        return str(flow) in told or not any(str(each) in told for each in flows)


def read_figures(text: str, flows: Iterable[Flow]) -> dict[Flow, LiveFigures]:
    """
    Read a scrape of a running mirror.

    Args:
        text: What its `/metrics` gave.
        flows: The flows to look for; what names none of them counts for all.
    """
    known = tuple(flows)
    samples = list(_samples(text))
    return {flow: _of_flow([each for each in samples if each.is_of(flow, known)]) for flow in known}


def _samples(text: str) -> Iterator[_Sample]:
    for line in text.split("\n", _LINES_MAX)[:_LINES_MAX]:
        found = _SERIES.fullmatch(line) if line and not line.startswith("#") else None
        if found is None:
            continue
        try:
            value = float(found["value"])
        except ValueError:
            continue
        if math.isfinite(value):
            labels = {
                each["name"]: each["value"] for each in _LABEL.finditer(found["labels"] or "")
            }
            yield _Sample(name=found["name"], labels=labels, value=value)


def _of_flow(samples: list[_Sample]) -> LiveFigures:
    found: dict[str, float] = {}
    for role in ("consumer", "producer"):
        for table, combine in ((_HIGHEST, max), (_MEANS, _mean), (_LOWEST, min)):
            for kafka, ours in table.get(role, {}).items():
                values = [each.value for each in samples if _is(each.name, role, kafka)]
                # A client that has done nothing yet has no mean.
                if values := [value for value in values if value > 0 or "throttle" in kafka]:
                    found[ours] = combine(values)
    for each in samples:
        if each.name == _LANE and each.labels.get("activity") in _WAITS:
            name = _WAITS[each.labels["activity"]]
            found[name] = found.get(name, 0.0) + each.value
    of_kmirror = any(each.name.startswith("kmirror_") for each in samples)
    return LiveFigures(of_kmirror=of_kmirror, **found)


def _is(name: str, role: str, kafka: str) -> bool:
    return name.startswith(f"kafka_{role}_") and name.endswith(f"_{kafka}")


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
