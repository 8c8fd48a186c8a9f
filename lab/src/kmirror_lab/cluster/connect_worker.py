"""A worker of Kafka Connect, as a process with a REST API on loopback."""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path

from kmirror_lab.cluster.mirror import Command, Mirror
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.jvm_command import kafka_command
from kmirror_lab.process.ports import LOOPBACK
from kmirror_lab.process.waiting import wait_until

_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
_START_S_MAX = 120.0
_ANSWER_S_MAX = 5.0


def connect_settings(bootstrap: str, *, group: str = "connect-cluster") -> dict[str, str]:
    """
    Return what workers of one Connect cluster have in common, as Kafka's own example names it.

    Args:
        bootstrap: The addresses of the cluster that holds their topics.
        group: `group.id`.
    """
    return {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "config.storage.topic": "connect-configs",
        "offset.storage.topic": "connect-offsets",
        "status.storage.topic": "connect-status",
        "config.storage.replication.factor": "1",
        "offset.storage.replication.factor": "1",
        "status.storage.replication.factor": "1",
        "key.converter": _BYTES,
        "value.converter": _BYTES,
        "header.converter": _BYTES,
    }


def connect_worker(
    settings: Mapping[str, str],
    folder: Path,
    *,
    port: int,
    heap_mb: int = 512,
    level: str = "warn",
    host: Host = HERE,
) -> Mirror:
    """
    Give a worker in distributed mode.

    Args:
        settings: The lines of its `connect-distributed.properties`, but for its address.
        folder: For that file and its log.
        port: Where its REST API listens on loopback.
        heap_mb: The JVM's largest heap, MiB.
        level: What it logs.
        host: Where it runs.
    """

    def command() -> Command:
        address = {"listeners": f"http://{LOOPBACK}:{port}"}
        lines = [f"{name} = {text}" for name, text in {**settings, **address}.items()]
        file = folder / "connect-distributed.properties"
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n")
        return kafka_command(
            "org.apache.kafka.connect.cli.ConnectDistributed",
            str(file),
            folder=folder,
            heap_mb=heap_mb,
            level=level,
        )

    return Mirror("Connect worker", command, log=folder / "connect-worker.log", host=host)


def start_and_wait(worker: Mirror, *, port: int) -> None:
    """
    Start a worker, and return when it serves.

    Args:
        worker: It.
        port: Where its REST API listens on loopback.

    Raises:
        EnvironmentProblem: It has ended; the message quotes its log.
        ClusterUnavailable: It does not serve in time.
    """
    worker.start()

    def is_healthy() -> bool:
        worker.check()
        url = f"http://{LOOPBACK}:{port}/health"
        try:
            with urllib.request.urlopen(url, timeout=_ANSWER_S_MAX) as answer:
                return bool(answer.status == 200)
        except (OSError, HTTPException):  # no port yet, or another status
            return False

    wait_until(is_healthy, "the Connect worker serves", timeout_s=_START_S_MAX, pause_s=0.3)
