"""Brokers that hold a client back: the copy takes its time, and is complete."""

from __future__ import annotations

import secrets
from datetime import datetime

import pytest
from kmirror_lab.cluster.quota import set_client_quota
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill

from tests.support.bounded import FlowCopier
from tests.support.driver import RUNNING, Driver

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_RECORDS = 40_000
_SIZE_BYTES = 1_000
_LIMIT_BYTES_S = 2_000_000
_TOPICS, _FEW_RECORDS, _CHANGES_S = 40, 20, 2
# A broker allows what was not used in the ten seconds before.
_BURST_S = 11


@pytest.mark.parametrize(
    ("side", "granularity"), [("source", "auto"), ("target", "auto"), ("target", "record")]
)
def test_a_quota_is_kept(
    kafka_pair: ClusterPair, copy_flow: FlowCopier, side: str, granularity: str
) -> None:
    """Answers that come late on purpose are waited for; nothing times out or is sent twice."""
    a, b = kafka_pair
    aliases = f"{side[0].upper()}{granularity[0].upper()}"
    flow = f"{aliases}A->{aliases}B"
    topic = a.create_topic(f"quota-{secrets.token_hex(4)}", partitions=2)
    fill(a.bootstrap, topic, records=_RECORDS, size_bytes=_SIZE_BYTES, partitions=2)
    cluster, limit = (a, "fetch_bytes_s") if side == "source" else (b, "produce_bytes_s")
    set_client_quota(cluster.bootstrap, f"{flow}|kmirror", **{limit: _LIMIT_BYTES_S})
    copy = copy_flow(kafka_pair, flow, topic, f"kmirror.granularity = {granularity}")
    verdict = check(a.bootstrap, b.bootstrap, {topic: f"{aliases}A.{topic}"})
    assert verdict.ok, str(verdict)
    assert not copy.driver.lines("WARNING .*->"), copy.driver.text
    # A second or two when nobody is held back.
    took = moment(copy.driver, "complete") - moment(copy.driver, RUNNING)
    assert took.total_seconds() > _RECORDS * _SIZE_BYTES / _LIMIT_BYTES_S - _BURST_S


def test_few_requests_and_few_new_topics(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> None:
    """A target that lets us do little at a time: topics come one after the other, and all come."""
    a, b = kafka_pair
    flow, name = "QA->QB", f"many-{secrets.token_hex(4)}"
    topics = [a.create_topic(f"{name}-{number}") for number in range(_TOPICS)]
    for topic in topics:
        fill(a.bootstrap, topic, records=_FEW_RECORDS, size_bytes=100)
    limits = {"requests_percent": 1, "changes_s": _CHANGES_S}
    set_client_quota(b.bootstrap, f"{flow}|kmirror", **limits)
    copy = copy_flow(kafka_pair, flow, f"{name}-.*")
    verdict = check(a.bootstrap, b.bootstrap, {topic: f"QA.{topic}" for topic in topics})
    assert verdict.ok, str(verdict)
    assert verdict.records == _TOPICS * _FEW_RECORDS
    assert len(copy.driver.lines("created QA")) == _TOPICS, copy.driver.text


def moment(driver: Driver, pattern: str) -> datetime:
    """Give the time of the last line with *pattern*."""
    return datetime.strptime(driver.lines(pattern)[-1][:23], "%Y-%m-%d %H:%M:%S,%f")
