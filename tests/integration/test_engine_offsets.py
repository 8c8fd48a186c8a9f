"""Queries of Spark, and whatever writes its offsets down, go over to the other cluster."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import copy_once
from tests.support.commands import offsets
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write, write_transactions
from tests.support.spark_query import run_query

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_a_query_moves_and_misses_and_repeats_nothing(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """With its checkpoint, also when its last batch was not complete; or from `startingOffsets`."""
    a, b = kafka_pair
    topic = a.create_topic(f"engine-{secrets.token_hex(4)}", partitions=2)
    flow = f"S{topic}->T{topic}"
    file = mirror_file(tmp_path, {f"S{topic}": a, f"T{topic}": b}, *flow_lines(flow, topic))
    first, second = numbered("first", range(40)), numbered("second", range(30))
    # Markers of transactions: offsets on both sides differ.
    write_transactions(a, topic, [(first[:10], True), (first[10:20], True)])
    write(a, topic, first[20:], partition=1)
    old, out = tmp_path / "query", tmp_path / "out"
    everything = sorted(value.decode() for each in (*first, *second) if (value := each.value))
    half = sorted(value.decode() for each in first if (value := each.value))
    assert run_query(a.bootstrap, topic, old, out) == half

    write(a, topic, second[:15])
    write(a, topic, second[15:], partition=1)
    copy_once(warm_driver, file)
    # As if it had died when its only batch was done, and not yet written down as such.
    for done in (old / "commits").iterdir():
        done.unlink()
    new = tmp_path / "query-on-b"
    moved = offsets("translate", file, "--spark-checkpoint", str(old), "--new-checkpoint", str(new))
    assert moved.code == 0, moved.text
    copy = f"S{topic}.{topic}"
    assert run_query(b.bootstrap, copy, new, out) == everything

    again = offsets("translate", file, "--spark-checkpoint", str(old), "--new-checkpoint", str(new))
    assert again.code == 2, again.text
    assert "exists already" in again.text
    assert json.loads(again.text.splitlines()[0]) == {copy: {"0": 0, "1": 0}}


def test_a_file_of_offsets(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What is not known is said, and the rest printed."""
    a, b = kafka_pair
    topic = a.create_topic(f"engine-{secrets.token_hex(4)}")
    flow = f"S{topic}->T{topic}"
    file = mirror_file(tmp_path, {f"S{topic}": a, f"T{topic}": b}, *flow_lines(flow, topic))
    records = numbered("some", range(10))
    write_transactions(a, topic, [(records[:5], True), (records[5:], True)])
    copy_once(warm_driver, file)
    places = tmp_path / "places.csv"
    places.write_text(f"# Flink's\n{topic},0,7\nother,0,1\n")
    answer = offsets("translate", file, "--offsets-file", str(places))
    assert answer.code == 1, answer.text
    line, unknown = answer.text.splitlines()
    assert "other-0:1 = unknown: " in unknown
    there, partition, offset = line.split(",")
    assert (there, partition) == (f"S{topic}.{topic}", "0")
    assert read(b, there) == records
    places.write_text(f"{topic},zero,7\n")
    bad = offsets("translate", file, "--offsets-file", str(places))
    assert bad.code == 2, bad.text
    assert "expected topic,partition,offset" in " ".join(bad.text.replace("│", " ").split())
    assert int(offset) >= 6
