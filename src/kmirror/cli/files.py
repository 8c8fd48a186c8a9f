"""Read a properties file for a command; exit with everything that is wrong in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.config.entry import by_line
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig, examine, load
from kmirror.config.suggest import nearest
from kmirror.errors import ConfigError, EnvironmentProblem, Problem
from kmirror.events.emit import emit
from kmirror.events.table import RUN_REFUSED
from kmirror.jvm.key_stores import check_key_stores

File = Annotated[Path, typer.Argument(help="MirrorMaker 2's properties file.")]

OneFlow = Annotated[
    str | None,
    typer.Option("--flow", help="Only this flow, A->B. Default: all enabled flows."),
]


def read_file(file: Path, clusters: Sequence[str] = ()) -> MirrorConfig:
    """
    Load a properties file.

    Raises:
        ConfigError: with everything that is wrong in it.
        EnvironmentProblem: Key stores cannot be read on this machine.
    """
    config = load(file, clusters=clusters, environ=os.environ)
    check_key_stores(config)
    return config


def load_or_exit(file: Path, clusters: Sequence[str] = ()) -> MirrorConfig:
    """Load a properties file, or exit with everything that is wrong in it."""
    try:
        config = read_file(file, clusters)
    except (ConfigError, EnvironmentProblem) as error:
        print(error, file=sys.stderr)
        code = Exit.CONFIG if isinstance(error, ConfigError) else Exit.START_FAILED
        raise SystemExit(code) from error
    return config


def examine_or_exit(
    file: Path, clusters: Sequence[str]
) -> tuple[MirrorConfig, tuple[Problem, ...]]:
    """Read a properties file and what is wrong in it; exit if it is not one."""
    try:
        config, problems = examine(file, clusters=clusters, environ=os.environ)
    except ConfigError as error:
        emit(RUN_REFUSED, error=error)
        raise SystemExit(Exit.CONFIG) from error
    try:
        check_key_stores(config)
    except ConfigError as error:
        problems = by_line([*problems, *error.problems])
    except EnvironmentProblem as error:
        emit(RUN_REFUSED, error=error)
        if not problems:
            raise SystemExit(Exit.START_FAILED) from error
    return config, problems


def flow_or_exit(file: Path, config: MirrorConfig, flow: str | None) -> FlowConfig:
    """
    Find a flow by name, or the only one between clusters; exit if there is none.

    Args:
        file: The file, for messages.
        config: What it says.
        flow: `S->T`.
    """
    flows = [entry for entry in config.flows if not entry.policy.merges]
    chosen = _chosen(file, flows, flow)
    if len(chosen) != 1:
        refuse(f"{file}: name one of its flows: {_names(flows)}", Exit.CONFIG)
    return chosen[0]


def flows_or_exit(file: Path, config: MirrorConfig, flow: str | None) -> Sequence[FlowConfig]:
    """
    Find a flow by name, or give all; exit if no flow has the name.

    Args:
        file: The file, for messages.
        config: What it says.
        flow: `S->T`.
    """
    return _chosen(file, config.flows, flow)


def _chosen(file: Path, flows: Sequence[FlowConfig], flow: str | None) -> Sequence[FlowConfig]:
    if flow is None:
        return flows
    chosen = [entry for entry in flows if str(entry.flow) == flow]
    if not chosen:
        words = f"there is no enabled flow {flow}; {_what_instead(flow, flows)}"
        refuse(f"{file}: {words}", Exit.CONFIG)
    return chosen


def _what_instead(flow: str, flows: Sequence[FlowConfig]) -> str:
    there_are = f"there are: {_names(flows)}"
    if flow.endswith("-"):
        return f"{there_are} (quote the name: the shell treats > as a redirection)"
    near = nearest(flow, (str(entry.flow) for entry in flows))
    return f"did you mean {near}? {there_are}" if near else there_are


def _names(flows: Sequence[FlowConfig]) -> str:
    return ", ".join(str(entry.flow) for entry in flows)
