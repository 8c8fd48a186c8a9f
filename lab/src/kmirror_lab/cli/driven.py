"""Clusters of the lab with a driver in this process, and its console."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kmirror.cli.servers import Servers
from kmirror.clock import SystemClock
from kmirror.config.load import MirrorConfig, load
from kmirror.runtime.driver import Driver
from kmirror.runtime.host_launch import HostLaunch
from kmirror.runtime.host_options import DriverOptions, driver_host
from kmirror_lab.process.ports import LOOPBACK, free_ports, is_free

CONSOLE_PORT = 8089
# What a driver needs in the worst case, and less than a process has after a signal.
_STOP_S_MAX = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """
    A driver that runs.

    Args:
        driver: It.
        thread: Runs it; a driver that failed has ended it.
        console: Where its console is, as a URL; empty for none.
    """

    driver: Driver
    thread: threading.Thread
    console: str


def console_address(wanted: str | None, port: int = CONSOLE_PORT) -> str:
    """
    Return where to serve a console.

    Args:
        wanted: What somebody has said; that is taken as it is.
        port: Else this one of loopback, or any if it is taken.
    """
    if wanted is not None:
        return wanted
    return f"{LOOPBACK}:{port if is_free(port) else free_ports(1)[0]}"


def write_file(path: Path, clusters: str, *, console: str = "") -> MirrorConfig:
    """
    Write a file for the flow `A->B` of clusters with one broker each, and read it.

    Args:
        path: Where.
        clusters: Its lines for the clusters.
        console: Where the driver serves its console, for everybody who reaches it to order what
            can be undone; empty for nowhere.
    """
    lines = [
        "A->B.enabled = true",
        "replication.factor = 1",
        "offset.storage.replication.factor = 1",
    ]
    if console:
        lines += [f"kmirror.console = {console}", "kmirror.console.anonymous.role = operator"]
    path.write_text(clusters + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return load(path, environ=os.environ)


@contextmanager
def driven(config: MirrorConfig) -> Iterator[Driven]:
    """
    Run a driver, and what it serves, as long as the block lasts.

    Args:
        config: The file.

    Raises:
        EnvironmentProblem: It cannot listen, or Java or the jars are missing.
    """
    servers = Servers(config.metrics, config.console)
    options = DriverOptions()
    launch = HostLaunch(driver_host(config, options))
    driver = Driver(config, options, launch, read=lambda: config, clock=SystemClock())
    stop = threading.Event()
    thread = threading.Thread(target=driver.run, args=(stop,), name="kmirror-driver")
    with servers.serving(driver):
        thread.start()
        try:
            yield Driven(driver=driver, thread=thread, console=servers.console_address)
        finally:
            stop.set()
            thread.join(_STOP_S_MAX)
