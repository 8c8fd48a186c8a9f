"""A Spark cluster of a test's own: a standalone master and its workers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
from machines import without

from kmirror.jvm import find_java
from kmirror.lab import process
from kmirror.lab.host import HERE, Host
from kmirror.lab.ports import free_ports
from kmirror.lab.waiting import wait_until

_SPARK_HOME = Path(pyspark.__file__).parent
_START_S_MAX = 90.0


@contextmanager
def standalone_cluster(
    folder: Path,
    *,
    master: Host = HERE,
    workers: Sequence[Host] = (HERE, HERE),
    cores: int = 2,
    settings: Mapping[str, str] | None = None,
    hidden: Sequence[Path] = (),
) -> Iterator[str]:
    """
    Start a master and its workers, and give the master's URL.

    Args:
        folder: For logs and files; what executors say is in `work-N/*/*/stderr`.
        master, workers: Where they run.
        cores: Of each worker.
        settings: Spark's, for all of them.
        hidden: Folders that they do not see.
    """
    # What Spark's own start scripts would set, beside the address.
    environ = {**os.environ, "SPARK_HOME": str(_SPARK_HOME), "SPARK_SCALA_VERSION": "2.13"}
    system = [f"-D{name}={value}" for name, value in (settings or {}).items()]
    port, web_port = free_ports(2)
    url = f"spark://{master.address}:{port}"
    log = folder / "master.log"
    with ExitStack() as running:

        def launch(host: Host, name: str, main_class: str, *arguments: str) -> None:
            own = {"SPARK_LOCAL_DIRS": str(folder / name), "SPARK_LOCAL_IP": host.address}
            java = [str(find_java().path), "-Xmx256m", *system, "-cp", f"{_SPARK_HOME}/jars/*"]
            words = [*java, f"org.apache.spark.deploy.{main_class}", "--host", host.address]
            command = without(hidden, host.command([*words, *arguments]))
            started = process.start(command, log=folder / f"{name}.log", environ=environ | own)
            running.callback(process.kill, started)

        launch(
            master, "master", "master.Master", "--port", str(port), "--webui-port", str(web_port)
        )
        wait_until(
            lambda: "New state: ALIVE" in log.read_text(),
            "the master answers",
            timeout_s=_START_S_MAX,
        )
        for number, host in enumerate(workers, start=1):
            work = ["--work-dir", str(folder / f"work-{number}")]
            resources = ["--cores", str(cores), "--memory", "1g"]
            launch(host, f"worker-{number}", "worker.Worker", *resources, *work, url)
        wait_until(
            lambda: log.read_text().count("Registering worker") == len(workers),
            "all workers are registered",
            timeout_s=_START_S_MAX,
        )
        yield url
