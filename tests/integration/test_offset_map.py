"""The exact offset map, as lanes write it beside what they copy."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from driver import DriverFactory, write_properties
from offset_map import check_offset_map

from kmirror.lab.fill import fill
from kmirror.lab.fixtures import ClusterPair
from kmirror.lab.workload import Workload

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_BULK_RECORDS = 400_000
_RECORDS = 5_000
_log = logging.getLogger(__name__)


@pytest.mark.parametrize("granularity", ["auto", "record"])
def test_every_record_is_found(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
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
        driver = run_driver(file)
        workload.wait(timeout_s=120)
        driver.wait_until_caught_up(a, b, topics)
        assert driver.stop() == 0, driver.text
    coverage = check_offset_map(a, b, topics)
    _log.warning("%s", coverage)
    assert coverage.records > _BULK_RECORDS + _RECORDS
    assert coverage.mapped == coverage.records
