"""A Spark cluster of a test's own: a standalone master and its workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import pyspark
import pytest
from kmirror_lab.process import process
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.ports import free_ports
from kmirror_lab.process.waiting import wait_until

from kmirror.jvm import find_java
from tests.support.machines import without

_SPARK_HOME = Path(pyspark.__file__).parent
_START_S_MAX = 90.0
ONE_PROCESS_OR_TWO = pytest.mark.parametrize(
    "master", [(), ("--master", "local-cluster[1,4,1024]")], ids=["driver", "executors"]
)
"""Runs a test without executors of their own, and with one; `master` is a command line's end."""


class SparkCluster:
    """
    A standalone master and its workers; what executors say is in `work-N/*/*/stderr`.

    Args:
        folder: For logs and files.
        master, workers: Where they run.
        cores: Of each worker.
        settings: Spark's, for all of them.
        hidden: Folders that they do not see.
    """

    def __init__(
        self,
        folder: Path,
        *,
        master: Host = HERE,
        workers: Sequence[Host] = (HERE, HERE),
        cores: int = 2,
        settings: Mapping[str, str] | None = None,
        hidden: Sequence[Path] = (),
    ) -> None:
        self._folder = folder
        self._master = master
        self._workers = workers
        self._cores = cores
        self._system = [f"-D{name}={value}" for name, value in (settings or {}).items()]
        self._hidden = hidden
        self._processes: dict[str, process.ProcessId] = {}
        self._port, self._web_port = free_ports(2)
        self.url = f"spark://{master.address}:{self._port}"

    def __enter__(self) -> Self:
        try:
            self._start_master()
            for number in range(1, len(self._workers) + 1):
                self.start_worker(number)
        except BaseException:
            self._kill_all()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._kill_all()

    def start_worker(self, number: int) -> None:
        """Start a worker; they count from 1."""
        registered = self._said("Registering worker")
        resources = ["--cores", str(self._cores), "--memory", "1g"]
        work = ["--work-dir", str(self._folder / f"work-{number}")]
        host = self._workers[number - 1]
        self._launch(host, f"worker-{number}", "worker.Worker", *resources, *work, self.url)
        wait_until(
            lambda: self._said("Registering worker") > registered,
            f"worker {number} is registered",
            timeout_s=_START_S_MAX,
        )

    def kill_worker(self, number: int) -> None:
        """Kill a worker; its executors end with it."""
        process.kill(self._processes.pop(f"worker-{number}"))

    def _start_master(self) -> None:
        ports = ["--port", str(self._port), "--webui-port", str(self._web_port)]
        self._launch(self._master, "master", "master.Master", *ports)
        wait_until(
            lambda: self._said("New state: ALIVE") > 0,
            "the master answers",
            timeout_s=_START_S_MAX,
        )

    def _said(self, text: str) -> int:
        return (self._folder / "master.log").read_text().count(text)

    def _launch(self, host: Host, name: str, main_class: str, *arguments: str) -> None:
        # What Spark's own start scripts would set, beside the address.
        environ = {
            "SPARK_HOME": str(_SPARK_HOME),
            "SPARK_SCALA_VERSION": "2.13",
            "SPARK_LOCAL_DIRS": str(self._folder / name),
            "SPARK_LOCAL_IP": host.address,
        }
        java = [str(find_java().path), "-Xmx256m", *self._system, "-cp", f"{_SPARK_HOME}/jars/*"]
        words = [*java, f"org.apache.spark.deploy.{main_class}", "--host", host.address, *arguments]
        command = without(self._hidden, host.command(words))
        log = self._folder / f"{name}.log"
        self._processes[name] = process.start(command, log=log, environ=environ)

    def _kill_all(self) -> None:
        for started in self._processes.values():
            process.kill(started)
