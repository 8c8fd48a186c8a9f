"""`kmirror lab`: run real Kafka clusters on this machine, for experiments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated

import typer
from rich.console import Console

from kmirror.cli.app import App
from kmirror.cli.terminal import refuse
from kmirror.errors import MirrorError
from kmirror.pieces import pieces
from kmirror_lab.cli import duplicates, net, quota, report, web
from kmirror_lab.cli.places import lab_place
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.cluster.state import LabState, bring_down, load, save, state_of
from kmirror_lab.process import process
from kmirror_lab.process.ports import is_free

app = App(help="Run real Kafka clusters on this machine, for experiments.")

app.add_typer(net.app, name="net")
app.command()(quota.quota)
app.command()(duplicates.duplicates)
app.command()(report.report)
app.command()(web.web)

# What a script wants is on standard output, what a person wants to see meanwhile is not.
_progress = Console(stderr=True)

Folder = Annotated[
    Path | None, typer.Option(help="Folder for data, logs and state.", show_default="the cache")
]


@app.command()
def up(
    *,
    clusters: Annotated[int, typer.Option(min=1, max=8, help="How many clusters.")] = 2,
    brokers: Annotated[int, typer.Option(min=1, max=5, help="Brokers in each cluster.")] = 1,
    ports: Annotated[
        str,
        typer.Option(help="Client ports, one per broker, such as 9097,9098. Default: free ports."),
    ] = "",
    folder: Folder = None,
) -> None:
    """Start clusters A, B, …; they run until `kmirror lab down`."""
    place = lab_place(folder)
    if load(place) is not None:
        refuse(f"there is a lab in {place} already (to end it: kmirror lab down)")
    made = [
        Cluster(name, place, brokers=brokers, ports=given, outlive=True)
        for name, given in zip(
            ascii_uppercase, _ports_of_each(ports, clusters, brokers), strict=False
        )
    ]
    try:
        with _progress.status("starting the brokers …"), ThreadPoolExecutor(clusters) as pool:
            try:
                list(pool.map(Cluster.launch, made))
            finally:
                # Written before the long wait: whatever happens, `down` finds them.
                save(place, state_of(made))
            list(pool.map(Cluster.wait_ready, made))
    except BaseException as error:
        bring_down(place, state_of(made))
        if isinstance(error, MirrorError):
            refuse(str(error))
        raise
    _show(state_of(made))


@app.command()
def status(*, folder: Folder = None) -> None:
    """Show the clusters as lines for an mm2.properties; exit code 1 if a node is dead."""
    state = _known(lab_place(folder))
    if not _show(state):
        raise typer.Exit(1)


@app.command()
def down(*, folder: Folder = None) -> None:
    """Stop the clusters and delete their data."""
    place = lab_place(folder)
    state = _known(place)
    with _progress.status("stopping the brokers …"):
        bring_down(place, state)
    _progress.print(f"the lab in {place} is gone")


def _known(place: Path) -> LabState:
    state = load(place)
    if state is None:
        refuse(f"there is no lab in {place} (to start one: kmirror lab up)")
    return state


def _ports_of_each(text: str, clusters: int, brokers: int) -> list[Sequence[int] | None]:
    if not text:
        return [None] * clusters
    words = [word.strip() for word in text.split(",")]
    if len(words) != clusters * brokers or not all(word.isdigit() for word in words):
        refuse(f"--ports {text}: {clusters * brokers} numbers are needed, one per broker")
    ports = [int(word) for word in words]
    for port in ports:
        if not is_free(port):
            refuse(f"port {port} is in use")
    return list(pieces(ports, brokers))


def _show(state: LabState) -> bool:
    """Print the clusters, nodes as comments; tell whether all nodes are alive."""
    sys.stdout.write(state.properties())
    well = True
    for cluster in state.clusters:
        for node in cluster.nodes:
            runs = process.alive(node.process)
            well = well and runs
            condition = "runs" if runs else "is dead"
            sys.stdout.write(
                f"# {cluster.name}, broker {node.node_id}: process {node.process.pid} {condition}\n"
            )
    return well
