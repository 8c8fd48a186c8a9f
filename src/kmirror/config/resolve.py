"""
Which line of the file counts for which client and which flow.

The steps and their order are `MirrorMakerConfig`'s: `clusterProps`, `workerConfig` and
`connectorBaseConfig`, then the client precedence of `MirrorConnectorConfig`. Surprises are
kept: whoever moves from MM2 must get the same settings.
"""

from __future__ import annotations

from kmirror.config.client_settings import SETTINGS_OF_ROLE
from kmirror.config.entry import Entries
from kmirror.config.keys.table import CLIENT_NAMES, CONNECTOR_NAMES, KEYS
from kmirror.model import Flow

ROLES = tuple(f"{role}." for role in SETTINGS_OF_ROLE)

# These reach the worker from the top level, and win over `T.…` there.
_WORKER_PREFIXES = (
    "offset.storage",
    "config.storage",
    "status.storage",
    "key.converter",
    "value.converter",
    "header.converter",
    "task",
    "worker",
    "replication.policy",
)


def stripped(entries: Entries, prefix: str) -> Entries:
    """Return the entries whose names begin with *prefix*, without it."""
    return {name.removeprefix(prefix): e for name, e in entries.items() if name.startswith(prefix)}


def cluster_properties(file: Entries, alias: str) -> Entries:
    """Everything of cluster *alias*: for a client `A.producer.x` wins over `A.x` over `x`."""
    found = stripped(file, f"{alias}.")
    for name in CLIENT_NAMES:
        if name in found:
            for role in ROLES:
                found.setdefault(role + name, found[name])
    for name in CLIENT_NAMES:
        if name in file:
            for role in (*ROLES, ""):
                found.setdefault(role + name, file[name])
    return found


def worker_properties(file: Entries, flow: Flow) -> Entries:
    """Return the Connect worker's settings for *flow*: the target's, and some of the top level."""
    found = cluster_properties(file, flow.target)
    found.update({name: e for name, e in file.items() if name.startswith(_WORKER_PREFIXES)})
    return found


def connector_properties(file: Entries, flow: Flow) -> Entries:
    """Return the connectors' settings: top level < clusters < `S->T.`; rename old names."""
    found = {
        name: e
        for name, e in file.items()
        if name in CONNECTOR_NAMES or name.startswith("replication.policy")
    }
    for end, alias in (("source", flow.source), ("target", flow.target)):
        for name, e in cluster_properties(file, alias).items():
            found[f"{end}.{name}" if name.startswith(ROLES) else f"{end}.cluster.{name}"] = e
    found.update(stripped(file, f"{flow}."))
    for name, key in KEYS.items():
        if key.replaced_by is not None and name in found:
            found.setdefault(key.replaced_by, found[name])
    return found


def cluster_client(file: Entries, alias: str, role: str) -> Entries:
    """Return the properties of a client of *alias* that belongs to no flow."""
    return stripped(cluster_properties(file, alias), f"{role}.")


def end_client(connector: Entries, end: str, role: str) -> Entries:
    """
    Return the properties of a flow's own client (`MirrorConnectorConfig.sourceConsumerConfig`, …).

    Args:
        connector: The flow's connector properties.
        end: `source` or `target`.
        role: `consumer` or `admin`.
    """
    inherited = stripped(connector, f"{end}.cluster.")
    found = {name: inherited[name] for name in CLIENT_NAMES if name in inherited}
    found.update(stripped(connector, f"{role}."))
    found.update(stripped(connector, f"{end}.{role}."))
    return found


def data_producer(worker: Entries, connector: Entries) -> Entries:
    """Return the properties of the producer of records: the worker's, then the overrides."""
    return stripped(worker, "producer.") | stripped(connector, "producer.override.")
