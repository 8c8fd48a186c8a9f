"""Limits and priorities: how fast lanes read, in both granularities, and what comes first."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill

from tests.support.commands import reload
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import end_offset, topics_of

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_LIMIT = 1_000_000
_SIZE_BYTES = 1_000
_RECORDS = 20_000
_MEASURED_S = 8.0
_COPIED_S_MAX = 120.0
_STARTED = 1_000


@pytest.mark.parametrize("granularity", ["auto", "record"])
def test_a_limit_is_kept_and_the_first_class_comes_first(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path, granularity: str
) -> None:
    """And a reload takes the limit away, while the flow copies."""
    a, b = kafka_pair
    tag = secrets.token_hex(4)
    source, target = f"S{tag}", f"T{tag}"
    first, later = (a.create_topic(f"{name}-{tag}") for name in ("first", "later"))
    for topic in (first, later):
        fill(a.bootstrap, topic, records=_RECORDS, size_bytes=_SIZE_BYTES)
    settings = [
        f"kmirror.granularity = {granularity}",
        "kmirror.priority = later.*: B",
    ]

    def write(*more: str) -> Path:
        lines = flow_lines(f"{source}->{target}", f"{first}, {later}", *settings, *more)
        return mirror_file(tmp_path, {source: a, target: b}, *lines)

    def copied(topic: str) -> int:
        copy = f"{source}.{topic}"
        return end_offset(b, copy) if copy in topics_of(b) else 0

    file = write(f"kmirror.flow.limit.bytes.per.second = {_LIMIT}")
    driver = warm_driver(file)
    driver.wait_until(lambda: copied(first) >= _STARTED, "the copy", _COPIED_S_MAX)
    began_s, began_first, began_later = time.monotonic(), copied(first), copied(later)
    driver.wait_until(
        lambda: time.monotonic() >= began_s + _MEASURED_S, "some seconds", 3 * _MEASURED_S
    )
    passed_s = time.monotonic() - began_s
    copied_first, copied_later = copied(first) - began_first, copied(later) - began_later
    copied_bytes = (copied_first + copied_later) * _SIZE_BYTES
    rate = copied_bytes / passed_s
    # A busy machine may be slower, but not faster; markers of transactions are offsets, too.
    assert 0.7 * _LIMIT <= rate <= 1.15 * _LIMIT, rate
    # What the first class does not take for a moment, on a busy machine, is the later one's.
    assert copied_later <= 0.25 * copied_first, "the first class has not caught up"

    write()
    assert reload(file).code == 0
    unlimited_s = time.monotonic()
    driver.wait_until(lambda: copied(later) >= _RECORDS, "the rest", _COPIED_S_MAX)
    left = 2 * _RECORDS * _SIZE_BYTES - copied_bytes
    assert time.monotonic() - unlimited_s < 0.9 * left / _LIMIT, "nothing was limited any more"
    assert driver.stop() == 0
    verdict = check(
        a.bootstrap, b.bootstrap, {topic: f"{source}.{topic}" for topic in (first, later)}
    )
    assert verdict.ok, str(verdict)
