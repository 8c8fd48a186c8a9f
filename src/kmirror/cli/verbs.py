"""All verbs of the command line, and where each of them is: only what is typed is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer

import kmirror
from kmirror.cli.app import App

# Where a verb is: a module of this package, and its name there. In the order of the help.
_VERBS: Mapping[str, tuple[str, str]] = {
    "run": ("run", "run"),
    "connect": ("connect", "connect"),
    "mm1": ("mm1", "mm1"),
    "reload": ("reload", "reload"),
    "resolve": ("resolve", "resolve"),
    "console": ("console", "console"),
    "status": ("status", "status"),
    "report": ("report", "report"),
    "top": ("top", "top"),
    "plan": ("plan", "plan"),
    "apply": ("plan", "apply"),
    "verify": ("verify", "verify"),
    "canary": ("canary", "canary"),
    "tune": ("tune", "tune"),
    "import": ("import_files", "import_files"),
    "acls": ("acls", "acls"),
    "explain": ("explain", "explain"),
    "gaps": ("gaps", "gaps"),
    "failover": ("move", "failover"),
    "promote": ("move", "promote"),
    "failback": ("move", "failback"),
    "pause": ("control", "pause"),
    "resume": ("control", "resume"),
    "park": ("control", "park"),
    "skip": ("control", "skip"),
    "seek": ("control", "seek"),
    "release": ("release", "release"),
    "user": ("user", "user"),
    "audit": ("audit", "app"),
    "check": ("check", "app"),
    "dlq": ("dlq", "app"),
    "load": ("load", "app"),
    "offsets": ("offsets", "app"),
}


def program(words: Sequence[str] = ()) -> App:
    """
    Give the command line.

    Args:
        words: What is typed. If a verb of ours comes first it is the only one there is, because
            to load all of them takes a second of a processor's time; otherwise all are there.
    """
    app = App(
        name="kmirror",
        callback=_root,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    is_one = bool(words) and words[0] in _VERBS
    for verb in words[:1] if is_one else _VERBS:
        module, name = _VERBS[verb]
        _add(app, verb, getattr(import_module(f"kmirror.cli.{module}"), name))
    for brought in () if is_one else sorted(entry_points(group="kmirror.verbs")):
        _add(app, brought.name, brought.load())
    return app


def _add(app: App, verb: str, brought: Any) -> None:
    """Mount a group of commands, or one."""
    if isinstance(brought, typer.Typer):
        app.add_typer(brought, name=verb)
    else:
        app.command(verb)(brought)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kmirror {kmirror.__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Copy topics between Kafka clusters: MirrorMaker 2's file, exactly once, on PySpark."""
