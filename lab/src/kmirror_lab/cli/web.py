"""`kmirror lab web`: a page that sends, counts, and shows owners, with a console beside it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kmirror.cli.addresses import listener
from kmirror.cli.ending import on_signal
from kmirror.cli.files import read_file
from kmirror.cli.logs import LogLevel, log_for_services
from kmirror.cli.terminal import refuse
from kmirror.clock import SystemClock
from kmirror.config.console import ConsoleConfig
from kmirror.config.load import MirrorConfig
from kmirror.errors import MirrorError
from kmirror.pipeline.work_folder import work_folder
from kmirror_lab.cli.driven import driven, write_file
from kmirror_lab.cli.places import lab_place
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.cluster.state import LabState, load, state_of

_LISTEN, _CONSOLE = "--listen", "--console"
_ADDRESS, _CONSOLE_ADDRESS = "127.0.0.1:8089", "127.0.0.1:8090"
_GROUP = "mirror-maker"

# What a script wants is on standard output, what a person wants to see meanwhile is not.
_progress = Console(stderr=True)


def web(
    *,
    listen: Annotated[str, typer.Option(_LISTEN, help="Serve the page there.")] = _ADDRESS,
    console: Annotated[
        str, typer.Option(_CONSOLE, help="Serve the console there.")
    ] = _CONSOLE_ADDRESS,
    partitions: Annotated[
        int, typer.Option(min=1, max=100, help="Partitions of topics that the page makes.")
    ] = 6,
    drive: Annotated[
        bool, typer.Option("--drive", help="Run the flow A->B in this process, too.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the lab.", show_default="the cache")
    ] = None,
) -> None:
    """
    Serve a page that sends records to A and counts them on A and B, with a console beside it.

    It uses the clusters of `kmirror lab up`. Without these it starts two, which end with it. It
    runs until SIGTERM or Ctrl-C.

    Everybody who reaches the addresses may send, and with --drive pause the flow.
    """
    for option, address in ((_LISTEN, listen), (_CONSOLE, console)):
        listener(option, address)
    log_for_services(LogLevel.ERROR)
    try:
        with work_folder() as place, _clusters(lab_place(folder), place) as state:
            if len(state.clusters) < 2:
                refuse("two clusters are needed: kmirror lab down, then kmirror lab up")
            _serve(state, place, listen, console, partitions=partitions, drive=drive)
    except MirrorError as error:
        refuse(str(error))


@contextmanager
def _clusters(lab: Path, place: Path) -> Iterator[LabState]:
    """Yield the clusters of the lab, or two that live as long as the block."""
    if (state := load(lab)) is not None:
        yield state
        return
    made = [Cluster(name, place) for name in "AB"]
    with ExitStack() as running:
        with _progress.status("starting two Kafka clusters …"):
            running.enter_context(started(*made))
        yield state_of(made)


def _serve(
    state: LabState, place: Path, listen: str, console: str, *, partitions: int, drive: bool
) -> None:
    # Only who serves pages needs to wait for what draws them.
    from kmirror_lab.web.server import Guide, TryOutServer  # noqa: PLC0415
    from kmirror_lab.web.tryout import TOPIC, TryOut  # noqa: PLC0415

    clock = SystemClock()
    source, target = state.clusters[:2]
    files = write_mm1_files(place, source.bootstrap, target.bootstrap)
    over = threading.Event()
    on_signal(lambda _: over.set())
    with ExitStack() as opened:
        tryout = TryOut(source, target, partitions=partitions, clock=clock)
        opened.callback(tryout.close)
        page = TryOutServer(tryout, listener(_LISTEN, listen), clock)
        opened.callback(page.stop)
        tryout.prepare(TOPIC)
        config = write_file(place / "mm2.properties", state.properties(), console=console * drive)
        address = opened.enter_context(_console(config, console, drive=drive))
        guide = Guide(
            console=address,
            file=str(config.path),
            consumer_file=str(files[0]),
            producer_file=str(files[1]),
            is_driven=drive,
        )
        page.start(guide)
        sys.stdout.write(
            f"the page: {page.address}\nthe console: {address}\n"
            f"send a record: curl {page.address}/send\n"
            f"send for three minutes: curl '{page.address}/send-message-by-time?minutes=3'\n"
            f"the file of the flow: {config.path}\n"
        )
        sys.stdout.flush()
        over.wait()


@contextmanager
def _console(config: MirrorConfig, address: str, *, drive: bool) -> Iterator[str]:
    """Serve the console, of a driver or of what the clusters know; yield where it is."""
    if drive:
        with driven(config) as found:
            yield found.console
        return
    from kmirror.console.opened import console_of_file  # noqa: PLC0415
    from kmirror.server.console_server import ConsoleServer  # noqa: PLC0415

    clock = SystemClock()
    served = ConsoleConfig(listener=listener(_CONSOLE, address))
    server = ConsoleServer(served, clock)
    read = partial(read_file, config.path)
    with console_of_file(config, clock, read=read) as console:
        try:
            server.start(console)
            yield server.address
        finally:
            server.stop()


def write_mm1_files(folder: Path, source: str, target: str) -> tuple[Path, Path]:
    """
    Write MirrorMaker 1's two files.

    Args:
        folder: Where.
        source, target: `bootstrap.servers` of the clusters.

    Returns:
        The consumer's file, and the producer's.
    """
    consumer, producer = folder / "consumer.properties", folder / "producer.properties"
    consumer.write_text(
        f"bootstrap.servers={source}\ngroup.id={_GROUP}\nauto.offset.reset=earliest\n"
    )
    producer.write_text(f"bootstrap.servers={target}\n")
    return consumer, producer
