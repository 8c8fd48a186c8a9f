"""The exact offset map, as lanes write it beside what they copy."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.fill import fill
from kmirror_lab.oracle.workload import Workload

from kmirror.clock import SystemClock
from kmirror.config.load import load
from kmirror.ends.clients import open_clients
from kmirror.ends.discovery import Discovery
from kmirror.ends.translation import Translator, open_ends
from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import offset_map_topic
from kmirror.wire.offset_runs import Chunk, decode_chunk
from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory, write_properties
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.offset_map import check_offset_map
from tests.support.records import delete_before, read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_BULK_RECORDS = 400_000
_RECORDS = 5_000
_log = logging.getLogger(__name__)


@pytest.mark.parametrize("granularity", ["auto", "record"])
def test_every_record_is_found(
    kafka_pair: ClusterPair,
    warm_driver: DriverFactory,
    topic_name: Callable[[str], str],
    tmp_path: Path,
    granularity: str,
) -> None:
    """
    Of a large copy, and of transactions of which every fourth was aborted, copied as they came.

    The driver is stopped and started in between; each time it stops it writes the rest down.
    """
    a, b = kafka_pair
    bulk = a.create_topic(topic_name("bulk"), partitions=2)
    live = a.create_topic(topic_name("live"), partitions=2)
    topics = {topic: f"A.{topic}" for topic in (bulk, live)}
    file = write_properties(
        tmp_path / "drivers", a, b, f"kmirror.granularity = {granularity}", topics=f"{bulk},{live}"
    )
    fill(a.bootstrap, bulk, records=_BULK_RECORDS, size_bytes=60, partitions=2)
    for number in range(2):
        workload = Workload(
            bootstrap=a.bootstrap,
            topic=live,
            partitions=2,
            ledger=tmp_path / f"ledger-{number}.jsonl",
            records=_RECORDS,
            rate=1_000,
            seed=number,
            producer=number,
            abort_every=4,
        ).start()
        driver = warm_driver(file)
        workload.wait(timeout_s=120)
        driver.wait_until_caught_up(a, b, topics)
        assert driver.stop() == 0, driver.text
    coverage = check_offset_map(a, b, topics)
    _log.warning("%s", coverage)
    assert coverage.records > _BULK_RECORDS + _RECORDS
    assert coverage.mapped == coverage.records


def test_what_both_clusters_have_deleted(
    kafka_pair: ClusterPair,
    warm_driver: DriverFactory,
    topic_name: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """Its chunks are taken out of the map's topic; the others stay."""
    a, b = kafka_pair
    topic = a.create_topic(topic_name("pruned"), partitions=1)
    fill(a.bootstrap, topic, records=_BULK_RECORDS, size_bytes=20, partitions=1)
    file = mirror_file(
        tmp_path,
        {"PA": a, "PB": b},
        *flow_lines("PA->PB", topic, "kmirror.commit.bytes.max = 1048576"),
    )
    copy_once(warm_driver, file)
    config = load(file, environ={}).flow(Flow("PA", "PB"))
    before = len(live_chunks(b))
    assert before > 2
    for cluster, name in ((a, topic), (b, f"PA.{topic}")):
        delete_before(cluster, name, _BULK_RECORDS // 2)
    clients = open_clients(config, SystemClock())
    with closing(clients), ExitStack() as opened:
        ends = open_ends(opened, config, clients, timeout_s=30, clock=SystemClock())
        translator = Translator(config.flow, MAP, ends, changed=())
        translator.follow(
            Discovery(config, clients.source, clients.target, SystemClock()).present()
        )
        translator.prune()
        left = live_chunks(b)
        assert 0 < len(left) < before
        assert max(chunk.end for chunk in left) == _BULK_RECORDS
        # Markers have offsets on the target, so it may need a chunk that the source does not.
        half = _BULK_RECORDS // 2
        assert all(max(chunk.end, chunk.runs[-1].target_end) > half for chunk in left)
        wanted = _BULK_RECORDS - 10
        assert translator.to_target(TopicPartition(topic, 0), wanted) is not None


MAP = offset_map_topic(Flow("PA", "PB"))


def live_chunks(cluster: Cluster) -> list[Chunk]:
    """Give the chunks of the map's topic as a compaction would leave them."""
    newest = {each.key: each.value for each in read(cluster, MAP)}
    chunks = (decode_chunk(key, value) for key, value in newest.items())
    return [chunk for chunk in chunks if chunk is not None]
