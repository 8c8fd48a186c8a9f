"""What `/metrics` serves, of flows that never ran."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.clock import ManualClock
from kmirror.events.emit import emit, subscribed
from kmirror.events.gaps import GAP_FOUND
from kmirror.model import Flow
from kmirror.pipeline.figures import ExecutorFigures, SparkFigures
from kmirror.plans.gaps import GapKind
from kmirror.state.metrics.collector import EventCounts, Exposition, FlowsCollector
from kmirror.state.metrics.docs import metrics_page
from kmirror.state.metrics.metric import MetricType
from kmirror.state.metrics.table import GROUPS, METRICS
from kmirror.state.observed import ObservedFlow
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope
from tests.support.scrapes import dashboards, panel_queries, samples, selectors
from tests.support.synthetic_flow import DRIVER, JVM, NOW_MS, running_flow, with_troubles

ROOT = Path(__file__).parents[3]
OPENMETRICS = "application/openmetrics-text;version=1.0.0"
AB, CD = Flow("A", "B"), Flow("C", "D")
# What a Prometheus in Kubernetes adds to whatever it scrapes of Strimzi's pods; ours adds it, too.
SCRAPED = {
    "strimzi_io_kind": "KafkaMirrorMaker2",
    "strimzi_io_cluster": "kmirror",
    "namespace": "kafka",
    "kubernetes_pod_name": "kmirror-0",
}


def exposition(*flows: ObservedFlow, events: EventCounts | None = None) -> Exposition:
    clock = ManualClock(NOW_MS / 1000)
    counts = events or EventCounts()
    return Exposition(FlowsCollector(lambda: flows, lambda: JVM, counts, clock))


def gaps() -> EventCounts:
    """Count a gap of each kind."""
    counts = EventCounts()
    with subscribed(counts):
        for kind in GapKind:
            emit(
                GAP_FOUND,
                flow=AB,
                topic="t",
                partition=0,
                kind=kind.value,
                log="source",
                offset=1,
                end_offset=2,
                gap_records=2,
                reaction="fail",
                status="parked",
                metric=kind.metric,
            )
    return counts


def everything() -> Exposition:
    falling = running_flow(CD, topics=2, partitions=2)
    return exposition(
        running_flow(AB, topics=2, partitions=2), with_troubles(falling), events=gaps()
    )


def test_the_page_is_new() -> None:
    """`make docs` writes it."""
    assert (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8") == metrics_page()


def test_names() -> None:
    """As Prometheus wants them: a name has its unit, and a counter says that it is one."""
    assert len(METRICS) == sum(len(metrics) for _, metrics in GROUPS), "a name is there twice"
    for metric in METRICS.values():
        assert metric.name.endswith("_total") == (metric.type is MetricType.COUNTER), metric.name
        if metric.unit in {"seconds", "bytes"} and metric.name.startswith("kmirror_"):
            assert metric.unit in metric.name, metric.name
        assert metric.words.endswith("."), metric.name
    for kind in GapKind:
        assert f"{kind.metric}_total" in METRICS


@pytest.mark.parametrize("accept", ["", OPENMETRICS])
def test_every_metric_of_the_table_is_served_as_the_table_says(accept: str) -> None:
    """In both formats; none is served that the table does not have."""
    content_type, body = everything().answer(accept)
    assert content_type.startswith("application/openmetrics-text" if accept else "text/plain")
    served: dict[str, set[frozenset[str]]] = {}
    for sample in samples(body.decode(), is_openmetrics=bool(accept)):
        name = re.sub(r"_(bucket|sum|count|created)$", "", sample.name)
        name = sample.name if sample.name in METRICS else name
        served.setdefault(name, set()).add(frozenset(sample.labels) - {"le"})
    ours = {name for name in served if not name.startswith(("process_", "python_"))}
    # Those that a shrinking lag and a slot without work have.
    assert METRICS.keys() - ours == {"kmirror_lag_eta_seconds"}
    assert not ours - METRICS.keys()
    for name in ours:
        assert served[name] == {frozenset(METRICS[name].labels)}, name


def test_a_slot_has_what_its_lane_copies() -> None:
    """A partition that is paused is in no slot, although its lane has told of it."""
    flow = running_flow(AB, topics=2, partitions=2)

    def sizes() -> list[float]:
        found = samples(exposition(flow).answer("")[1].decode(), is_openmetrics=False)
        return [each.value for each in found if each.name == "kmirror_slot_partitions"]

    assert sizes() == [2, 2]
    pause = PauseOrder(verb=PauseVerb.PAUSE, scope=Scope(), author=Author(by="x", at_ms=1))
    flow.progress.pause({next(iter(flow.progress.positions)): pause})
    flow.board.update(paused=flow.progress.paused)
    assert sizes() == [1, 2]


def test_executors_are_bounded() -> None:
    """Of a hundred and fifty the hundred that use most of their heaps have series."""
    executors = [
        ExecutorFigures(executor=str(number), host="h", jvm=replace(DRIVER, heap_bytes=number))
        for number in range(150)
    ]
    counts, clock = EventCounts(), ManualClock(NOW_MS / 1000)
    jvm = SparkFigures(driver=DRIVER, executors=tuple(executors))
    collector = FlowsCollector(tuple, lambda: jvm, counts, clock)
    found = [
        sample.labels["executor"]
        for sample in samples(Exposition(collector).answer("")[1].decode(), is_openmetrics=False)
        if sample.name == "kmirror_executor_threads"
    ]
    assert sorted(map(int, found)) == list(range(50, 150))


def test_a_flow_without_spark_is_there() -> None:
    """Whoever waits for it sees that it starts."""
    _, body = exposition(ObservedFlow.of(AB, slots=1)).answer("")
    found = {
        sample.labels["state"]: sample.value
        for sample in samples(body.decode(), is_openmetrics=False)
        if sample.name == "kmirror_flow_state"
    }
    assert {state for state, value in found.items() if value} == {"starting"}


def test_ten_flows_with_a_thousand_partitions_each() -> None:
    """A scrape stays small; `python -m bench.scrape` measures how long it takes."""
    flows = [running_flow(Flow(f"S{n}", "T"), topics=100, partitions=10, lag=n) for n in range(10)]
    began = time.perf_counter()
    _, body = exposition(*flows).answer(OPENMETRICS)
    assert len(body) <= 5_000_000
    assert time.perf_counter() - began <= 5, "ten times what is promised, on a busy machine"
    found = samples(body.decode(), is_openmetrics=True)
    values = {sample.name: sample.value for sample in found if not sample.labels}
    assert values["kmirror_partitions_shown"] == 10 * 20
    assert values["kmirror_partitions_omitted"] == 10_000 - 10 * 20


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda path: path.name)
def test_every_query_of_the_dashboards_finds_something(dashboard: Path) -> None:
    """The same is tried of a live driver; here all that can be is there."""
    _, body = everything().answer(OPENMETRICS)
    found = samples(body.decode(), is_openmetrics=True, more=SCRAPED)
    tried = 0
    for title, query in panel_queries(dashboard):
        for selector in selectors(query):
            if selector.name.startswith("container_"):
                continue  # the kubelet's own
            tried += 1
            assert any(map(selector.matches, found)), f"{title}: {selector}"
    assert tried > 20
