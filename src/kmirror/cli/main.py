"""`kmirror`: mounts one module per verb."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated

import typer

import kmirror
from kmirror.cli import (
    acls,
    audit,
    canary,
    check,
    connect,
    console,
    control,
    dlq,
    ending,
    explain,
    gaps,
    import_files,
    load,
    mm1,
    move,
    notices,
    offsets,
    plan,
    release,
    reload,
    report,
    resolve,
    run,
    status,
    top,
    tune,
    user,
    verify,
)
from kmirror.cli.app import App
from kmirror.cli.logs import log_for_people
from kmirror.clock import SystemClock


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kmirror {kmirror.__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Copy topics between Kafka clusters: MirrorMaker 2's file, exactly once, on PySpark."""


def _add(verb: EntryPoint) -> None:
    """Mount what another distribution brings: a group of commands, or one."""
    brought = verb.load()
    if isinstance(brought, typer.Typer):
        app.add_typer(brought, name=verb.name)
    else:
        app.command(verb.name)(brought)


app = App(
    name="kmirror",
    callback=root,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run.run)
app.command()(connect.connect)
app.command()(mm1.mm1)
app.command()(reload.reload)
app.command()(resolve.resolve)
app.command()(console.console)
app.command()(status.status)
app.command()(report.report)
app.command()(top.top)
app.command()(plan.plan)
app.command()(plan.apply)
app.command()(verify.verify)
app.command()(canary.canary)
app.command()(tune.tune)
app.command("import")(import_files.import_files)
app.command()(acls.acls)
app.command()(explain.explain)
app.command()(gaps.gaps)
app.command()(move.failover)
app.command()(move.promote)
app.command()(move.failback)
app.command()(control.pause)
app.command()(control.resume)
app.command()(control.park)
app.command()(control.skip)
app.command()(control.seek)
app.command()(release.release)
app.command()(user.user)
app.add_typer(audit.app, name="audit")
app.add_typer(check.app, name="check")
app.add_typer(dlq.app, name="dlq")
app.add_typer(load.app, name="load")
app.add_typer(offsets.app, name="offsets")
for _verb in sorted(entry_points(group="kmirror.verbs")):
    _add(_verb)


def main() -> None:
    """Run the command line."""
    clock = SystemClock()
    ending.watch_signals(clock)
    log_for_people()
    notices.begin(clock)
    code = 1
    try:
        app()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:  # noqa: BLE001 - the interpreter would do the same with it
        sys.excepthook(*sys.exc_info())
    ending.leave(code)
