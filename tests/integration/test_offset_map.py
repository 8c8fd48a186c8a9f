"""The exact offset map, as lanes write it beside what they copy."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.fill import fill
from kmirror_lab.oracle.record import Content
from kmirror_lab.oracle.workload import Workload

from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import load
from kmirror.ends.clients import open_clients
from kmirror.ends.discovery import Discovery
from kmirror.ends.flow_ends import open_ends
from kmirror.ends.translation import Translator, translator_from_outside
from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import offset_map_topic
from kmirror.wire.offset_runs import Chunk, decode_chunk
from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory, write_properties
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.offset_map import check_offset_map
from tests.support.records import delete_before, read, record, write

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
    config = copied(kafka_pair, Flow("PA", "PB"), topic, warm_driver, tmp_path)
    before = len(live_chunks(b))
    assert before > 2
    for cluster, name in ((a, topic), (b, f"PA.{topic}")):
        delete_before(cluster, name, _BULK_RECORDS // 2)
    with translator_of(config) as translator:
        translator.prune()
        left = live_chunks(b)
        assert 0 < len(left) < before
        assert max(chunk.end for chunk in left) == _BULK_RECORDS
        # Markers have offsets on the target, so it may need a chunk that the source does not.
        half = _BULK_RECORDS // 2
        assert all(max(chunk.end, chunk.runs[-1].target_end) > half for chunk in left)
        wanted = _BULK_RECORDS - 10
        assert translator.to_target(TopicPartition(topic, 0), wanted) is not None


def test_logs_that_begin_in_a_gap(
    kafka_pair: ClusterPair,
    warm_driver: DriverFactory,
    topic_name: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """A killed driver has left it; retention has come to it since, on one side and then on both."""
    a, b = kafka_pair
    topic = a.create_topic(topic_name("begun"), partitions=1)
    config = copied(kafka_pair, Flow("GA", "GB"), topic, warm_driver, tmp_path)
    name, place = offset_map_topic(config.flow), TopicPartition(topic, 0)
    chunks = sorted(live_chunks(b, name), key=lambda chunk: chunk.start)
    gap = chunks[len(chunks) // 2]
    starts = [gap.start + 100, gap.start + 200, gap.start + 300]
    with translator_of(config) as translator:
        translator.settle(lambda: [translator.to_target(place, at) for at in starts])
        expected = [translator.to_target(place, at) for at in starts]
    assert None not in expected
    for begun, (cluster, log) in enumerate(((a, topic), (b, f"GA.{topic}"), (a, topic))):
        # It is a gap again, as if nobody had filled it.
        write(b, name, [record(None, key=each.key) for each in read(b, name) if is_in(each, gap)])
        to = starts[begun] if cluster is a else expected[begun]
        delete_before(cluster, log, to or 0)
        wanted = starts[begun]
        with translator_of(config) as translator:
            translator.settle(lambda: translator.to_target(place, wanted))  # noqa: B023 - at once
            assert translator.to_target(place, wanted) == expected[begun]
            assert translator.to_target(place, gap.end) is not None


MAP = offset_map_topic(Flow("PA", "PB"))


def copied(
    pair: ClusterPair, flow: Flow, topic: str, warm_driver: DriverFactory, folder: Path
) -> FlowConfig:
    """Fill a topic, and have it copied in transactions that make several chunks."""
    fill(pair.a.bootstrap, topic, records=_BULK_RECORDS, size_bytes=20, partitions=1)
    file = mirror_file(
        folder,
        {flow.source: pair.a, flow.target: pair.b},
        *flow_lines(str(flow), topic, "kmirror.commit.bytes.max = 1048576"),
    )
    copy_once(warm_driver, file)
    return load(file, environ={}).flow(flow)


@contextmanager
def translator_of(config: FlowConfig) -> Iterator[Translator]:
    """Give what is known of a flow that nobody drives."""
    clients = open_clients(config, SystemClock())
    with closing(clients), ExitStack() as opened:
        ends = open_ends(opened, config, clients, timeout_s=30, clock=SystemClock())
        translator = translator_from_outside(config, ends)
        translator.follow(
            Discovery(config, clients.source, clients.target, SystemClock()).present()
        )
        yield translator


def is_in(content: Content, gap: Chunk) -> bool:
    """Tell whether a record of the map's topic speaks of a gap."""
    chunk = decode_chunk(content.key, content.value)
    return chunk is not None and gap.start <= chunk.start < gap.end


def live_chunks(cluster: Cluster, name: str = MAP) -> list[Chunk]:
    """Give the chunks of a map's topic as a compaction would leave them."""
    newest = {each.key: each.value for each in read(cluster, name)}
    chunks = (decode_chunk(key, value) for key, value in newest.items())
    return [chunk for chunk in chunks if chunk is not None]
