"""Kafka's own tools, for what librdkafka's admin client cannot do."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process.jvm_command import kafka_command, run_tool
from kmirror_lab.process.waiting import wait_until

_REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
_ELECT = "org.apache.kafka.tools.LeaderElectionCommand"
_TRANSACTIONS = "org.apache.kafka.tools.TransactionsCommand"
_ANSWER_S_MAX = 60


def move_replicas(cluster: Cluster, topic: str, replicas: Mapping[int, Sequence[int]]) -> None:
    """Give partitions other replicas, the preferred leader first, and wait until they have them."""
    wanted = [
        {"topic": topic, "partition": number, "replicas": list(nodes)}
        for number, nodes in replicas.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps({"version": 1, "partitions": wanted}), encoding="utf-8")
        words = [_REASSIGN, "--bootstrap-server", cluster.bootstrap]
        words += ["--reassignment-json-file", str(plan), "--execute"]
        run_tool(kafka_command(*words, folder=Path(folder)), f"the replicas of {topic}")

    def moved() -> bool:
        found = cluster.admin().list_topics(topic, timeout=_ANSWER_S_MAX).topics[topic].partitions
        return all(
            [*found[number].replicas] == [*nodes] and {*found[number].isrs} == {*nodes}
            for number, nodes in replicas.items()
        )

    wait_until(moved, f"{topic} has its new replicas", timeout_s=_ANSWER_S_MAX)


def elect_preferred(cluster: Cluster) -> None:
    """Have every partition led by its preferred leader."""
    # librdkafka's admin client could do that, but its Python binding refuses every call of it.
    words = (_ELECT, "--bootstrap-server", cluster.bootstrap, "--election-type", "preferred")
    with tempfile.TemporaryDirectory() as folder:
        command = kafka_command(*words, "--all-topic-partitions", folder=Path(folder))
        run_tool(command, "preferred leaders")


def transactional_ids(cluster: Cluster) -> set[str]:
    """Name the transactional ids that a cluster remembers."""
    lines = _transactions(cluster, "list").splitlines()
    return {line.split()[0] for line in lines[1:] if line.strip()}


def abort_transaction(cluster: Cluster, topic: str, partition: int, start_offset: int) -> None:
    """End a transaction that its producer has left open."""
    words = ("abort", "--topic", topic, "--partition", str(partition))
    _transactions(cluster, *words, "--start-offset", str(start_offset))


def _transactions(cluster: Cluster, *words: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = (_TRANSACTIONS, "--bootstrap-server", cluster.bootstrap, *words)
        return run_tool(kafka_command(*command, folder=Path(folder)), "transactions")
