"""The same program on Spark clusters: slots are tasks on executors of their own."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill
from kmirror_lab.oracle.workload import RunningWorkload, Workload
from kmirror_lab.process.waiting import wait_until

from kmirror.cli.exits import Exit
from kmirror.jvm.cache import cache_home
from kmirror.model import Flow
from kmirror.pipeline.jvm_options import executor_options
from tests.support.bounded import copy_once
from tests.support.driver import Driver, DriverFactory
from tests.support.machines import Machines, machines
from tests.support.mirror_file import mirror_file
from tests.support.namespaces import needs_machines
from tests.support.otlp_receiver import OtlpReceiver
from tests.support.spark_cluster import SparkCluster

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_NEWS_S_MAX = 60.0
_FLOW = Flow("X", "Y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something to copy: the clusters, the topics with their targets, and the driver's file."""

    pair: ClusterPair
    topics: dict[str, str]
    ledger: Path
    file: Path

    def check(self, *more: Path) -> None:
        """Compare both sides, with the ledgers of those who wrote."""
        a, b = self.pair
        verdict = check(a.bootstrap, b.bootstrap, self.topics, ledgers=[self.ledger, *more])
        assert verdict.ok, str(verdict)
        assert verdict.records > 20_000


def new_task(pair: ClusterPair, folder: Path, *lines: str) -> Task:
    """Write a plain topic, and one with transactions of which some are aborted."""
    a, b = pair
    name = f"spark-{secrets.token_hex(4)}"
    plain = a.create_topic(f"{name}-plain", partitions=4)
    fill(a.bootstrap, plain, records=20_000, size_bytes=100, partitions=4)
    mixed = a.create_topic(f"{name}-mixed", partitions=4)
    workload = Workload(
        bootstrap=a.bootstrap,
        topic=mixed,
        partitions=4,
        ledger=folder / "ledger.jsonl",
        records=2_000,
        abort_every=4,
    )
    workload.start().wait(timeout_s=120)
    file = mirror_file(
        folder,
        {"X": a, "Y": b},
        "X->Y.enabled = true",
        f"X->Y.topics = {name}-.*",
        "X->Y.kmirror.slots = 2",
        "kmirror.spark.driver.memory = 512m",
        "kmirror.spark.executor.memory = 512m",
        *lines,
    )
    topics = {topic: f"X.{topic}" for topic in (plain, mixed)}
    return Task(pair=pair, topics=topics, ledger=workload.ledger, file=file)


@pytest.fixture
def task(kafka_pair: ClusterPair, tmp_path: Path) -> Task:
    """Give something to copy between the clusters of all tests."""
    return new_task(kafka_pair, tmp_path)


@pytest.mark.long
def test_local_cluster(task: Task, run_driver: DriverFactory) -> None:
    """Executors of their own copy, report, and obey: topics come, and the copy ends."""
    collector = OtlpReceiver()
    with task.file.open("a", encoding="utf-8") as file:
        file.write(
            f"\nkmirror.otlp.endpoint = {collector.endpoint}\nkmirror.otlp.interval.seconds = 1\n"
        )
    with collector:
        _copy_to_executors(task, run_driver)
    told = [each for one in collector.received for each in one.labels("kmirror_executor_threads")]
    assert {each["executor"] for each in told} == {"0", "1"}
    task.check()


def _copy_to_executors(task: Task, run_driver: DriverFactory) -> None:
    a, b = task.pair
    driver = run_driver(task.file, "--master", "local-cluster[2,2,1024]")
    driver.wait_until_caught_up(a, b, task.topics, flow=_FLOW)
    plain = next(iter(task.topics))
    # The second one comes while a batch of five minutes runs, unless the lanes are told.
    for number in (1, 2):
        late = a.create_topic(f"{plain}-{number}")
        fill(a.bootstrap, late, records=100, size_bytes=100, partitions=1)
        task.topics[late] = f"X.{late}"
        driver.wait_until_caught_up(a, b, task.topics, flow=_FLOW, timeout_s=_NEWS_S_MAX)
    assert driver.stop() == Exit.OK, driver.text
    assert not driver.lines("did not come to rest"), driver.text


def test_standalone_master(task: Task, run_driver: DriverFactory, tmp_path: Path) -> None:
    """A worker is lost, and another one comes: until then the flow says what it waits for."""
    a, b = task.pair
    with SparkCluster(tmp_path, cores=1) as spark:
        driver = run_driver(task.file, "--master", spark.url)
        driver.wait_until_caught_up(a, b, task.topics, flow=_FLOW)
        spark.kill_worker(2)
        driver.wait_for_line(rf"WARNING.*{spark.url} offers 1 cores, the flows need 2")
        fill(a.bootstrap, next(iter(task.topics)), records=400, size_bytes=100, partitions=4)
        spark.start_worker(2)
        driver.wait_until_caught_up(a, b, task.topics, flow=_FLOW)
        assert driver.stop() == Exit.OK, driver.text
    task.check()
    # Workers begin what executors say with the command.
    told = [path.read_text() for path in tmp_path.glob("work-*/*/*/stderr")]
    assert told
    for option in executor_options(by_record=False).split():
        assert all(f'"{option}"' in each for each in told), option


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Five machines: clusters to copy between on the first one, room for Spark on the others."""

    net: Machines
    pair: ClusterPair


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give the machines, with the clusters running."""
    folder = tmp_path_factory.mktemp("site")
    with machines(5) as net:
        kafka = net.hosts[0]
        pair = ClusterPair(*(Cluster(n, folder, host=kafka, heap_mb=320) for n in ("A", "B")))
        with started(*pair):
            yield Site(net=net, pair=pair)


@needs_machines
@pytest.mark.parametrize(
    "protected",
    [
        pytest.param(False, id="in-the-clear", marks=pytest.mark.long),
        pytest.param(True, id="protected"),
    ],
)
def test_machines_of_their_own(
    site: Site, run_driver: DriverFactory, tmp_path: Path, protected: bool
) -> None:
    """
    Master, workers and driver on one machine each, which see nothing of the driver's disk.

    Passwords travel to the executors: for all to see, with a warning, unless that is protected.
    """
    kafka, master_host, *worker_hosts, driver_host = site.net.hosts
    password = f"password-{secrets.token_hex(8)}"
    security = {}
    if protected:
        security = {
            "spark.authenticate": "true",
            "spark.authenticate.secret": secrets.token_hex(8),
            "spark.network.crypto.enabled": "true",
        }
    with kafka.inside():
        lines = [f"kmirror.{name} = {value}" for name, value in security.items()]
        task = new_task(site.pair, tmp_path, f"X.ssl.key.password = {password}", *lines)
    (tmp_path / "tmp").mkdir()
    with (
        SparkCluster(
            tmp_path,
            master=master_host,
            workers=worker_hosts,
            cores=1,
            settings=security,
            hidden=[cache_home(), tmp_path / "tmp"],
        ) as spark,
        site.net.watched(driver_host, password.encode()) as seen,
        driver_host.inside(),
    ):
        driver = copy_once(run_driver, task.file, "--master", spark.url)
    with kafka.inside():
        task.check()
    for number in (1, 2):
        (said,) = tmp_path.glob(f"work-{number}/*/*/stderr")
        assert "Running task" in said.read_text(), f"worker {number} had nothing to do"
    assert seen.is_set() is not protected
    assert bool(driver.lines(r"WARNING.*travel to the executors unprotected")) is not protected


# Spark gives an executor up that has been silent for so long: 120 s by default.
_IMPATIENT = (
    "kmirror.spark.network.timeout = 15s",
    "kmirror.spark.network.timeoutInterval = 3s",
    "kmirror.spark.executor.heartbeatInterval = 2s",
)


def copies_more(driver: Driver, task: Task, writer: RunningWorkload) -> None:
    """Wait until what is written from now on is copied, too."""
    before = writer.acked()
    driver.wait_until(lambda: writer.acked() > before, "more is written", _NEWS_S_MAX)
    driver.wait_until_caught_up(*task.pair, task.topics, flow=_FLOW)


def executors(work: Path) -> int:
    """Count the executors that a worker has had."""
    said = "Successfully registered with driver"
    return sum(said in file.read_text() for file in work.glob("*/*/stderr"))


@pytest.mark.fault
@pytest.mark.long
@needs_machines
def test_a_machine_is_lost_and_a_link_cut(
    site: Site, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """
    One executor is killed, then the other one alone in the world: the flow goes on elsewhere.

    What was cut off comes back with open transactions of its own, and writes nothing any more.
    """
    a, b = site.pair
    kafka, master_host, *worker_hosts, driver_host = site.net.hosts
    with kafka.inside():
        task = new_task(site.pair, tmp_path, *_IMPATIENT)
        writer = Workload(
            bootstrap=a.bootstrap,
            topic=list(task.topics)[1],
            partitions=4,
            ledger=tmp_path / "while-machines-fail.jsonl",
            producer=1,
            rate=100,
            abort_every=4,
        ).start()
    with SparkCluster(tmp_path, master=master_host, workers=worker_hosts) as spark:
        with driver_host.inside():
            driver = run_driver(task.file, "--master", spark.url)
            driver.wait_until_caught_up(a, b, task.topics, flow=_FLOW)
        spark.kill_worker(1)
        with driver_host.inside():
            copies_more(driver, task, writer)
        # All that is copied is copied by the second now, and the first one is free.
        spark.start_worker(1)
        wait_until(
            lambda: executors(tmp_path / "work-1") == 2,
            "the new worker has an executor",
            timeout_s=_NEWS_S_MAX,
        )
        with site.net.unplugged(worker_hosts[1]), driver_host.inside():
            copies_more(driver, task, writer)
        with driver_host.inside():
            copies_more(driver, task, writer)
            writer.stop()
            driver.wait_until_caught_up(a, b, task.topics, flow=_FLOW)
            assert driver.stop() == Exit.OK, driver.text
    with kafka.inside():
        task.check(writer.spec.ledger)
