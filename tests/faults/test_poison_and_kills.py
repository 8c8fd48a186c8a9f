"""Drivers die while they leave records out: none is kept twice, and no other is missing."""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.bounded import copy_once
from tests.support.commands import dlq, start_dlq
from tests.support.driver import DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import end_offset, numbered, read, record, write
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_RECORDS = 3000
_POISON_EVERY = 50
_LIVES = 4
_LIFE_S_MAX = 120.0
_TOO_LARGE = 30_000
_LETTERS = 60
_log = logging.getLogger(__name__)


@pytest.mark.long
def test_kills_while_records_are_left_out(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
    topic_name: Callable[[str], str],
    tmp_path: Path,
    seed: int,
) -> None:
    """SIGKILL at random places between 60 records that the target refuses."""
    a, b = kafka_pair
    rng = random.Random(seed)
    copies = {}
    for policy in ("skip", "dlq"):
        topic = a.create_topic(f"{topic_name('left')}-{policy}")
        b.create_topic(f"QA.{topic}", config={"max.message.bytes": "20000"})
        records = numbered(policy, range(_RECORDS))
        for at in range(0, _RECORDS, _POISON_EVERY):
            records[at] = record(secrets.token_bytes(_TOO_LARGE), key=b"poison")
        write(a, topic, records)
        copies[topic] = records
    kept_topic, skipped_topic = (next(t for t in copies if t.endswith(p)) for p in ("dlq", "skip"))
    lines = (
        KEEPS_SETTINGS,
        "kmirror.poison = .*-skip: skip, dlq",
        "kmirror.commit.bytes.max = 4096",
    )
    topics = "|".join(copies)
    file = mirror_file(tmp_path, {"QA": a, "QB": b}, *lines, *flow_lines("QA->QB", topics))
    for life in range(_LIVES):
        before = end_offset(b, f"QA.{kept_topic}")
        more = rng.randint(1, _RECORDS // (2 * _LIVES))
        driver = run_driver(file)
        wait_until(
            partial(_has, b, f"QA.{kept_topic}", before + more),
            "the copy grows",
            timeout_s=_LIFE_S_MAX,
        )
        driver.kill()
        _log.warning("life %d: %d -> %d", life, before, end_offset(b, f"QA.{kept_topic}"))
    copy_once(run_driver, file)
    poison = [each for each in copies[kept_topic] if each.key == b"poison"]
    kept = read(b, "kmirror-dlq.QA")
    assert [each.value for each in kept] == [each.value for each in poison]
    for topic in (kept_topic, skipped_topic):
        others = [each for each in copies[topic] if each.key != b"poison"]
        assert read(b, f"QA.{topic}") == others


@pytest.mark.long
def test_kills_while_letters_are_replayed(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
    topic_name: Callable[[str], str],
    tmp_path: Path,
    seed: int,
) -> None:
    """SIGKILL of `kmirror dlq replay` at random places; in the end each letter is there once."""
    a, b = kafka_pair
    rng = random.Random(seed)
    topic = a.create_topic(topic_name("replayed"))
    copy = f"QC.{topic}"
    compact = {"cleanup.policy": "compact", "min.compaction.lag.ms": str(2**40)}
    b.create_topic(copy, config=compact)
    records = [record(b"%d" % n) for n in range(_LETTERS)]
    write(a, topic, records)
    lines = (KEEPS_SETTINGS, "kmirror.poison = dlq", *flow_lines("QC->QD", topic))
    file = mirror_file(tmp_path, {"QC": a, "QD": b}, *lines)
    copy_once(run_driver, file)
    assert read(b, copy) == []
    change_settings(b, copy, {"cleanup.policy": "delete", "retention.ms": "-1"})
    for life in range(_LIVES):
        before = end_offset(b, copy)
        wanted = before + rng.randint(1, _LETTERS // 4)
        replay = start_dlq("replay", file, "QC->QD", "--all")
        wait_until(partial(_has, b, copy, wanted), "letters are replayed", timeout_s=_LIFE_S_MAX)
        replay.kill()
        replay.wait()
        _log.warning("life %d: %d -> %d", life, before, end_offset(b, copy))
    answer = dlq("replay", file, "QC->QD", "--all")
    assert answer.code == 0, answer.text
    assert read(b, copy) == records
    again = dlq("replay", file, "QC->QD", "--all")
    assert again.text.count("was replayed at") == _LETTERS


def _has(cluster: Cluster, topic: str, records: int) -> bool:
    return end_offset(cluster, topic) >= records
