"""`kmirror check`: check clusters for what would go wrong."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.table import Table

from kmirror.admin.layout import LayoutAdmin
from kmirror.cli.app import App
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import wide_console
from kmirror.config.load import MirrorConfig
from kmirror.errors import MirrorError
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.plans.stretch import Finding, Severity, check_stretch

app = App(help="Check clusters for what would go wrong.", no_args_is_help=True)

_TIMEOUT_S = 30.0
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.FINE: "green"}


@app.callback()
def check() -> None:
    """Check clusters for what would go wrong."""


@app.command()
def stretch(
    file: File,
    cluster: Annotated[
        str | None,
        typer.Option(help="Only the cluster with this alias. Default: all clusters of the file."),
    ] = None,
) -> None:
    """
    Return whether clusters stretched over racks survive the loss of one rack.

    It checks racks of brokers and replicas, min.insync.replicas, unclean elections and reads from
    the nearest replica. It changes nothing. Exit code 1 if data could be lost.
    """
    config = load_or_exit(file)
    chosen = [each for each in config.clusters if cluster in {None, each.alias}]
    if not chosen:
        names = ", ".join(each.alias for each in config.clusters)
        print(f"{file}: there is no cluster {cluster}; there are: {names}", file=sys.stderr)
        raise SystemExit(Exit.CONFIG)
    bad = False
    for each in chosen:
        try:
            settings = librdkafka_settings(each.admin)
            with LayoutAdmin(each.alias, settings, timeout_s=_TIMEOUT_S) as admin:
                layout = admin.layout(_readers(config, each.alias))
        except MirrorError as error:
            print(f"{each.alias}: {error}", file=sys.stderr)
            raise SystemExit(Exit.START_FAILED) from error
        findings = check_stretch(layout)
        wide_console().print(_table(each.alias, findings))
        bad = bad or any(finding.severity is Severity.ERROR for finding in findings)
    raise SystemExit(Exit.DIFFERENT if bad else Exit.OK)


def _readers(config: MirrorConfig, alias: str) -> dict[str, str]:
    """Return what reads from a cluster by the file, and the rack that it names."""
    return {
        f"flow {flow.flow}": str(flow.source_consumer.get("client.rack", ""))
        for flow in config.flows
        if flow.flow.source == alias
    }


def _table(alias: str, findings: tuple[Finding, ...]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, title=alias, title_justify="left")
    for column in ("severity", "subject", "words"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        colour = _COLOURS[finding.severity]
        advice = f"\n[dim]-> {finding.advice}[/dim]" if finding.advice else ""
        table.add_row(
            f"[{colour}]{finding.severity.value}[/{colour}]",
            finding.subject,
            finding.words + advice,
        )
    return table
