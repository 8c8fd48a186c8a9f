"""The clusters of `kmirror lab up`, written down so that a later command finds them."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process import process
from kmirror_lab.process.process import ProcessId

_FILE = "lab.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """
    A node that was started.

    Args:
        node_id: Its number in its cluster.
        process: Its process, alive or not.
    """

    node_id: int
    process: ProcessId


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterState:
    """
    A cluster that was started.

    Args:
        name: Its name, and its folder's.
        bootstrap: `bootstrap.servers` of it.
        nodes: Its nodes.
    """

    name: str
    bootstrap: str
    nodes: tuple[NodeState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabState:
    """
    The clusters of one folder.

    Args:
        clusters: In the order in which they were named.
    """

    clusters: tuple[ClusterState, ...]

    def properties(self) -> str:
        """Write the clusters as the first lines of an `mm2.properties`."""
        lines = ["clusters = " + ", ".join(cluster.name for cluster in self.clusters)]
        lines += [
            f"{cluster.name}.bootstrap.servers = {cluster.bootstrap}" for cluster in self.clusters
        ]
        return "".join(f"{line}\n" for line in lines)


def state_of(clusters: list[Cluster]) -> LabState:
    """Describe clusters whose nodes have been launched."""
    return LabState(
        clusters=tuple(
            ClusterState(
                name=cluster.name,
                bootstrap=cluster.bootstrap,
                nodes=tuple(
                    NodeState(node_id=broker.node_id, process=broker.process)
                    for broker in cluster.brokers
                    if broker.process is not None
                ),
            )
            for cluster in clusters
        )
    )


def save(folder: Path, state: LabState) -> None:
    """Write *state* into *folder*, completely or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{_FILE}"
    draft.write_text(json.dumps(asdict(state), indent=2) + "\n")
    draft.rename(folder / _FILE)


def load(folder: Path) -> LabState | None:
    """Read the state of *folder*; None when there is no lab."""
    try:
        text = (folder / _FILE).read_text()
    except FileNotFoundError:
        return None
    found = json.loads(text)["clusters"]
    return LabState(clusters=tuple(cluster_from_json(cluster) for cluster in found))


def cluster_from_json(found: dict[str, Any]) -> ClusterState:
    """Read one cluster out of a state's JSON."""
    return ClusterState(
        name=found["name"],
        bootstrap=found["bootstrap"],
        nodes=tuple(
            NodeState(node_id=node["node_id"], process=ProcessId(**node["process"]))
            for node in found["nodes"]
        ),
    )


def bring_down(folder: Path, state: LabState, *, timeout_s: float = 30) -> None:
    """
    End every node of *state* that still runs, and remove what the lab put into *folder*.

    Args:
        folder: The lab's folder; foreign files in it stay.
        state: What `load` gave.
        timeout_s: After this a node is killed.
    """
    nodes = [node.process for cluster in state.clusters for node in cluster.nodes]
    with ThreadPoolExecutor(max_workers=max(1, len(nodes))) as pool:
        list(pool.map(lambda node: process.end(node, timeout_s=timeout_s), nodes))
    for cluster in state.clusters:
        shutil.rmtree(folder / cluster.name, ignore_errors=True)
    (folder / _FILE).unlink(missing_ok=True)
