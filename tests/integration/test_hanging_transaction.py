"""A transaction that its producer never ends: it holds back its partition, and no other."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.batches import Transactions, varied
from tests.support.driver import DriverFactory
from tests.support.kafka_tools import abort_transaction
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_COPIED_S_MAX = 60.0


def test_it_is_aborted_by_an_operator(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Then what is behind it follows, and nothing of it."""
    a, b = kafka_pair
    topic = a.create_topic(f"hanging-{secrets.token_hex(4)}", partitions=2)
    before, behind, beside = (numbered(label, range(50)) for label in ("old", "new", "other"))
    write(a, topic, before)
    writer = Transactions(a)
    writer.begin()
    writer.write(topic, varied("open", 80))
    write(a, topic, behind)
    file = mirror_file(tmp_path, {"HA": a, "HB": b}, *flow_lines("HA->HB", topic))
    driver = warm_driver(file)
    driver.wait_running()
    write(a, topic, beside, partition=1)
    copy = f"HA.{topic}"
    driver.wait_until(lambda: read(b, copy, 1) == beside, "the neighbour", _COPIED_S_MAX)
    assert read(b, copy) == before
    abort_transaction(a, topic, 0, start_offset=len(before))
    driver.wait_until(lambda: read(b, copy) == [*before, *behind], "the rest", _COPIED_S_MAX)
    assert driver.stop() == 0
    assert read(a, topic) == [*before, *behind]
