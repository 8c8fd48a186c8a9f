"""A worker without a group, with flows that run nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.connect.connector_offsets import ConnectorOffsets
from kmirror.connect.loggers import Loggers
from kmirror.connect.model import TargetState
from kmirror.connect.standalone import StandaloneHerder
from kmirror.connect.worker_face import HerderParts
from kmirror.connect.zero_offsets import MemoryOffsets, ZeroOffsets
from kmirror.control.caller import Caller, Role
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.runtime.worker import Worker
from tests.support.connect_files import connector, worker
from tests.support.fake_flow import unused
from tests.support.fake_host import FakeFlows, FakePulse

ADMIN = Caller(name="ann", role=Role.ADMIN, address="here")
_S_MAX = 20.0


class Standing:
    """
    A worker, and what it runs.

    Args:
        folder: For its file.
        more: More lines of that.
        environ: The environment that references may name.
        kind: What it is.
    """

    def __init__(
        self,
        folder: Path,
        kind: type[StandaloneHerder] = StandaloneHerder,
        more: str = "",
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.flows, self.pulse = FakeFlows(), FakePulse()
        self.config = config = worker(folder, more, environ)
        clock = SystemClock()
        zeros = ZeroOffsets(MemoryOffsets(), clock)
        self.herder = kind(
            HerderParts(
                config=config,
                worker=Worker(self.flows, self.pulse),
                worker_id="here:8083",
                cluster_id="an-id",
                loggers=Loggers(lambda _name, _level: None, clock),
                offsets=ConnectorOffsets(config, zeros, unused(JvmClients), clock),
                clock=clock,
            )
        )

    def create(self, name: str, state: TargetState = TargetState.RUNNING, **more: str) -> None:
        self.herder.create(name, connector(**more), state, ADMIN)

    def wait(self, condition: object, what: str = "it is so") -> None:
        assert callable(condition)
        wait_until(condition, what, timeout_s=_S_MAX)

    def state(self, name: str) -> str:
        return self.herder.status(name).connector.state.value


@contextmanager
def running(herder: StandaloneHerder) -> Iterator[None]:
    """Run a worker in a thread."""
    stop = threading.Event()
    thread = threading.Thread(target=herder.run, args=(stop,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_S_MAX)
