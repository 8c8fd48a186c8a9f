"""The real MirrorMaker 2 runs in the lab, and the oracle agrees with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.cluster.mirror import mirror_maker_2
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.workload import Workload
from kmirror_lab.process.waiting import wait_until

pytestmark = pytest.mark.kafka


def test_mirror_maker_2_mirrors(
    kafka_pair: ClusterPair, topic_name: Callable[[str], str], tmp_path: Path
) -> None:
    """Awkward records reach B unchanged; the process is measured and stops."""
    a, b = kafka_pair
    topic = a.create_topic(topic_name("peer"))
    spec = Workload(
        bootstrap=a.bootstrap,
        topic=topic,
        partitions=1,
        ledger=tmp_path / "ledger.jsonl",
        records=500,
    )
    spec.start().wait(timeout_s=60)
    peer = mirror_maker_2(
        f"""
        clusters = A, B
        A.bootstrap.servers = {a.bootstrap}
        B.bootstrap.servers = {b.bootstrap}
        A->B.enabled = true
        A->B.topics = {topic}
        B->A.enabled = false
        replication.factor = 1
        checkpoints.topic.replication.factor = 1
        heartbeats.topic.replication.factor = 1
        offset-syncs.topic.replication.factor = 1
        offset.storage.replication.factor = 1
        status.storage.replication.factor = 1
        config.storage.replication.factor = 1
        producer.max.request.size = 2000000
        """,
        tmp_path / "mm2",
    )
    peer.start()
    try:
        reader = consumer(b.bootstrap)
        mirror = f"A.{topic}"

        def arrived() -> bool:
            assert peer.running(), peer.log.read_text()
            if mirror not in b.admin().list_topics(timeout=30).topics:
                return False
            return reader.get_watermark_offsets(TopicPartition(mirror, 0), timeout=30)[1] == 500

        wait_until(arrived, f"{mirror} has its records", timeout_s=120, pause_s=0.5)
        reader.close()
        assert peer.usage().cpu_s > 0
        assert peer.usage().rss_bytes > 50_000_000
        peer.stop()
        assert not peer.running()
    finally:
        peer.kill()
    verdict = check(a.bootstrap, b.bootstrap, {topic: mirror}, ledgers=[spec.ledger])
    assert verdict.ok, str(verdict)
