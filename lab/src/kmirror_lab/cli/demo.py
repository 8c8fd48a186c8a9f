"""`kmirror demo`: two real clusters, a live stream between them, and the proof that it arrived."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kmirror.cli.addresses import listener
from kmirror.cli.ending import on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.logs import LogLevel, log_for_services
from kmirror.cli.run import watch_live
from kmirror.cli.verify import verify_flow
from kmirror.clock import Clock, SystemClock
from kmirror.config.load import MirrorConfig
from kmirror.errors import MirrorError
from kmirror.pipeline.work_folder import work_folder
from kmirror.policy.regex import compile_any
from kmirror.verify.report import render
from kmirror.verify.result import Verdict
from kmirror_lab.cli.driven import Driven, console_address, driven, write_file
from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.cluster.state import state_of

_TOPICS = ("orders", "payments")
_PARTITIONS = 4
_BURST_S = 0.05
_CATCH_UP_S_MAX = 120.0
_LISTEN = "--listen"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stream:
    """
    What is written.

    Args:
        seconds: So long while the flow runs.
        backlog: Records before it starts.
        rate: Records a second while it runs.
    """

    seconds: int
    backlog: int
    rate: int


def demo(
    *,
    seconds: Annotated[int, typer.Option(min=1, help="Seconds that the producer writes.")] = 20,
    backlog: Annotated[
        int, typer.Option(min=0, help="Records on A before the flow starts.")
    ] = 500_000,
    rate: Annotated[
        int, typer.Option(min=1, help="Records per second while the flow runs.")
    ] = 2_000,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Then go on, clusters, producer and flow, with a console, until Ctrl-C.",
        ),
    ] = False,
    listen: Annotated[
        str | None,
        typer.Option(
            _LISTEN,
            help="Serve the console of --keep there. Default: 127.0.0.1:8089, or a free port.",
            metavar="HOST:PORT",
            show_default=False,
        ),
    ] = None,
) -> None:
    """
    Mirror a live stream between two clusters on this machine, then verify both sides.

    Exit code 1 if they differ.
    """
    if listen is not None:
        listener(_LISTEN, listen)
        if not keep:
            raise typer.BadParameter("only --keep serves a console", param_hint=_LISTEN)
    console = Console()
    log_for_services(LogLevel.ERROR)
    stream = _Stream(seconds=seconds, backlog=backlog, rate=rate)
    try:
        with work_folder() as folder:
            address = console_address(listen) if keep else ""
            identical = _play(folder, console, stream, address)
    except MirrorError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error
    raise SystemExit(Exit.OK if identical else Exit.DIFFERENT)


def _play(folder: Path, console: Console, stream: _Stream, address: str) -> bool:
    """Play it; with the address of a console, go on until a signal comes."""
    a, b = Cluster("A", folder), Cluster("B", folder)
    with ExitStack() as running:
        with console.status("starting two Kafka clusters …"):
            running.enter_context(started(a, b))
        console.print(f"cluster A at {a.bootstrap}, cluster B at {b.bootstrap}")
        for topic in _TOPICS:
            a.create_topic(topic, partitions=_PARTITIONS)
        writer = _Writer(a.bootstrap, SystemClock())
        with console.status(f"writing a backlog of {stream.backlog:,} records to A …"):
            writer.write(stream.backlog)
        clusters = state_of([a, b]).properties()
        config = write_file(folder / "mm2.properties", clusters, console=address)
        with driven(config) as found:
            _mirror(found, writer, stream)
            if address:
                identical = _compare(config, writer, console)
                _stay(found, writer, stream, console)
                return identical
        return _compare(config, writer, console)


def _mirror(found: Driven, writer: _Writer, stream: _Stream) -> None:
    """Show the flow while the writer writes, then until nothing is left to copy."""

    def play() -> None:
        writer.write_for(stream.seconds, stream.rate)
        writer.wait_until(lambda: _all_copied(found, writer) or not found.thread.is_alive())

    player = threading.Thread(target=play, name="kmirror-demo", daemon=True)
    player.start()
    watch_live(found.driver, player)


def _all_copied(found: Driven, writer: _Writer) -> bool:
    (status,) = found.driver.status()
    return status.lag_records == 0 and status.records >= writer.written


def _compare(config: MirrorConfig, writer: _Writer, console: Console) -> bool:
    console.print(f"the producer wrote {writer.written:,} records; comparing both sides")
    # The last heartbeat may be written when everything else is copied and the flow stops.
    report = verify_flow(config.flows[0], compile_any(_TOPICS))
    console.print(render(report), highlight=False)
    return report.verdict is Verdict.IDENTICAL


def _stay(found: Driven, writer: _Writer, stream: _Stream, console: Console) -> None:
    """Go on writing and copying until a signal comes, or the driver has failed."""
    over = threading.Event()
    on_signal(lambda _: over.set())
    file = found.driver.config.path
    console.print(
        f"\nthe console: {found.console}\n"
        f"The producer goes on with {stream.rate:,} records a second. Pause the flow in the "
        "browser, or look from another terminal:\n"
        f"  kmirror status {file}\n  kmirror top {file}\n"
        "Ctrl-C ends all of it.",
        highlight=False,
        soft_wrap=True,
    )
    writing = threading.Thread(
        target=writer.write_until, args=(over, stream.rate), name="kmirror-demo", daemon=True
    )
    writing.start()
    while found.thread.is_alive() and not over.is_set():
        over.wait(_BURST_S)
    over.set()
    with console.status("ending the flow and the clusters …"):
        writing.join(_BURST_S)


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
            self._write_burst(self._never, rate)
        self._producer.flush()

    def write_until(self, over: threading.Event, rate: int) -> None:
        """Write at *rate* records a second until *over* is set."""
        while not over.is_set():
            self._write_burst(over, rate)

    def wait_until(self, done: Callable[[], bool]) -> None:
        """Wait until *done*, but not for ever: the comparison tells what is missing."""
        end_s = self._clock.monotonic_s() + _CATCH_UP_S_MAX
        while not done() and self._clock.monotonic_s() < end_s:
            self._clock.wait(self._never, _BURST_S)

    def _write_burst(self, over: threading.Event, rate: int) -> None:
        for _ in range(max(1, int(rate * _BURST_S))):
            self._write_one()
        self._producer.poll(0)
        self._clock.wait(over, _BURST_S)

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
