"""What brokers from before KRaft (2.8 and older) keep their metadata in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kmirror_lab.jars import KAFKA_2_8
from kmirror_lab.process import process
from kmirror_lab.process.jvm_command import kafka_command
from kmirror_lab.process.ports import LOOPBACK, free_ports, is_free
from kmirror_lab.process.waiting import wait_until

_START_S_MAX = 60.0


@contextmanager
def zookeeper(folder: Path) -> Iterator[str]:
    """
    Run a ZooKeeper while the context lasts; give its address.

    Args:
        folder: For its data and its log.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (port,) = free_ports(1)
    command = kafka_command(
        "org.apache.zookeeper.server.ZooKeeperServerMain",
        *(str(port), str(folder / "data")),
        folder=folder,
        heap_mb=128,
        jars=KAFKA_2_8,
    )
    server = process.start(command, log=folder / "zookeeper.log")
    try:
        wait_until(lambda: not is_free(port), "ZooKeeper listens", timeout_s=_START_S_MAX)
        yield f"{LOOPBACK}:{port}"
    finally:
        process.kill(server)
