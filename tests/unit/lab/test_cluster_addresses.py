"""Where a cluster's nodes listen, and what they tell their clients; nothing is started."""

from __future__ import annotations

from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process.host import Host


def _properties(cluster: Cluster, node_id: int) -> dict[str, str]:
    return dict(cluster.broker(node_id).spec.properties)


def test_a_cluster_lives_where_its_host_is(tmp_path: Path) -> None:
    """Listeners, voters and addresses for clients are the host's."""
    host = Host(address="10.77.0.2", namespace="west")
    cluster = Cluster("B", tmp_path, brokers=2, ports=(9092, 9093), host=host)
    assert cluster.bootstrap == "10.77.0.2:9092,10.77.0.2:9093"
    properties = _properties(cluster, 2)
    assert properties["listeners"].startswith("PLAINTEXT://10.77.0.2:9093,CONTROLLER://10.77.0.2:")
    assert properties["controller.quorum.voters"].count("@10.77.0.2:") == 2
    assert "advertised.listeners" not in properties


def test_clients_may_be_told_another_port(tmp_path: Path) -> None:
    """Of one listener; the others are told as they are, and the controller's is not told."""
    cluster = Cluster(
        "A", tmp_path, ports=(9092,), listeners={"LINK": "PLAINTEXT"}, advertised={"LINK": (7,)}
    )
    told = _properties(cluster, 1)["advertised.listeners"]
    assert told == "PLAINTEXT://127.0.0.1:9092,LINK://127.0.0.1:7"
    assert cluster.bootstrap_of("LINK") != "127.0.0.1:7"
