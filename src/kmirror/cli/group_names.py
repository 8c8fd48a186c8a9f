"""Select consumer groups on the command line, and open them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from kmirror.cli.terminal import pattern
from kmirror.config.flows import FlowConfig

Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        help="Regular expression that matches whole group names. Default: the file's groups.",
    ),
]


def allowed_groups(config: FlowConfig, groups: str | None) -> Callable[[str], bool]:
    """
    Return a test that says whether a group is selected.

    Args:
        config: The flow; its groups are the default.
        groups: The option's text.
    """
    chosen = pattern("--groups", groups)
    if chosen is None:
        return config.consumers.group_filter().allows
    return chosen.matches
