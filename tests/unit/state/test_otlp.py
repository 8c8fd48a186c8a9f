"""Metrics that are sent to a collector: over HTTP, to a receiver that reads OTLP."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality
from prometheus_client.metrics_core import Metric as Family

from kmirror.clock import ManualClock, SystemClock
from kmirror.config.otlp import OtlpConfig
from kmirror.config.secret import Secret
from kmirror.errors import ConfigError
from kmirror.events.emit import Occurrence, subscribed
from kmirror.model import Flow
from kmirror.state.metrics.collector import EventCounts, Exposition, FlowsCollector
from kmirror.state.metrics.metric import MetricType
from kmirror.state.metrics.table import METRICS
from kmirror.state.otlp.export import OtlpExport
from tests.support.otlp_receiver import OtlpReceiver, Received
from tests.support.scrapes import samples
from tests.support.synthetic_flow import JVM, NOW_MS, running_flow, with_troubles

OPENMETRICS = "application/openmetrics-text;version=1.0.0"
CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE


def exposition() -> Exposition:
    flows = [
        running_flow(Flow("A", "B"), topics=2, partitions=2),
        with_troubles(running_flow(Flow("C", "D"), topics=2, partitions=2)),
    ]
    clock = ManualClock(NOW_MS / 1000)
    return Exposition(FlowsCollector(lambda: flows, lambda: JVM, EventCounts(), clock))


@contextmanager
def exporting(config: OtlpConfig, *, shown: Exposition | None = None) -> Iterator[OtlpExport]:
    export = OtlpExport(config, "host:1", SystemClock())
    export.start((shown or exposition()).families)
    try:
        yield export
    finally:
        export.stop()


@contextmanager
def logged() -> Iterator[list[logging.LogRecord]]:
    """Keep what comes to the log: what a library's logger keeps for itself does not."""
    lines: list[logging.LogRecord] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = lines.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)


def config_of(receiver: OtlpReceiver) -> OtlpConfig:
    return OtlpConfig(url=f"{receiver.endpoint}/v1/metrics", interval_s=1.0, timeout_s=2.0)


def series(received: Received) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return what was sent as a scrape in OpenMetrics has it."""
    found: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for name, metric in received.metrics.items():
        kind = metric.WhichOneof("data")
        for point in getattr(metric, str(kind)).data_points:
            labels = [(each.key, each.value.string_value) for each in point.attributes]
            if kind != "histogram":
                suffix = "_total" if kind == "sum" else ""
                found[f"{name}{suffix}", frozenset(labels)] = point.as_double or point.as_int
                continue
            found[f"{name}_count", frozenset(labels)] = point.count
            found[f"{name}_sum", frozenset(labels)] = point.sum
            total = 0
            ends = [f"{each:g}" for each in point.explicit_bounds] + ["+Inf"]
            if len(ends) > 1:
                for end, count in zip(ends, point.bucket_counts, strict=True):
                    total += count
                    found[f"{name}_bucket", frozenset([*labels, ("le", end)])] = total
    return found


def test_the_same_figures_as_a_scrape() -> None:
    """Every metric, label, value and bucket; counters are totals since a time."""
    shown = exposition()
    with OtlpReceiver() as receiver, exporting(config_of(receiver), shown=shown):
        received = receiver.wait(1)
    scraped = {
        (each.name, frozenset(each.labels.items())): each.value
        for each in samples(shown.answer(OPENMETRICS)[1].decode(), is_openmetrics=True)
        if not each.name.startswith(("process_", "python_"))
    }
    sent = {
        key: value for key, value in series(received).items() if not key[0].startswith("process_")
    }
    assert sent == pytest.approx(scraped)
    assert received.path == "/v1/metrics"
    assert received.metrics["process_resident_memory_bytes"].unit == "By"
    for name, metric in METRICS.items():
        sums = metric.type is MetricType.COUNTER
        found = received.metrics.get(name.removesuffix("_total") if sums else name)
        if found is None:
            continue
        assert found.description == metric.words
        kind = {MetricType.COUNTER: "sum", MetricType.GAUGE: "gauge"}.get(metric.type, "histogram")
        assert found.WhichOneof("data") == kind, name
        if kind != "gauge":
            data = getattr(found, kind)
            assert data.aggregation_temporality == CUMULATIVE
            assert all(0 < p.start_time_unix_nano <= p.time_unix_nano for p in data.data_points)


def test_what_the_file_says_of_the_process() -> None:
    """Headers come with each request; a name in the file counts before ours."""
    with OtlpReceiver() as receiver:
        config = replace(
            config_of(receiver),
            headers=(("Authorization", Secret("Bearer abc")),),
            attributes=(("service.name", "mirror-eu"), ("deployment.environment", "prod")),
            gzip=False,
        )
        with exporting(config):
            received = receiver.wait(1)
    assert received.headers["authorization"] == "Bearer abc"
    assert "content-encoding" not in received.headers
    assert received.headers["content-type"] == "application/x-protobuf"
    found = received.resource
    assert (found["service.name"], found["service.instance.id"]) == ("mirror-eu", "host:1")
    assert found["deployment.environment"] == "prod"


def test_it_is_sent_every_interval_and_in_the_end() -> None:
    with OtlpReceiver() as receiver:
        with exporting(config_of(receiver)):
            receiver.wait(2)
        assert len(receiver.received) >= 3, "what a short run did is not lost"
        with exporting(replace(config_of(receiver), interval_s=3600.0)):
            before = len(receiver.received)
            receiver.wait(before)
        receiver.wait(before + 1)


def test_a_collector_that_is_away_is_told_once_a_minute() -> None:
    """With the cause; the library itself says nothing. When it is back, that is said, too."""
    with OtlpReceiver() as gone:
        port = gone.port
    events: list[Occurrence] = []
    config = OtlpConfig(url=f"http://127.0.0.1:{port}/v1/metrics", interval_s=1.0, timeout_s=2.0)
    with subscribed(events.append), logged() as lines, exporting(config):
        wait_until(lambda: len(events) == 2, "a warning", timeout_s=20, pause_s=0.02)
        with OtlpReceiver(port, status=403) as back:
            back.wait(2)  # refused twice more, and nothing is said of it
            back.status = 200
            wait_until(lambda: len(events) == 3, "it is back", timeout_s=20, pause_s=0.02)
    sending, unsent, again = events
    assert [each.event.name for each in events] == [
        *("metrics.sending", "metrics.unsent", "metrics.taken")
    ]
    assert unsent.fields["reason"] == "[Errno 111] Connection refused"
    assert sending.fields["address"] == again.fields["address"] == config.url
    assert not [line.name for line in lines if not line.name.startswith("kmirror")]


def test_a_collector_that_refuses_says_why() -> None:
    events: list[Occurrence] = []
    with (
        OtlpReceiver(status=401) as receiver,
        subscribed(events.append),
        exporting(config_of(receiver)),
    ):
        receiver.wait(1)
        wait_until(lambda: len(events) == 2, "a warning", timeout_s=20, pause_s=0.02)
    assert events[1].fields["reason"] == "401 Unauthorized"


def test_a_collector_that_hangs_holds_up_no_end() -> None:
    """It listens and never answers: `stop` waits a moment, and no longer."""
    silent = OtlpReceiver()
    with exporting(replace(config_of(silent), timeout_s=600.0)):
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 5
    silent._server.server_close()


def test_a_figure_that_cannot_be_made_is_told() -> None:
    """And the thread goes on."""
    events: list[Occurrence] = []
    with OtlpReceiver() as receiver, subscribed(events.append):
        export = OtlpExport(config_of(receiver), "host:1", SystemClock())
        broken = [True]

        def families() -> Iterable[Family]:
            if broken:
                broken.pop()
                raise ValueError("no figures")
            return exposition().families()

        export.start(families)
        receiver.wait(1)
        export.stop()
    assert events[1].fields["reason"] == "ValueError: no figures"


def test_a_certificate_that_is_not_there(tmp_path: Path) -> None:
    """Is told at the start."""
    config = OtlpConfig(url="https://127.0.0.1:1/v1/metrics", certificate=tmp_path / "ca.pem")
    with pytest.raises(ConfigError, match="expected a PEM file"):
        OtlpExport(config, "host:1", SystemClock())


def test_nobody_loads_the_library_unasked() -> None:
    """It is an extra."""
    code = (
        "import sys; from kmirror.cli.verbs import program; program()\n"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
