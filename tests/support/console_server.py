"""A console of a driver that never ran: synthetic flows, and clusters that are not there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from kmirror.clock import SystemClock
from kmirror.config.console import ConsoleConfig
from kmirror.config.load import MirrorConfig, load
from kmirror.config.metrics import listener_at
from kmirror.config.worker import WorkerConfig, load_worker
from kmirror.connect.abstract_herder import AbstractHerder
from kmirror.connect.worker_file import WorkerFile
from kmirror.console.audits import Audits, Stand
from kmirror.console.config_file import ConfigFile
from kmirror.console.connectors_file import ConnectorsFile
from kmirror.console.opened import console_of_driver
from kmirror.errors import EnvironmentProblem
from kmirror.model import Flow
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.server.console_server import ConsoleServer
from kmirror.state.observed import ObservedFlow
from tests.support.rest_server import RestClient
from tests.support.synthetic_flow import running_flow, with_troubles

AB, BA = Flow("A", "B"), Flow("B", "A")
# Nobody listens there, and whoever asks is told so soon.
FILE = """\
clusters = A, B
A.bootstrap.servers = 127.0.0.1:1
B.bootstrap.servers = 127.0.0.1:1
A->B.enabled = true
A->B.topics = topic-.*
B->A.enabled = true
B->A.topics = topic-.*
admin.timeout.ms = 1000
default.api.timeout.ms = 1000
request.timeout.ms = 500
"""


def file_of(folder: Path, text: str = FILE) -> MirrorConfig:
    """Write a file, and read it."""
    path = folder / "mm2.properties"
    path.write_text(text, encoding="utf-8")
    return load(path, environ={})


def two_flows(*, topics: int = 2, partitions: int = 3, lag: int = 10) -> tuple[ObservedFlow, ...]:
    """Give a flow that copies, and one that stands still, looked at just now."""
    now_ms = time.time_ns() // 1_000_000
    return (
        running_flow(AB, topics=topics, partitions=partitions, lag=lag, now_ms=now_ms),
        with_troubles(running_flow(BA, topics=1, partitions=2, now_ms=now_ms)),
    )


@contextmanager
def serving_workers_console(
    worker: WorkerConfig, herder: AbstractHerder, flows: Sequence[ObservedFlow]
) -> Iterator[RestClient]:
    """
    Serve the console of a Connect worker, and give a client.

    Args:
        worker: Its file, which says who may what.
        herder: Knows the connectors.
        flows: What of them runs here.
    """
    known, clock = WorkerFile(worker, herder), SystemClock()
    served = replace(worker.console, listener=listener_at("127.0.0.1:0"))
    server = ConsoleServer(served, clock)

    def read() -> WorkerConfig:
        return load_worker(worker.path, environ={})

    with console_of_driver(
        known.config,
        lambda: flows,
        _NoJava,
        "worker-host:7",
        clock,
        file=ConnectorsFile(worker, known.config, known.built, read, clock),
        has_it=known.owner,
        stopped=known.stopped,
    ) as console:
        try:
            server.start(console)
            yield RestClient(base=server.address)
        finally:
            server.stop()


class _NoJava(JvmClients):
    """What a console has where no JVM runs: whoever asks for a client is told."""

    def __init__(self) -> None:
        """Have none."""

    def open_groups(self, *_: object, **__: object) -> NoReturn:
        raise EnvironmentProblem("there is no Java here")

    def open_features(self, *_: object, **__: object) -> NoReturn:
        raise EnvironmentProblem("there is no Java here")


@contextmanager
def serving_console(
    folder: Path,
    flows: Sequence[ObservedFlow] | None = None,
    *,
    role: str = "admin",
    users: Path | None = None,
    file: str = FILE,
    stand: Stand | None = None,
) -> Iterator[RestClient]:
    """
    Serve flows as their driver would, and give a client.

    Args:
        folder: For the file.
        flows: They; two without.
        role: What those may who do not log in.
        users: Who may log in.
        file: What the file says.
        stand: Tells what audits have found; the clusters without it, which are not there.
    """
    observed = two_flows() if flows is None else flows
    config = file_of(folder, file)
    listener = listener_at("127.0.0.1:0")
    served = ConsoleConfig(listener=listener, anonymous_role=role, users_file=users)
    server = ConsoleServer(served, SystemClock())
    parts = (lambda: config, lambda: observed, _NoJava, "driver-host:7")

    def read() -> MirrorConfig:
        return load(config.path, environ={})

    file_shown = ConfigFile(lambda: config, read, "what the driver runs", SystemClock())
    with console_of_driver(*parts, SystemClock(), file=file_shown) as console:
        if stand is not None:
            key = config.console.report_key
            console.audits = Audits(
                stand, lambda _: observed[0].meter.audit, lambda: key, "a test", SystemClock()
            )
        try:
            server.start(console)
            yield RestClient(base=server.address)
        finally:
            server.stop()
