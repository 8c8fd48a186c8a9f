"""Properties files for any number of clusters and flows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster

KEEPS_SETTINGS = "sync.topic.configs.enabled = false"
"""A line for tests that give a copy settings of its own: a flow would take them back."""


def mirror_file(folder: Path, clusters: Mapping[str, Cluster | str], *lines: str) -> Path:
    """
    Write an `mm2.properties`.

    Args:
        folder: Where; made if need be.
        clusters: By alias, or their addresses. Two aliases may be one cluster: flows between
            other aliases have other names, groups and policies, and one process can run them
            side by side.
        lines: The rest; flows are off until one enables them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = [
        f"clusters = {', '.join(clusters)}",
        *(f"{alias}.bootstrap.servers = {_address(clusters[alias])}" for alias in clusters),
        "replication.factor = 1",
        "offset.storage.replication.factor = 1",
        # 25 unless given: a start reads each of them.
        "offset.storage.partitions = 1",
        # Heartbeats are copied whatever `topics` says; clusters are shared with other tests.
        "heartbeats.replication.enabled = false",
        "emit.heartbeats.enabled = false",
        *lines,
    ]
    path = folder / "mm2.properties"
    path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return path


def _address(cluster: Cluster | str) -> str:
    return cluster if isinstance(cluster, str) else cluster.bootstrap


def flow_lines(flow: str, topics: str, *settings: str) -> list[str]:
    """Give the lines that switch *flow* on for *topics*, with more of its settings."""
    enabled = [f"{flow}.enabled = true", f"{flow}.topics = {topics}", f"{flow}.kmirror.slots = 1"]
    return [*enabled, *(f"{flow}.{setting}" for setting in settings)]


def example(path: Path, folder: Path, replaced: Mapping[str, str]) -> Path:
    """Copy an example file with some of its texts replaced; each of them has to be there."""
    text = path.read_text(encoding="utf-8")
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    return copy
