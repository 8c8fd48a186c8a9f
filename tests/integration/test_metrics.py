"""`/metrics` of a driver that copies, and what its dashboards find there."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until
from prometheus_client.samples import Sample

from kmirror.model import TopicPartition
from kmirror.state.metrics.table import METRICS
from kmirror.state.told import from_json
from tests.support.commands import canary, load, report, status
from tests.support.driver import Driver, DriverFactory
from tests.support.groups import commit
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.otlp_receiver import OtlpReceiver
from tests.support.records import numbered, write
from tests.support.scrapes import dashboards, panel_queries, samples, selectors

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

ROOT = Path(__file__).parents[2]
OPENMETRICS = "application/openmetrics-text;version=1.0.0"
TOPIC = "seen"
# What a flow without troubles does not have.
QUIET = {
    *("kmirror_flow_trouble_info", "kmirror_parked_partition_info", "kmirror_refused_partitions"),
    "kmirror_certificate_expiry_timestamp_seconds",
    "kmirror_broker_certificate_expiry_timestamp_seconds",
    "kmirror_audit_standing_windows",
    *("kmirror_left_out_records_total", "kmirror_lag_eta_seconds", "kmirror_topic_unpacked_info"),
    *(name for name in METRICS if name.startswith("kmirror_gap_")),
}


class Served:
    """
    A driver that serves metrics.

    Args:
        driver: It.
        file: Its file.
        url: Where.
    """

    def __init__(self, driver: Driver, file: Path, url: str) -> None:
        self.driver = driver
        self.file = file
        self.url = url

    def scrape(self, *, accept: str = OPENMETRICS, host: str | None = None) -> tuple[str, str]:
        """Return the content type and the body."""
        headers = {"Accept": accept} | ({} if host is None else {"Host": host})
        request = urllib.request.Request(self.url, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.headers["Content-Type"], answer.read().decode()

    def get(self, path: str) -> tuple[int, str]:
        """Return the status and the body of another path."""
        try:
            with urllib.request.urlopen(self.url.replace("/metrics", path), timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def samples(self) -> list[Sample]:
        """Scrape as the job that is shipped does: it adds some labels."""
        text = (ROOT / "deploy" / "prometheus" / "kmirror-scrape.yml").read_text(encoding="utf-8")
        (job,) = yaml.safe_load(text)["scrape_configs"]
        labels = job["static_configs"][0]["labels"]
        return samples(self.scrape()[1], is_openmetrics=True, more=labels)

    def value(self, name: str, **labels: str) -> float | None:
        """Return the value of the first sample that has these labels."""
        return next(
            (
                each.value
                for each in self.samples()
                if each.name == name and labels.items() <= each.labels.items()
            ),
            None,
        )

    def is_told(self, cluster: str) -> bool:
        """Whether the flow does not run, because of this cluster."""
        told = [
            each.labels["reason"]
            for each in self.samples()
            if each.name == "kmirror_flow_trouble_info"
        ]
        is_running = self.value("kmirror_flow_state", state="running") != 0
        return not is_running and any(cluster in reason for reason in told)


@pytest.fixture(scope="module")
def collector() -> Iterator[OtlpReceiver]:
    """Give a collector of OpenTelemetry's."""
    with OtlpReceiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def served(
    own_pair: ClusterPair,
    run_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
    collector: OtlpReceiver,
) -> Served:
    """Give a driver that copies a topic, follows a group, and serves metrics."""
    a, b = own_pair
    a.create_topic(TOPIC, partitions=2)
    for number in range(2):
        write(a, TOPIC, numbered("first", range(500)), partition=number)
    commit(a, "billing", {TopicPartition(TOPIC, number): 10 for number in range(2)})
    file = mirror_file(
        tmp_path_factory.mktemp("metrics"),
        {"A": a, "B": b},
        *flow_lines("A->B", TOPIC, "kmirror.slots = 2"),
        "sync.group.offsets.enabled = true",
        "kmirror.metrics.listen = 127.0.0.1:0",
        f"kmirror.otlp.endpoint = {collector.endpoint}",
        "kmirror.otlp.interval.seconds = 1",
        # Every metric is there; a record of it now and then is no lag that a test would see.
        "kmirror.canary.enabled = true",
        "kmirror.canary.interval.ms = 600000",
        "kmirror.audit.enabled = true",
        "kmirror.audit.interval.seconds = 1",
    )
    driver = run_module_driver(file)
    return Served(driver, file, driver.wait_for_address("serving metrics at"))


def everything_is_there(served: Served) -> bool:
    """Whether what comes last has come: clients' figures, and the group's checkpoints."""
    names = {each.name for each in served.samples()}
    return METRICS.keys() - QUIET <= {
        name.removesuffix("_bucket").removesuffix("_sum") for name in names
    }


def test_all_metrics_of_the_table_come(served: Served) -> None:
    """Within seconds after the start; both formats are served as they are asked for."""
    wait_until(lambda: everything_is_there(served), "all metrics", timeout_s=60, pause_s=0.5)
    assert served.scrape()[0].startswith("application/openmetrics-text; version=1.0.0")
    content_type, body = served.scrape(accept="text/plain")
    assert content_type.startswith("text/plain; version=0.0.4")
    assert any(each.name == "kmirror_records_total" for each in samples(body, is_openmetrics=False))


def test_a_collector_has_the_same(served: Served, collector: OtlpReceiver) -> None:
    """All that a scrape has comes there, too, from the same process."""
    wait_until(lambda: everything_is_there(served), "all metrics", timeout_s=60, pause_s=0.5)
    received = collector.wait(len(collector.received) + 2)
    names = {name.removesuffix("_total") for name in METRICS.keys() - QUIET}
    assert names <= received.metrics.keys()
    assert received.resource["service.instance.id"].endswith(f":{served.driver.pid}")


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda path: path.name)
def test_every_panel_shows_something(served: Served, dashboard: Path) -> None:
    """No query of Strimzi's dashboard, or of ours, asks in vain."""
    wait_until(lambda: everything_is_there(served), "all metrics", timeout_s=60, pause_s=0.5)
    found = served.samples()
    empty = {
        (title, selector.name)
        for title, query in panel_queries(dashboard)
        for selector in selectors(query)
        # The kubelet's own, and what nothing is wrong with.
        if not selector.name.startswith("container_")
        and selector.name not in QUIET
        and not any(map(selector.matches, found))
    }
    assert not empty


def test_what_is_copied_is_counted(served: Served, own_pair: ClusterPair) -> None:
    """The lag is none, commits have taken their time, and latencies are kmirror's own."""
    write(own_pair.a, TOPIC, numbered("more", range(100)))
    wait_until(
        lambda: (served.value("kmirror_topic_records_total", topic=TOPIC) or 0) >= 1100,
        "the records are counted",
        timeout_s=30,
        pause_s=0.2,
    )
    wait_until(
        lambda: served.value("kmirror_slo_verdict", verdict="IN_SYNC") == 1,
        "in sync",
        timeout_s=30,
        pause_s=0.2,
    )
    # Histograms are reported once a second.
    wait_until(
        lambda: (served.value("kmirror_pipeline_latency_seconds_count") or 0) >= 1100,
        "their time is counted",
        timeout_s=10,
        pause_s=0.2,
    )
    copied = served.value("kmirror_pipeline_latency_seconds_count") or 0
    assert (served.value("kmirror_pipeline_latency_seconds_sum") or 0) / copied < 5
    # The records' timestamps are older than they are: that is their age, and no latency.
    assert (served.value("kmirror_event_age_seconds_sum") or 0) / copied > 600
    assert (served.value("kmirror_commit_seconds_count") or 0) >= 1
    assert (served.value("kmirror_lag_records") or 0) == 0
    assert (served.value("kmirror_lag_seconds") or 0) == 0
    lane_s = sum(
        each.value for each in served.samples() if each.name == "kmirror_lane_seconds_total"
    )
    assert lane_s > 1
    name = "kafka_connect_mirror_mirrorsourceconnector_record_count"
    counts = [served.value(name, topic=f"A.{TOPIC}", partition=str(number)) for number in range(2)]
    assert sum(each or 0 for each in counts) >= 1100


def test_kmirror_status_has_the_drivers_own_judgement(served: Served, tmp_path: Path) -> None:
    """Where the file says that it serves metrics; otherwise what the clusters tell."""
    (alone,) = status(served.file, "--json").text.splitlines()
    assert json.loads(alone)["driver"] is None
    assert json.loads(alone)["standing"]["judgement"]["verdict"] == "IN_SYNC"
    address = served.url.removeprefix("http://").removesuffix("/metrics")
    file = tmp_path / "mm2.properties"
    text = served.file.read_text(encoding="utf-8").replace("127.0.0.1:0", address)
    file.write_text(text, encoding="utf-8")
    (told,) = status(file, "--json").text.splitlines()
    driver = json.loads(told)["driver"]
    assert (driver["state"], driver["verdict"]) == ("running", "IN_SYNC")
    assert [slot for slot, _, _ in driver["bottlenecks"]] == [0, 1]


def test_the_drivers_canary_comes_through(served: Served) -> None:
    """Its first record went the whole way; the paths of strimzi-canary say so."""
    wait_until(
        lambda: (served.value("kmirror_canary_consumed_total") or 0) >= 1,
        "a record of the canary has come",
        timeout_s=60,
        pause_s=0.3,
    )
    assert served.value("kmirror_canary_lost_total") == 0
    assert served.value("kmirror_canary_up") == 1
    assert served.get("/liveness") == (200, "OK\n")
    wait_until(
        lambda: served.get("/readiness") == (200, "OK\n"), "it is ready", timeout_s=30, pause_s=0.3
    )
    told = json.loads(served.get("/status")[1])
    assert set(told["Consuming"]) == {"TimeWindow", "Percentage"}
    assert told["Flows"]["A->B"]["Consumed"] >= 1
    # What a console is told that somebody else serves.
    (flow,) = from_json(json.loads(served.get("/flows")[1]))
    assert flow.canary is not None
    assert flow.canary.consumed >= 1
    assert (flow.canary.lost, flow.canary.trouble) == (0, "")
    assert flow.canary.came_ms is not None


def test_a_canary_beside_the_flow(served: Served) -> None:
    """`kmirror canary` goes the same way with records of its own; the topic is no other flow's."""
    answer = canary(served.file, "--seconds", "3", "--interval", "0.05", "--json")
    assert answer.code == 0, answer.text
    found = json.loads(answer.text)["A->B"]
    assert found["produced"] == found["consumed"] > 10
    assert (found["lost"], found["duplicated"], found["reordered"]) == (0, 0, 0)
    assert found["roundtrip_s"]["count"] > 5
    assert 0 < found["roundtrip_s"]["max"] < 60


def test_a_round_trip_through_the_flow(served: Served, tmp_path: Path) -> None:
    """Transactions, some of them aborted: every record comes once and in order."""
    page = tmp_path / "page.html"
    answer = load(
        "roundtrip",
        served.file,
        *("--topic", TOPIC, "--records", "2000", "--rate", "1000", "--keys", "50"),
        *("--transaction-records", "100", "--abort-every", "5", "--html", str(page)),
    )
    assert answer.code == 0, answer.text
    assert "all 2,000 records arrived, once and in order" in answer.text
    assert "Latency over time, read" in page.read_text(encoding="utf-8")


def test_a_report_of_the_run(served: Served, tmp_path: Path) -> None:
    """The driver tells what it has done so far; a file without an address has nobody to ask."""
    address = served.url.removeprefix("http://").removesuffix("/metrics")
    file, page = tmp_path / "mm2.properties", tmp_path / "run.html"
    text = served.file.read_text(encoding="utf-8").replace("127.0.0.1:0", address)
    file.write_text(text, encoding="utf-8")
    answer = report(file, "--html", str(page))
    assert answer.code == 0, answer.text
    shown = page.read_text(encoding="utf-8")
    assert "Topics of A-&gt;B" in shown
    assert "metrics.listening" in shown
    run = tmp_path / "run.json"
    run.write_text(report(file, "--json").text, encoding="utf-8")
    assert json.loads(run.read_text(encoding="utf-8"))["flows"][0]["state"] == "running"
    assert report(run, "--html", str(page)).code == 0
    assert report(served.file, "--json").code == 3


def test_pages_of_others_do_not_read_it(served: Served) -> None:
    """A name that somebody has pointed at this machine is refused, as are other paths."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        served.scrape(host="evil.example")
    assert refused.value.code == 421
    with pytest.raises(urllib.error.HTTPError) as missing:
        urllib.request.urlopen(served.url.replace("/metrics", "/connectors"), timeout=10)
    assert missing.value.code == 404


def test_a_cluster_that_dies_is_seen_within_ten_seconds(
    served: Served, own_pair: ClusterPair
) -> None:
    """In words, and never as running; the last test, since the clusters die for it."""
    for cluster, name in ((own_pair.b, "cluster B"), (own_pair.a, "cluster A")):
        cluster.kill()
        # The other one may still be in the trouble for a moment after it has come back.
        wait_until(partial(served.is_told, name), f"{name} is away", timeout_s=10, pause_s=0.2)
        assert served.get("/readiness")[0] == 503
        assert served.get("/liveness")[0] == 200
        assert served.value("kmirror_slo_verdict", verdict="BROKEN") == 1
        cluster.heal()
        wait_until(
            lambda: served.value("kmirror_flow_state", state="running") == 1,
            f"{name} is back",
            timeout_s=60,
            pause_s=0.5,
        )
