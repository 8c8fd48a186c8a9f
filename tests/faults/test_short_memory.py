"""The JVM has little memory: enough for many large records, or the process says that it ends."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.cli.exits import Exit
from tests.support.bounded import copy_once
from tests.support.commands import verify
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import record, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

# What Spark itself asks for is hardly less.
_HEAP = "kmirror.spark.driver.memory = 512m"
_RECORD_BYTES = 1_000_000
_PARTITIONS, _RECORDS = 50, 200
# More than the heap, all of which would be on its way.
_HUGE_PARTITIONS, _HUGE_RECORDS = 16, 30
# A record becomes as large as a gigabyte.
_TIMES = 1000
_ENDS_S_MAX = 300.0


def _write(cluster: Cluster, topic: str, partitions: int, records: int) -> None:
    """Write so many records to each partition; no two of them are the same."""
    body = secrets.token_bytes(_RECORD_BYTES)
    for partition in range(partitions):
        values = (b"%d-%d-" % (partition, number) + body for number in range(records))
        write(cluster, topic, [record(value) for value in values], partition=partition)


def _is_copied(file: Path, run_driver: DriverFactory) -> None:
    """All is copied, with the memory that there is."""
    driver = copy_once(run_driver, file)
    assert not driver.lines("OutOfMemory"), driver.text
    answer = verify(file)
    assert answer.code == 0, answer.text


def test_many_large_records(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
    new_topic: Callable[..., str],
    tmp_path: Path,
) -> None:
    """More than the heap holds, from many partitions: they are copied as there is room."""
    a, b = kafka_pair
    topic = new_topic(a, "large", partitions=_PARTITIONS)
    _write(a, topic, _PARTITIONS, _RECORDS // _PARTITIONS)
    label = secrets.token_hex(4)
    flows = [f"{name}{label}->T{label}" for name in ("S", "R")]
    clusters = {f"S{label}": a, f"R{label}": a, f"T{label}": b}
    file = mirror_file(
        tmp_path,
        clusters,
        *flow_lines(flows[0], topic),
        *flow_lines(flows[1], topic, "kmirror.granularity = record"),
        _HEAP,
    )
    _is_copied(file, run_driver)


@pytest.mark.long
def test_large_answers(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
    new_topic: Callable[..., str],
    tmp_path: Path,
) -> None:
    """Eight slots with answers as large as brokers give them do not fit: smaller ones come."""
    a, b = kafka_pair
    topic = new_topic(a, "huge", partitions=_HUGE_PARTITIONS)
    _write(a, topic, _HUGE_PARTITIONS, _HUGE_RECORDS)
    label = secrets.token_hex(4)
    flow = f"S{label}->T{label}"
    huge = [
        f"S{label}.consumer.{key} = 55000000"
        for key in ("fetch.max.bytes", "max.partition.fetch.bytes")
    ]
    lines = [*flow_lines(flow, topic), f"{flow}.kmirror.slots = 8", *huge, _HEAP]
    file = mirror_file(tmp_path, {f"S{label}": a, f"T{label}": b}, *lines)
    _is_copied(file, run_driver)


def test_too_little(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
    new_topic: Callable[..., str],
    tmp_path: Path,
) -> None:
    """A value is larger than the heap: the process ends, says why, and the next one goes on."""
    a, b = kafka_pair
    topic = new_topic(a, "grown")
    _write(a, topic, 1, 1)
    label = secrets.token_hex(4)
    flow = f"S{label}->T{label}"
    clusters = {f"S{label}": a, f"T{label}": b}
    lines = flow_lines(flow, topic)
    grown = f"kmirror.select.value = cast(repeat(cast(value as string), {_TIMES}) as binary)"
    file = mirror_file(tmp_path, clusters, *flow_lines(flow, topic, grown), _HEAP)
    driver = run_driver(file, "--until-caught-up")
    assert driver.wait_exit(timeout_s=_ENDS_S_MAX) == Exit.START_FAILED, driver.text
    assert driver.lines("ERROR.*OutOfMemoryError")
    (line,) = driver.lines("ERROR.*Spark's JVM .* ended")
    assert "kmirror.spark.driver.memory" in line
    _is_copied(mirror_file(tmp_path, clusters, *lines), run_driver)
