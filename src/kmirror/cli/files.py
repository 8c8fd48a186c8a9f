"""How commands read a properties file: whatever is wrong with it ends them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig, load
from kmirror.errors import ConfigError

File = Annotated[Path, typer.Argument(help="MirrorMaker 2's properties file.")]


def load_or_exit(file: Path, clusters: Sequence[str] = ()) -> MirrorConfig:
    """Load a properties file; one that is wrong ends the process with everything found."""
    try:
        return load(file, clusters=clusters, environ=os.environ)
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.CONFIG) from error


def flow_or_exit(file: Path, config: MirrorConfig, flow: str | None) -> FlowConfig:
    """
    Give the flow of a name, or the only one between clusters; without it the process ends.

    Args:
        file: The file, for the message.
        config: What it says.
        flow: `S->T`.
    """
    flows = [entry for entry in config.flows if not entry.policy.merges]
    chosen = [entry for entry in flows if flow in {None, str(entry.flow)}]
    if len(chosen) != 1:
        names = ", ".join(str(entry.flow) for entry in flows)
        print(f"{file}: name one flow; there are: {names}", file=sys.stderr)
        raise SystemExit(Exit.CONFIG)
    return chosen[0]
