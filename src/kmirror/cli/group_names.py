"""How commands name consumer groups, and speak to them."""

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
        "--groups", help="A regular expression of whole group names; without, those of the file."
    ),
]


def allowed_groups(config: FlowConfig, groups: str | None) -> Callable[[str], bool]:
    """
    Say which groups are meant.

    Args:
        config: The flow, whose groups count without the option.
        groups: The option's text.
    """
    chosen = pattern("--groups", groups)
    if chosen is None:
        return config.consumers.group_filter().allows
    return chosen.matches


def group_opener(jvm: Any) -> Callable[[str, ClientProperties, float], JvmGroups]:
    """
    Give what opens the consumer groups of a cluster, by alias, properties and deadline of a call.

    Args:
        jvm: Where Kafka's own client runs.
    """

    def open_groups(alias: str, properties: ClientProperties, timeout_s: float) -> JvmGroups:
        return JvmGroups(jvm, alias, properties, timeout_s=timeout_s)

    return open_groups
