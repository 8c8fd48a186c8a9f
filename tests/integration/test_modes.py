"""At least once, starting at the end, and a target with a name that no topic could have."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import end_offset, numbered, read, topics_of, write

ODD = "Zürich/2"
pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_at_least_once_and_latest(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """
    Two flows, run twice.

    Without transactions the copy is the same after clean stops, and has no markers between its
    records. `auto.offset.reset=latest` skips what was there before the first run, and only that;
    its target has an alias that no topic could have in its name.
    """
    a, b = kafka_pair
    name = f"modes-{secrets.token_hex(4)}"
    plain, late = (a.create_topic(f"{name}-{kind}") for kind in ("plain", "late"))
    for topic in (plain, late):
        write(a, topic, numbered("first", range(200)))
    file = mirror_file(
        tmp_path,
        {"plain": a, "late": a, "T": b, ODD: b},
        "late.consumer.auto.offset.reset = latest",
        *flow_lines("plain->T", plain, "kmirror.exactly.once = false"),
        *flow_lines(f"late->{ODD}", late),
    )
    copy_once(warm_driver, file)
    assert read(b, f"plain.{plain}") == numbered("first", range(200))
    assert end_offset(b, f"plain.{plain}") == 200
    assert read(b, f"late.{late}") == []

    for topic in (plain, late):
        write(a, topic, numbered("second", range(100)))
    driver = copy_once(warm_driver, file)
    assert read(b, f"plain.{plain}")[200:] == numbered("second", range(100))
    assert end_offset(b, f"plain.{plain}") == 300
    assert read(b, f"late.{late}") == numbered("second", range(100))
    assert driver.lines("plain->T: at least once")
    assert driver.lines(f"late->{ODD}: exactly once")
    assert "__kmirror-offsets-late-Z_fc_rich_2f_2" in topics_of(b)
