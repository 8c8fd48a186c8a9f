"""One cluster of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entries, Findings
from kmirror.config.guards import guarded_admin
from kmirror.config.keys.key import split_list
from kmirror.config.place import ARROW
from kmirror.config.resolve import cluster_client, cluster_properties

_IN_TOPIC_NAMES = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterConfig:
    """
    A cluster and how to reach it.

    Args:
        alias: Its name in the file.
        bootstrap_servers: `host:port`, commas between several.
        admin: Properties of an admin client that belongs to no flow.
    """

    alias: str
    bootstrap_servers: str
    admin: ClientProperties


def read_aliases(file: Entries, findings: Findings) -> tuple[str, ...]:
    """Return the aliases in `clusters`; they may have any characters but those that end one."""
    entry = file.get("clusters")
    if entry is None:
        findings.missing("clusters", "expected the aliases of all clusters, separated by commas")
        return ()
    aliases = split_list(entry.text)
    for alias in aliases:
        if ARROW in alias:
            findings.wrong(
                entry,
                f"expected aliases without {ARROW}, which names flows; not {alias}",
            )
    return aliases


def is_in_topic_names(alias: str) -> bool:
    """Whether topics may have *alias* in their names, as the copies from a source do."""
    return _IN_TOPIC_NAMES.fullmatch(alias) is not None


def check_source(file: Entries, alias: str, findings: Findings) -> None:
    """Refuse a source whose topics' copies could not be named; a target may be called anything."""
    if not is_in_topic_names(alias):
        findings.wrong(
            file["clusters"],
            "expected letters, digits, '.', '_' and '-' in the alias of a source, which is in the "
            f"names of its topics' copies; not {alias}",
        )


def build_cluster(file: Entries, alias: str, findings: Findings) -> ClusterConfig:
    """Return the cluster *alias*."""
    servers = cluster_properties(file, alias).get("bootstrap.servers")
    if servers is None:
        findings.missing(
            f"{alias}.bootstrap.servers",
            "expected host:port; separate several with commas",
            file.get("clusters"),
        )
    return ClusterConfig(
        alias=alias,
        bootstrap_servers=",".join(split_list(servers.text)) if servers is not None else "",
        admin=guarded_admin(alias, cluster_client(file, alias, "admin"), findings),
    )
