"""Scrapes of `/metrics`, and whether queries of dashboards find something in them."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain_text
from prometheus_client.samples import Sample

_SELECTOR = re.compile(r"(?<![\w.])([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^}]*)\})?")
_MATCHER = re.compile(r"(\w+)\s*(=~|!~|!=|=)\s*\"((?:\\.|[^\"\\])*)\"")
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left)\s*\([^)]*\)")
_RANGE = re.compile(r"\[[^\]]*\]")
_ROOT = Path(__file__).parents[2]
_VARIABLES = {
    "strimzi_mirror_maker_cluster_name": "kmirror",
    "kubernetes_namespace": "kafka",
    "flow": ".*",
}
_WORDS = {
    *("sum", "rate", "count", "max", "min", "avg", "topk", "by", "without", "increase", "time"),
    *("histogram_quantile", "clamp_min", "or", "and", "unless", "on", "ignoring", "absent", "le"),
    *("group_left", "label_replace", "changes", "bool", "delta", "deriv", "vector", "offset"),
}


@dataclass(frozen=True, slots=True)
class Selector:
    """What a query asks for: a metric, and what its labels have to be."""

    name: str
    matchers: tuple[tuple[str, str, str], ...]

    def matches(self, sample: Sample) -> bool:
        """Tell whether a sample is what it asks for."""
        return sample.name == self.name and all(
            _matches(how, value, sample.labels.get(label, ""))
            for label, how, value in self.matchers
        )


def _matches(how: str, wanted: str, value: str) -> bool:
    text = json.loads(f'"{wanted}"')
    found = re.fullmatch(text, value) is not None if "~" in how else text == value
    return not found if how.startswith("!") else found


def selectors(query: str) -> list[Selector]:
    """Return what a query asks for; groupings, ranges and functions are left out."""
    bare = _blank(_STRING, query)
    for pattern in (_GROUPING, _RANGE):
        bare = _blank(pattern, bare)
    found = []
    for match in _SELECTOR.finditer(bare):
        if match[1] not in _WORDS:
            inside = query[match.start(2) : match.end(2)] if match[2] is not None else ""
            found.append(Selector(match[1], tuple(_MATCHER.findall(inside))))
    return found


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Put blanks where a pattern is found, so that everything stays at its place."""
    return pattern.sub(lambda found: " " * len(found[0]), text)


def samples(
    body: str, *, is_openmetrics: bool, more: Mapping[str, str] | None = None
) -> list[Sample]:
    """
    Read a scrape.

    Args:
        body: The answer.
        is_openmetrics: In which of the two formats it is.
        more: Labels that the scrape adds to each sample.
    """
    parse = openmetrics if is_openmetrics else plain_text
    return [
        sample._replace(labels={**sample.labels, **(more or {})})
        for family in parse(body)
        for sample in family.samples
    ]


def scraped(url: str) -> list[Sample]:
    """Scrape an address as Prometheus does that wants no OpenMetrics."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return samples(answer.read().decode(), is_openmetrics=False)


def sum_of(url: str, name: str, **labels: str) -> float:
    """Scrape an address; give the sum of a metric's samples that have these labels."""
    return sum(
        each.value
        for each in scraped(url)
        if each.name == name and labels.items() <= each.labels.items()
    )


def panel_queries(dashboard: Path) -> Iterator[tuple[str, str]]:
    """Yield the title of each panel of a dashboard with each of its queries."""
    yield from _queries(json.loads(dashboard.read_text(encoding="utf-8"))["panels"])


def dashboards() -> list[Path]:
    """Return Strimzi's dashboard, and ours."""
    return [
        *sorted((_ROOT / "tests" / "data" / "strimzi").glob("*.json")),
        *sorted((_ROOT / "deploy" / "grafana").glob("*.json")),
    ]


def _filled(query: str) -> str:
    """Put in what the variables of a dashboard are."""
    for variable, value in _VARIABLES.items():
        query = query.replace(f"${variable}", value)
    return query


def _queries(panels: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for panel in panels:
        for target in panel.get("targets", ()):
            yield panel.get("title", ""), _filled(target["expr"])
        yield from _queries(panel.get("panels", ()))
