"""`kmirror demo`: two real clusters, a live stream between them, and the proof that it arrived."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kmirror.cli.exits import Exit
from kmirror.cli.logs import LogLevel, log_for_services
from kmirror.cli.run import watch_live
from kmirror.cli.verify import verify_flow
from kmirror.clock import Clock, SystemClock
from kmirror.config.load import load
from kmirror.errors import MirrorError
from kmirror.pipeline.work_folder import work_folder
from kmirror.policy.regex import compile_any
from kmirror.runtime.driver import Driver, DriverOptions
from kmirror.verify.report import render
from kmirror.verify.result import Verdict
from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster, started

_TOPICS = ("orders", "payments")
_PARTITIONS = 4
_BURST_S = 0.05
_CATCH_UP_S_MAX = 120.0


def demo(
    seconds: Annotated[int, typer.Option(min=1, help="Seconds that the producer writes.")] = 20,
    backlog: Annotated[
        int, typer.Option(min=0, help="Records on A before the flow starts.")
    ] = 500_000,
    rate: Annotated[
        int, typer.Option(min=1, help="Records per second while the flow runs.")
    ] = 2_000,
) -> None:
    """
    Mirror a live stream between two clusters on this machine, then verify both sides.

    Exit code 1 if they differ.
    """
    console = Console()
    log_for_services(LogLevel.ERROR)
    try:
        with work_folder() as folder:
            identical = _play(folder, console, seconds=seconds, backlog=backlog, rate=rate)
    except MirrorError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error
    raise SystemExit(Exit.OK if identical else Exit.DIFFERENT)


def _play(folder: Path, console: Console, *, seconds: int, backlog: int, rate: int) -> bool:
    a, b = Cluster("A", folder), Cluster("B", folder)
    with ExitStack() as running:
        with console.status("starting two Kafka clusters …"):
            running.enter_context(started(a, b))
        console.print(f"cluster A at {a.bootstrap}, cluster B at {b.bootstrap}")
        for topic in _TOPICS:
            a.create_topic(topic, partitions=_PARTITIONS)
        writer = _Writer(a.bootstrap, SystemClock())
        with console.status(f"writing a backlog of {backlog:,} records to A …"):
            writer.write(backlog)
        config = load(_properties(folder, a, b), environ=os.environ)
        driver = Driver(config, DriverOptions(), clock=SystemClock())
        _mirror(driver, writer, seconds=seconds, rate=rate)
        console.print(f"the producer wrote {writer.written:,} records; comparing both sides")
        # The last heartbeat may be written when everything else is copied and the flow stops.
        report = verify_flow(config.flows[0], compile_any(_TOPICS))
        console.print(render(report), highlight=False)
        return report.verdict is Verdict.IDENTICAL


def _properties(folder: Path, a: Cluster, b: Cluster) -> Path:
    path = folder / "mm2.properties"
    path.write_text(
        "clusters = A, B\n"
        f"A.bootstrap.servers = {a.bootstrap}\n"
        f"B.bootstrap.servers = {b.bootstrap}\n"
        "A->B.enabled = true\n"
        "replication.factor = 1\n"
        "offset.storage.replication.factor = 1\n",
        encoding="utf-8",
    )
    return path


def _mirror(driver: Driver, writer: _Writer, *, seconds: int, rate: int) -> None:
    """Run the driver while the writer writes, then until nothing is left to copy."""
    stop = threading.Event()
    thread = threading.Thread(target=driver.run, args=(stop,), name="kmirror-driver")

    def play() -> None:
        writer.write_for(seconds, rate)
        writer.wait_until(
            lambda: driver.status()[0].lag_records == 0 and _all_copied(driver, writer)
        )
        stop.set()

    player = threading.Thread(target=play, name="kmirror-demo", daemon=True)
    thread.start()
    player.start()
    watch_live(driver, thread)


def _all_copied(driver: Driver, writer: _Writer) -> bool:
    return driver.status()[0].records >= writer.written


class _Writer:
    """Writes records to the demo's topics, in turn."""

    def __init__(self, bootstrap: str, clock: Clock) -> None:
        self._producer = producer(bootstrap, linger_ms="5")
        self._clock = clock
        self._never = threading.Event()
        self.written = 0

    def write(self, records: int) -> None:
        """Write so many records and wait until they are safe."""
        for _ in range(records):
            self._write_one()
        self._producer.flush()

    def write_for(self, seconds: int, rate: int) -> None:
        """Write at *rate* records a second."""
        end_s = self._clock.monotonic_s() + seconds
        while self._clock.monotonic_s() < end_s:
            for _ in range(max(1, int(rate * _BURST_S))):
                self._write_one()
            self._producer.poll(0)
            self._clock.wait(self._never, _BURST_S)
        self._producer.flush()

    def wait_until(self, done: Callable[[], bool]) -> None:
        """Wait until *done*, but not for ever: the comparison tells what is missing."""
        end_s = self._clock.monotonic_s() + _CATCH_UP_S_MAX
        while not done() and self._clock.monotonic_s() < end_s:
            self._clock.wait(self._never, _BURST_S)

    def _write_one(self) -> None:
        number = self.written
        headers: list[tuple[str, str | bytes | None]] = [("number", str(number).encode())]
        value = f"order {number} ".ljust(100, ".").encode()
        while True:
            try:
                self._producer.produce(
                    _TOPICS[number % len(_TOPICS)],
                    value,
                    str(number % 1000).encode(),
                    headers=headers,
                )
                break
            except BufferError:
                self._producer.poll(_BURST_S)
        self.written += 1
