"""`kmirror lab net`: run two clusters with a link between them that can be made bad."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from kmirror.cli.app import App
from kmirror.cli.terminal import refuse, wide_console
from kmirror.errors import MirrorError
from kmirror_lab.cli.places import net_place
from kmirror_lab.net import Kind, NetLab, NetPlan, Proof, bring_up, link_units, read_change
from kmirror_lab.net.namespace import why_not
from kmirror_lab.net.proxied import CANNOT
from kmirror_lab.process import process

app = App(
    help="Run two clusters in network namespaces, with a link that can be made bad.",
    no_args_is_help=True,
)

_progress = Console(stderr=True)

Folder = Annotated[
    Path | None, typer.Option(help="Folder for data, logs and state.", show_default="the cache")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="NAME", help="Only packets that leave this side.", show_default="all"
    ),
]
Proven = Annotated[bool, typer.Option("--proof/--no-proof", help="Measure the link afterwards.")]


@app.command()
def up(
    *,
    clusters: Annotated[
        str, typer.Option(help="Names of the two clusters and their namespaces.")
    ] = "us-east-1,us-east-2",
    brokers: Annotated[
        int,
        typer.Option(
            min=0, max=5, help="Brokers in each cluster; 0 means a link without clusters."
        ),
    ] = 1,
    congestion: Annotated[str, typer.Option(help="TCP's congestion control.")] = "cubic",
    proxy: Annotated[bool, typer.Option("--proxy", help="Use a TCP proxy, even as root.")] = False,
    folder: Folder = None,
) -> None:
    """Start both clusters and the link; they run until `kmirror lab net down`."""
    names = [name.strip() for name in clusters.split(",")]
    if len(names) != 2:
        refuse(f"--clusters {clusters}: expected two names, one for each side of the link")
    plan = NetPlan(names=(names[0], names[1]), brokers=brokers, congestion=congestion, proxy=proxy)
    with _told(), _progress.status("creating the network and starting the brokers …"):
        made = bring_up(net_place(folder), plan)
    _say_kind(made)
    _show(made)


@app.command("set")
def set_(
    *,
    rate: Annotated[
        str | None, typer.Option(help="Bits per second, such as 1mbit or 500kbit; none removes it.")
    ] = None,
    queue: Annotated[
        str | None, typer.Option(help="How long a packet may queue for the rate, such as 400ms.")
    ] = None,
    bucket: Annotated[
        str | None,
        typer.Option(
            help="What passes at once before the rate counts, such as 32kB: tbf's burst. 0: what "
            "suits the rate."
        ),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(help="Delay of one way, as tc's: the round trip takes twice as long."),
    ] = None,
    rtt: Annotated[
        str | None, typer.Option(help="Round trip, half in each direction; instead of --delay.")
    ] = None,
    jitter: Annotated[
        str | None, typer.Option(help="Largest deviation from the delay, such as 20ms.")
    ] = None,
    loss: Annotated[
        str | None, typer.Option(help="Share of packets that never arrive, such as 5%.")
    ] = None,
    burst: Annotated[
        int | None, typer.Option(help="Packets lost in a row; 1 means at random.")
    ] = None,
    reorder: Annotated[
        str | None, typer.Option(help="Share of packets that are not delayed, such as 5%.")
    ] = None,
    leaving: From = None,
    proof: Proven = True,
    folder: Folder = None,
) -> None:
    """Change settings of the link and measure it; other settings stay."""
    with _told():
        if rtt is not None and leaving is not None:
            raise ValueError("a round trip has both directions: --from goes with --delay")
        lab = NetLab.at(net_place(folder))
        change = read_change(
            rate=rate,
            queue=queue,
            bucket=bucket,
            delay=delay,
            rtt=rtt,
            jitter=jitter,
            loss=loss,
            burst=burst,
            reorder=reorder,
        )
        lab.change(change, leaving=leaving)
        _report(lab, proof=proof)


@app.command()
def show(
    *,
    proof: Annotated[bool, typer.Option("--proof", help="Measure the link, too.")] = False,
    folder: Folder = None,
) -> None:
    """Show settings and clusters, as lines of an mm2.properties; exit code 1 if a node is dead."""
    with _told():
        lab = NetLab.at(net_place(folder))
        well = _show(lab)
        if proof:
            _report(lab, proof=True)
    if not well:
        raise typer.Exit(1)


@app.command()
def cut(*, leaving: From = None, proof: Proven = True, folder: Folder = None) -> None:
    """Cut the link; with --from, only in the direction from that side."""
    with _told():
        lab = NetLab.at(net_place(folder))
        lab.cut(leaving=leaving)
        _report(lab, proof=proof)


@app.command()
def heal(*, proof: Proven = True, folder: Folder = None) -> None:
    """End the cuts; rate, delay and loss stay."""
    with _told():
        lab = NetLab.at(net_place(folder))
        lab.heal()
        _report(lab, proof=proof)


@app.command()
def clear(*, proof: Proven = True, folder: Folder = None) -> None:
    """Remove all settings, and measure that the link has no limits."""
    with _told():
        lab = NetLab.at(net_place(folder))
        lab.clear()
        _report(lab, proof=proof)


@app.command()
def reset(*, folder: Folder = None) -> None:
    """Reset all TCP connections across the link (RST)."""
    with _told():
        NetLab.at(net_place(folder)).reset()
    _progress.print("the connections across the link are reset")


@app.command("exec", context_settings={"ignore_unknown_options": True})
def exec_(
    name: Annotated[str, typer.Argument(help="The side to run it on.")],
    command: Annotated[list[str], typer.Argument(help="Program and arguments, after `--`.")],
    *,
    folder: Folder = None,
) -> None:
    """Run a program on one side: `kmirror lab net exec us-east-1 -- ip address`."""
    with _told():
        words = NetLab.at(net_place(folder)).host(name).command(command)
    # In our place: signals and the exit status are the program's own.
    os.execv(words[0], words)


@app.command()
def down(*, folder: Folder = None) -> None:
    """Stop everything on both sides, and delete namespaces and data."""
    place = net_place(folder)
    with _told(), _progress.status("stopping what runs …"):
        NetLab.at(place).down()
    _progress.print(f"the network lab in {place} is gone")


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Exit with one sentence if the request cannot be met."""
    try:
        yield
    except (MirrorError, ValueError) as error:
        refuse(str(error))


def _say_kind(lab: NetLab) -> None:
    _progress.print(f"the link: {lab.state.kind}", highlight=False)
    if lab.state.kind is Kind.PROXY:
        reason = why_not() or "it was asked for"
        _progress.print(f"why: {reason}; {CANNOT}", style="yellow", highlight=False)


def _report(lab: NetLab, *, proof: bool) -> None:
    """Say what is set, and what of it is measured; end with 1 when that differs."""
    _write_settings(lab)
    if not proof:
        return
    with _progress.status("measuring …"):
        found = lab.prove()
    wide_console().print(_table(found))
    if not found.holds:
        refuse("the link does not do what was set; is there other traffic on it?")


def _table(proof: Proof) -> Table:
    table = Table(f"measured with {proof.means}")
    for column in ("wanted", "measured", ""):
        table.add_column(column)
    for line in proof.lines:
        table.add_row(line.what, line.wanted, line.measured, "" if line.holds else "differs")
    return table


def _show(lab: NetLab) -> bool:
    """Print clusters and settings, these as comments; tell whether everything is alive."""
    first, second = lab.names
    well = lab.there()
    if lab.state.kind is Kind.PROXY:
        for name in lab.names:
            sys.stdout.write(f"# as {name} sees them\n{lab.state.properties(name)}")
    else:
        sys.stdout.write(lab.state.properties(first))
    for side in lab.state.sides:
        for node in side.cluster.nodes if side.cluster else ():
            runs = process.alive(node.process)
            well = well and runs
            condition = "runs" if runs else "is dead"
            sys.stdout.write(
                f"# {side.name}, broker {node.node_id}: process {node.process.pid} {condition}\n"
            )
    sys.stdout.write(f"# link: {lab.state.kind}\n")
    if not lab.there():
        sys.stdout.write(f"# the link between {first} and {second} is gone\n")
    _write_settings(lab)
    return well


def _write_settings(lab: NetLab) -> None:
    first, second = lab.names
    settings = lab.settings
    sys.stdout.write(f"# {first} -> {second}: {settings.there}\n")
    sys.stdout.write(f"# {second} -> {first}: {settings.back}\n")
    if settings.rtt_s:
        sys.stdout.write(f"# round trip: {link_units.show_duration(settings.rtt_s)}\n")
