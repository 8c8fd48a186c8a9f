"""The same program on Spark clusters: slots are tasks on executors of their own."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest
from bounded import copy_once
from driver import DriverFactory
from mirror_file import mirror_file

from kmirror.cli.exits import Exit
from kmirror.jvm import find_java
from kmirror.lab import process
from kmirror.lab.check import check
from kmirror.lab.fill import fill
from kmirror.lab.fixtures import ClusterPair
from kmirror.lab.ports import LOOPBACK, free_ports, is_free
from kmirror.lab.waiting import wait_until
from kmirror.lab.workload import Workload
from kmirror.model import Flow

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

SPARK_HOME = Path(pyspark.__file__).parent
_START_S_MAX = 90.0
_NEWS_S_MAX = 60.0
_FLOW = Flow("X", "Y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something to copy: the clusters, the topics with their targets, and the driver's file."""

    pair: ClusterPair
    topics: dict[str, str]
    ledger: Path
    file: Path

    def check(self) -> None:
        """Compare both sides."""
        a, b = self.pair
        verdict = check(a.bootstrap, b.bootstrap, self.topics, ledgers=[self.ledger])
        assert verdict.ok, str(verdict)
        assert verdict.records > 20_000


@pytest.fixture
def task(kafka_pair: ClusterPair, tmp_path: Path) -> Task:
    """Write a plain topic, and one with transactions of which some are aborted."""
    a, b = kafka_pair
    name = f"spark-{secrets.token_hex(4)}"
    plain = a.create_topic(f"{name}-plain", partitions=4)
    fill(a.bootstrap, plain, records=20_000, size_bytes=100, partitions=4)
    mixed = a.create_topic(f"{name}-mixed", partitions=4)
    workload = Workload(
        bootstrap=a.bootstrap,
        topic=mixed,
        partitions=4,
        ledger=tmp_path / "ledger.jsonl",
        records=2_000,
        abort_every=4,
    )
    workload.start().wait(timeout_s=120)
    file = mirror_file(
        tmp_path,
        {"X": a, "Y": b},
        "X->Y.enabled = true",
        f"X->Y.topics = {name}-.*",
        "X->Y.kmirror.slots = 2",
        "kmirror.spark.executor.memory = 768m",
    )
    topics = {topic: f"X.{topic}" for topic in (plain, mixed)}
    return Task(pair=kafka_pair, topics=topics, ledger=workload.ledger, file=file)


@pytest.fixture
def standalone_master(tmp_path: Path) -> Iterator[str]:
    """Start Spark's master and two workers of two cores each, and give the master's URL."""
    port, web_port = free_ports(2)
    url = f"spark://{LOOPBACK}:{port}"
    # What Spark's own start scripts would set, beside the address.
    spark = {"SPARK_HOME": str(SPARK_HOME), "SPARK_SCALA_VERSION": "2.13"}
    places = {"SPARK_LOCAL_DIRS": str(tmp_path / "local"), "SPARK_LOCAL_IP": LOOPBACK}
    environ = {**os.environ, **spark, **places}
    master_log = tmp_path / "master.log"

    def launch(main_class: str, *arguments: str, log: Path) -> process.ProcessId:
        java = [find_java().path, "-Xmx512m", "-cp", f"{SPARK_HOME}/jars/*"]
        words = [str(word) for word in (*java, main_class, *arguments)]
        found = process.start(words, log=log, environ=environ)
        running.callback(process.kill, found)
        return found

    with ExitStack() as running:
        launch(
            "org.apache.spark.deploy.master.Master",
            *("--host", LOOPBACK, "--port", str(port), "--webui-port", str(web_port)),
            log=master_log,
        )
        wait_until(lambda: not is_free(port), "the master listens", timeout_s=_START_S_MAX)
        for number in (1, 2):
            work = tmp_path / f"work-{number}"
            launch(
                "org.apache.spark.deploy.worker.Worker",
                *("--host", LOOPBACK, "--cores", "2", "--memory", "1g", "--work-dir", str(work)),
                url,
                log=tmp_path / f"worker-{number}.log",
            )
        wait_until(
            lambda: master_log.read_text().count("Registering worker") == 2,
            "both workers are registered",
            timeout_s=_START_S_MAX,
        )
        yield url


def test_local_cluster(task: Task, run_driver: DriverFactory) -> None:
    """Executors of their own copy, report, and obey: topics come, and the copy ends."""
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
    task.check()


def test_standalone_master(
    task: Task, run_driver: DriverFactory, standalone_master: str, tmp_path: Path
) -> None:
    """A bounded copy with a master and two workers of a Spark cluster."""
    copy_once(run_driver, task.file, "--master", standalone_master)
    task.check()
    logs = [*tmp_path.glob("work-*/*/*/stderr")]
    assert logs, "no executor ran on a worker"
