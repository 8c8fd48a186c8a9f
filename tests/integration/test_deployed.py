"""What `deploy/` starts, started as it says: the image's programs, and `spark-submit`."""

from __future__ import annotations

import json
import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyspark
import pytest
from confluent_kafka import IsolationLevel
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill
from kmirror_lab.process import process
from kmirror_lab.process.ports import LOOPBACK, free_ports
from kmirror_lab.process.waiting import wait_until

from kmirror.cli.exits import Exit
from kmirror.model import Flow
from tests.support.copy_watch import ends_of
from tests.support.deploy import DEPLOY
from tests.support.driver import Driver, DriverFactory, start_logged
from tests.support.image import ENTRYPOINT
from tests.support.mirror_file import mirror_file
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_RECORDS, _PARTITIONS = 2_000, 4
_START_S_MAX = 90.0
_SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"
# What Spark gives its executors, of Java's own packages.
_OPENED = ("java.lang", "java.lang.invoke", "java.nio", "java.util", "java.util.concurrent")


class Copied:
    """A topic that is there, its copy, and the file of the flow, whose aliases are new."""

    def __init__(self, pair: ClusterPair, folder: Path, *lines: str) -> None:
        self.pair = pair
        word = secrets.token_hex(4)
        topic = pair.a.create_topic(f"deployed-{word}", partitions=_PARTITIONS)
        self.flow = Flow(f"X{word}", f"Y{word}")
        self.topics = {topic: f"{self.flow.source}.{topic}"}
        self.file = mirror_file(
            folder,
            {self.flow.source: pair.a, self.flow.target: pair.b},
            f"{self.flow}.enabled = true",
            f"{self.flow}.topics = {topic}",
            f"{self.flow}.kmirror.slots = 2",
            "kmirror.spark.driver.memory = 512m",
            "kmirror.spark.executor.memory = 512m",
            *lines,
        )

    def write(self) -> None:
        """Write some records."""
        (topic,) = self.topics
        source = self.pair.a.bootstrap
        fill(source, topic, records=_RECORDS, size_bytes=100, partitions=_PARTITIONS)

    def check(self) -> None:
        """Compare both sides."""
        a, b = self.pair
        verdict = check(a.bootstrap, b.bootstrap, self.topics)
        assert verdict.ok, str(verdict)


@pytest.fixture
def containers(tmp_path: Path) -> Iterator[ExitStack]:
    """Give what ends the programs of the image that a test starts."""
    with ExitStack() as running:
        yield running


def contain(running: ExitStack, folder: Path, name: str, *words: str, **environ: str) -> Path:
    """Run the image's entrypoint as a container does; give its log."""
    log = folder / f"{name}.log"
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    places = {"PATH": path, "SPARK_LOCAL_DIRS": str(folder / name), "SPARK_LOCAL_IP": LOOPBACK}
    # Executors put jars where they are, as the image's are in `/tmp`.
    command = ["/usr/bin/env", f"--chdir={folder}", ENTRYPOINT, *words]
    started = process.start(command, log=log, environ=places | environ)
    running.callback(process.kill, started)
    return log


def test_the_image_is_a_spark_cluster_too(
    kafka_pair: ClusterPair, run_driver: DriverFactory, containers: ExitStack, tmp_path: Path
) -> None:
    """
    A slot runs on a standalone worker, another one on what a pod of Kubernetes would run.

    Spark's driver knows no difference: an executor is whoever comes and says so.
    """
    port, web_port, driver_port = free_ports(3)
    copied = Copied(kafka_pair, tmp_path, f"kmirror.spark.driver.port = {driver_port}")
    copied.write()
    url = f"spark://{LOOPBACK}:{port}"
    ports = ["--port", str(port), "--webui-port", str(web_port)]
    master = contain(containers, tmp_path, "master", "spark-master", "--host", LOOPBACK, *ports)
    wait_until(
        lambda: "New state: ALIVE" in text(master), "the master answers", timeout_s=_START_S_MAX
    )
    size = ["--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / "work")]
    contain(containers, tmp_path, "worker", "spark-worker", "--host", LOOPBACK, *size, url)
    wait_until(
        lambda: "Registering worker" in text(master), "the worker is there", timeout_s=_START_S_MAX
    )
    driver = run_driver(copied.file, "--master", url)
    wait_until(
        lambda: "Registered app" in text(master), "the driver is there", timeout_s=_START_S_MAX
    )
    pod = contain(containers, tmp_path, "pod", "executor", **pod_of(driver_port))
    driver.wait_until_caught_up(*kafka_pair, copied.topics, flow=copied.flow)
    (worker,) = tmp_path.glob("work/*/*/stderr")
    for place, log in (("worker", worker), ("pod", pod)):
        assert "Running task" in text(log), f"the {place} had nothing to do: {text(log)}"
    assert driver.stop() == Exit.OK, driver.text
    copied.check()


def pod_of(driver_port: int) -> dict[str, str]:
    """Give the variables that Spark gives the pod of an executor."""
    opened = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED]
    options = [f"-Dspark.driver.port={driver_port}", *opened]
    return {
        "SPARK_DRIVER_URL": f"spark://CoarseGrainedScheduler@{LOOPBACK}:{driver_port}",
        "SPARK_EXECUTOR_ID": "1000",
        "SPARK_EXECUTOR_CORES": "1",
        "SPARK_EXECUTOR_MEMORY": "512m",
        "SPARK_APPLICATION_ID": "kmirror",
        "SPARK_EXECUTOR_POD_IP": LOOPBACK,
        "SPARK_EXECUTOR_POD_NAME": "kmirror-exec-1",
        "SPARK_RESOURCE_PROFILE_ID": "0",
        **{f"SPARK_JAVA_OPT_{number}": option for number, option in enumerate(options)},
    }


def text(log: Path) -> str:
    """Read what was said so far."""
    return log.read_text(errors="replace") if log.exists() else ""


def submitted(file: Path, folder: Path) -> Driver:
    """Start kmirror by `spark-submit`, as `deploy/spark-submit/mirror.py` says."""
    python = f"spark.pyspark.python={sys.executable}"
    program = DEPLOY / "spark-submit" / "mirror.py"
    command = [_SUBMIT, "--conf", python, program, "run", file]
    return start_logged(command, folder / "submitted.log", folder / "tmp")


def test_spark_submit(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """kmirror has a JVM of its own, and ends in good order when `spark-submit` gets SIGTERM."""
    copied = Copied(kafka_pair, tmp_path)
    driver = submitted(copied.file, tmp_path)
    for _ in range(2):
        copied.write()
        driver.wait_until_caught_up(*kafka_pair, copied.topics, flow=copied.flow)
    assert driver.stop() == 128 + signal.SIGTERM
    driver.wait_until_gone(timeout_s=60)
    copied.check()
    # What kmirror says then is lost with the JVM, but positions are written down in the end.
    ends = ends_of(kafka_pair.a.bootstrap, copied.topics, IsolationLevel.READ_COMMITTED)
    noted = read(kafka_pair.b, f"mm2-offsets.{copied.flow.source}.internal")
    last = {json.loads(each.key or b"")[1]["partition"]: each.value for each in noted}
    assert {number: json.loads(value or b"") for number, value in last.items()} == {
        place.partition: {"offset": end - 1} for place, end in ends.items()
    }
