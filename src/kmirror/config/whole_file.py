"""
A driver's whole file that was posted as one connector.

Tutorials show it: `clusters`, `A->B.enabled` and the like, and MirrorMaker 2 refuses it for want of
`source.cluster.alias`. What is meant is plain, so it is all the flows of that file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.config.clusters import ClusterConfig, build_cluster, check_source, read_aliases
from kmirror.config.connector import Connector
from kmirror.config.connector_lines import storage_lines
from kmirror.config.consumers import HeartbeatConfig
from kmirror.config.entry import Entries, Findings
from kmirror.config.flows import FlowConfig, build_flow
from kmirror.config.keys.key import Scope, split_list
from kmirror.config.keys.kmirror import ALIAS_PREFIX, NODES_KEYS, SPARK_PREFIX
from kmirror.config.keys.table import KEYS
from kmirror.config.place import place_of
from kmirror.config.rules import check_flow, enabled_flows, heartbeats, require_flows
from kmirror.config.survey import Survey
from kmirror.config.worker import WorkerConfig, flow_defaults
from kmirror.model import Flow

_SET_BY_CONNECT = frozenset({"connector.class", "name", "config.providers"})
_NODES = {"dedicated.mode.enable.internal.rest", *(key.name for key in NODES_KEYS)}
_OF_CONNECTOR = _SET_BY_CONNECT | {"clusters"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFile:
    """
    What such a connector says.

    Args:
        clusters: In the order of `clusters`.
        flows: Those that are switched on.
        heartbeats: Those to write.
    """

    clusters: tuple[ClusterConfig, ...]
    flows: tuple[FlowConfig, ...]
    heartbeats: tuple[HeartbeatConfig, ...]

    def cluster(self, alias: str) -> ClusterConfig:
        """Return the cluster *alias*; raises KeyError."""
        return {cluster.alias: cluster for cluster in self.clusters}[alias]

    @property
    def pairs(self) -> tuple[Flow, ...]:
        """The flows, and the pairs of clusters with nothing but heartbeats."""
        flows = [config.flow for config in self.flows]
        return tuple(dict.fromkeys((*flows, *(each.flow for each in self.heartbeats))))


def read_whole_file(connector: Connector, worker: WorkerConfig, findings: Findings) -> WholeFile:
    """
    Read it as the driver's file.

    Args:
        connector: The connector.
        worker: The worker's file.
        findings: Receives what is wrong.
    """
    file = flow_defaults(worker) | connector.entries
    aliases = read_aliases(file, findings)
    lines = {name: entry for name, entry in file.items() if name not in _SET_BY_CONNECT}
    Survey(aliases, findings).run(lines)
    _doubt_what_only_drivers_do(connector, aliases, findings)
    flows = enabled_flows(file, aliases, findings)
    require_flows(file, aliases, flows, findings)
    for flow in flows:
        check_flow(file, flow, findings)
        check_source(file, flow.source, findings)
    clusters = {alias: build_cluster(file, alias, findings) for alias in aliases}
    return WholeFile(
        clusters=tuple(clusters.values()),
        flows=tuple(
            build_flow(flow_lines_of(connector, clusters[flow.target], worker), flow, findings)
            for flow in flows
        ),
        heartbeats=heartbeats(file, aliases, findings),
    )


def _doubt_what_only_drivers_do(
    connector: Connector, aliases: Sequence[str], findings: Findings
) -> None:
    """Name the lines that the file of a driver of its own would have an effect in."""
    for name, entry in connector.entries.items():
        place, key = place_of(name, aliases), KEYS.get(name)
        if place.cluster is not None and place.name.startswith(ALIAS_PREFIX):
            findings.doubt(entry, "has no effect in a connector: kmirror run keeps alias topics")
        elif name in _NODES:
            findings.doubt(entry, "has no effect in a connector: workers of one group share flows")
        elif name not in _OF_CONNECTOR and (
            name.startswith(SPARK_PREFIX) or (key is not None and key.scope is Scope.DRIVER)
        ):
            findings.doubt(entry, "has no effect in a connector: write it into the worker's file")


def flow_lines_of(connector: Connector, target: ClusterConfig, worker: WorkerConfig) -> Entries:
    """
    Return the lines of the driver's file for one flow of such a connector.

    Args:
        connector: The connector.
        target: Where the flow goes.
        worker: The worker's file.
    """
    servers = frozenset(split_list(target.bootstrap_servers))
    return storage_lines(servers, worker) | flow_defaults(worker) | connector.entries
