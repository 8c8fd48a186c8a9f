"""`kmirror check`: check a file against its clusters, and clusters for what would go wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from kmirror.admin.layout import LayoutAdmin
from kmirror.cli.app import App
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import refuse, wide_console
from kmirror.cli.worker_files import Connectors, is_of_worker, worker_or_exit
from kmirror.clock import SystemClock
from kmirror.config.clusters import ClusterConfig
from kmirror.config.load import MirrorConfig
from kmirror.config.server import ServerConfig
from kmirror.errors import ConfigError, EnvironmentProblem, MirrorError
from kmirror.inspect.file_check import FileCheck, checked_file
from kmirror.inspect.grant_commands import grant_command
from kmirror.inspect.worker_access import worker_clusters
from kmirror.inspect.worker_check import WorkerCheck
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.check_rules import CheckFinding, Level, doubts
from kmirror.plans.stretch import Finding, Severity, check_stretch
from kmirror.server.service import check_server

app = App(
    default="file",
    help="Check FILE against its clusters: rights, versions, listeners, sizes, times.",
    no_args_is_help=True,
)

_TIMEOUT_S = 30.0
_ANSWER_S_MAX = 10.0
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.FINE: "green"}
_LEVELS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "dim"}


@app.callback()
def check() -> None:
    """
    Check FILE against its clusters; `kmirror check FILE` is short for `kmirror check file FILE`.
    """


@app.command("file")
def check_file(
    file: File,
    connectors: Connectors = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """
    Check whether FILE can run: rights, versions, listeners, replication, sizes, times.

    FILE may be that of a Connect worker, too, with files of connectors behind it. It asks all
    clusters, creates nothing and changes nothing. Exit codes: 0 nothing would go wrong, 1 something
    would, 2 a file is wrong, 3 a cluster does not answer.
    """
    if is_of_worker(file, connectors):
        files = worker_or_exit(file, connectors or ())
        clusters = worker_clusters(files.config, files.flows)
        _require_server(files.config.server)
        found = _ask(partial(WorkerCheck, files))
    else:
        config = load_or_exit(file)
        clusters = {each.alias: each for each in config.clusters}
        found = (*doubts(config.warnings), *_ask(partial(FileCheck, checked_file(config))))
    findings = sorted(found, key=lambda each: list(Level).index(each.level))
    if as_json:
        print(json.dumps(_as_json(file, clusters, findings)))
    else:
        wide_console().print(_render(clusters, findings))
    raise SystemExit(_exit_of(findings))


class _Check(Protocol):
    """Asks clusters: `FileCheck` and `WorkerCheck` do."""

    def findings(self) -> tuple[CheckFinding, ...]: ...


def _ask(make: Callable[..., _Check]) -> tuple[CheckFinding, ...]:
    """Return what a check finds; exit where nothing can be checked."""
    try:
        with Console(stderr=True).status("Java") as progress, client_jvm() as jvm:
            clients = JvmClients(jvm)
            checked = make(clients, SystemClock(), progress.update, timeout_s=_ANSWER_S_MAX)
            return checked.findings()
    except (MirrorError, EnvironmentProblem) as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error


def _require_server(config: ServerConfig) -> None:
    """Exit where a worker's server could not begin for its file of users or its key stores."""
    try:
        check_server(config, SystemClock())
    except ConfigError as error:
        refuse(str(error), Exit.CONFIG)
    except EnvironmentProblem as error:
        refuse(str(error), Exit.START_FAILED)


def _exit_of(findings: list[CheckFinding]) -> Exit:
    if any(each.kind == "unavailable" for each in findings):
        return Exit.START_FAILED
    bad = any(each.level is Level.ERROR for each in findings)
    return Exit.DIFFERENT if bad else Exit.OK


def _render(clusters: Mapping[str, ClusterConfig], findings: list[CheckFinding]) -> RenderableType:
    if not findings:
        return Text("nothing to say", style="green")
    table = Table(box=None, pad_edge=False, show_header=False)
    for column in ("level", "where", "words"):
        table.add_column(column, overflow="fold", no_wrap=column == "level")
    for each in findings:
        words = [Text(each.words)]
        if each.why:
            words.append(Text(each.why, style="dim"))
        if each.do:
            words.append(Text(f"-> {each.do}", style="green"))
        words += [
            Text(grant_command(clusters[grant.cluster], grant), style="green")
            for grant in each.grants
        ]
        level = Text(each.level.value, style=_LEVELS[each.level])
        table.add_row(level, Text(each.where), Group(*words))
    return table


def _as_json(
    file: Path, clusters: Mapping[str, ClusterConfig], findings: list[CheckFinding]
) -> dict[str, Any]:
    return {
        "file": str(file),
        "findings": [
            {
                "level": each.level.value,
                "kind": each.kind,
                "where": each.where,
                "text": each.words,
                "why": each.why,
                "do": each.do,
                "commands": [
                    grant_command(clusters[grant.cluster], grant) for grant in each.grants
                ],
            }
            for each in findings
        ],
    }


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
