"""What a file says of the nodes that share its flows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.config.entry import Entries, Findings
from kmirror.config.flows import FlowConfig
from kmirror.config.keys.table import is_secret_name
from kmirror.config.settings import Settings

_DIGEST_LENGTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesConfig:
    """
    Several nodes share the flows of a file.

    Args:
        group_id: What they have in common.
        cluster: Where they meet, by its alias.
        replication_factor: Of the topic in which they do; -1 leaves it to the brokers.
    """

    group_id: str
    cluster: str
    replication_factor: int


def read_nodes(
    file: Entries, aliases: Sequence[str], flows: Sequence[FlowConfig], findings: Findings
) -> NodesConfig | None:
    """
    Read what a file says of its nodes; `None` where it is for one.

    Args:
        file: Its lines, references expanded.
        aliases: Its clusters.
        flows: Those that this node may run.
        findings: Receives what is wrong.
    """
    settings = Settings(file, findings)
    several = settings.flag("dedicated.mode.enable.internal.rest")
    said = settings.text_or_none("kmirror.nodes")
    place = settings.entry("kmirror.nodes.cluster")
    if place is not None and place.text not in aliases:
        findings.wrong(place, f"expected one of {', '.join(aliases)}")
        return None
    if (said != "several") if said else not several:
        return None
    targets = {each.target_cluster for each in flows}
    meeting = next((alias for alias in aliases if alias in targets), None)
    cluster = meeting if place is None else place.text
    if cluster is None:
        return None  # without flows there is nothing to share
    factors = [
        each.offset_storage_replication_factor for each in flows if each.target_cluster == cluster
    ]
    return NodesConfig(
        group_id=settings.text("kmirror.nodes.group.id"),
        cluster=cluster,
        replication_factor=factors[0] if factors else -1,
    )


def file_digest(file: Entries) -> str:
    """
    Return what is the same for files that say the same, whatever their comments and order.

    Passwords count for nothing, so that nobody can try any against it.

    Args:
        file: The lines as they are written: references may lead to other values on each machine.
    """
    said = sorted(
        f"{entry.key}={'' if entry.secret or is_secret_name(entry.key) else entry.text}"
        for entry in file.values()
    )
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()[
        :_DIGEST_LENGTH
    ]
