"""Damage that makes the rest of a source's log unreadable: where batches end, and their format."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterFactory

from tests.support.batches import CODECS, damage, varied, write_batches
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# The third batch's length, which becomes too small, and its format, for which there is no name.
DAMAGES = (11, 16)
# The first byte behind a batch's header.
_BODY = 61
_END_S_MAX = 60.0


def test_what_cannot_be_read_parks_its_partition(
    start_cluster: ClusterFactory, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What comes before it is copied, the log names the offset, and other partitions go on."""
    a, b = start_cluster("A"), start_cluster("B")
    topic, sent = a.create_topic("malformed", partitions=len(DAMAGES) + 1), varied("malformed", 500)
    for partition in range(len(DAMAGES) + 1):
        write_batches(a, topic, sent, 100, partition=partition)
    a.stop()
    for partition, byte in enumerate(DAMAGES):
        damage(a, topic, partition, byte)
    a.start()
    file = mirror_file(tmp_path, {"A": a, "B": b}, *flow_lines("A->B", topic))
    driver = warm_driver(file, "--until-caught-up")
    assert driver.wait_exit(timeout_s=_END_S_MAX) == 5, driver.text
    for partition in range(len(DAMAGES)):
        assert read(b, f"A.{topic}", partition) == sent[:200]
    line = driver.lines(f"ERROR.*{topic}.*parked")[-1]
    assert re.search(r" 2 partitions parked \(.*\): .*offset 200\b", line), driver.text
    assert read(b, f"A.{topic}", len(DAMAGES)) == sent


@pytest.mark.parametrize("granularity", ["auto", pytest.param("record", marks=pytest.mark.long)])
def test_what_is_no_records_parks_its_partition(
    start_cluster: ClusterFactory, warm_driver: DriverFactory, tmp_path: Path, granularity: str
) -> None:
    """Some brokers take batches that nobody can decompress or take apart, with a right checksum."""
    a, b = start_cluster("A"), start_cluster("B")
    topic, sent = a.create_topic("sealed", partitions=len(CODECS) + 1), varied("sealed", 500)
    for partition, codec in enumerate((*CODECS, "none")):
        write_batches(a, topic, sent, 100, partition=partition, codec=codec)
    a.stop()
    for partition in range(len(CODECS)):
        damage(a, topic, partition, _BODY, sealed=True)
    a.start()
    lines = (f"kmirror.granularity = {granularity}", *flow_lines("A->B", topic))
    driver = warm_driver(mirror_file(tmp_path, {"A": a, "B": b}, *lines), "--until-caught-up")
    assert driver.wait_exit(timeout_s=_END_S_MAX) == 5, driver.text
    for partition, codec in enumerate(CODECS):
        assert read(b, f"A.{topic}", partition) == sent[:200], codec
    line = driver.lines(f"ERROR.*{topic}.*parked")[-1]
    assert re.search(rf" {len(CODECS)} partitions parked \(.*\): .*offset 200\b", line), driver.text
    assert read(b, f"A.{topic}", len(CODECS)) == sent
