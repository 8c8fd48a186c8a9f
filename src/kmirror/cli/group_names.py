"""Select consumer groups on the command line, and open them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from kmirror.cli.terminal import pattern
from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.pipeline.jvm_groups import JvmGroups

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


def group_opener(jvm: Any) -> Callable[[str, ClientProperties, float], JvmGroups]:
    """
    Return a function that opens a cluster's groups by alias, properties and time-out of a call.

    Args:
        jvm: The JVM that runs Kafka's admin client.
    """

    def open_groups(alias: str, properties: ClientProperties, timeout_s: float) -> JvmGroups:
        return JvmGroups(jvm, alias, properties, timeout_s=timeout_s)

    return open_groups
