"""A new generation of a copy begins under a running flow, and outlives its driver."""

from __future__ import annotations

from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.model import TopicPartition
from tests.support.commands import offsets, verify
from tests.support.driver import DriverFactory
from tests.support.groups import commit
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

OLD, NEW, MORE = numbered("old", range(9)), numbered("new", range(4)), numbered("more", range(2))
_COPIED_S_MAX = 120


def test_under_a_running_flow(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """The source topic is made anew; another topic goes on; the driver is killed afterwards."""
    a, b = kafka_pair
    renewed, other = f"t-{tmp_path.name}", f"other-{tmp_path.name}"
    lines = flow_lines(
        "GA->GB",
        f"{renewed}, {other}",
        "kmirror.topic.recreated = fail, t-.*: new-generation",
        "groups = g-.*",
    )
    file = mirror_file(tmp_path, {"GA": a, "GB": b}, *lines)
    for topic in (renewed, other):
        write(a, a.create_topic(topic, partitions=1), OLD)
    driver = warm_driver(file)

    def has(copy: str, records: list[object]) -> None:
        driver.wait_until(
            lambda: copy in topics_of(b) and read(b, copy) == records,
            f"{copy} has {len(records)} records",
            _COPIED_S_MAX,
        )

    has(f"GA.{renewed}", [*OLD])
    admin = a.admin()  # answers die with the client that asked
    admin.delete_topics([renewed])[renewed].result(30)
    wait_until(lambda: renewed not in topics_of(a), f"{renewed} is gone", timeout_s=30)
    write(a, a.create_topic(renewed, partitions=1), NEW)
    write(a, other, NEW)
    has(f"GA.{renewed}.g2", [*NEW])
    has(f"GA.{other}", [*OLD, *NEW])
    driver.wait_for_line(f"GA->GB: {renewed}: copied to GA.{renewed}.g2 from now on")
    driver.kill()

    write(a, renewed, MORE)
    commit(a, f"g-{tmp_path.name}", {TopicPartition(renewed, 0): 5})
    driver = warm_driver(file)
    has(f"GA.{renewed}.g2", [*NEW, *MORE])
    assert read(b, f"GA.{renewed}") == OLD
    assert driver.stop() == 0
    assert verify(file).code == 0
    # Groups go over to the copy that goes on.
    shown = offsets("show", file, "--groups", f"g-{tmp_path.name}")
    assert f"GA.{renewed}.g2" in shown.text
