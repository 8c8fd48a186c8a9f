"""Clocks of the driver and of the target's broker are hours off, and jump."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair

from tests.support.commands import order, status
from tests.support.driver import A_TO_B
from tests.support.mirrored import MirroredFactory
from tests.support.skewed_clock import SkewedClock, needs_a_compiler

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault, needs_a_compiler]

_PARTITIONS = 2
_MORE = 500
_HOURS = 3600
_TOLD_S_MAX = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Skewed:
    """A cluster, and its broker's clock."""

    cluster: Cluster
    clock: SkewedClock


@pytest.fixture(scope="module")
def skewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Skewed]:
    """Give a target whose clock can be set."""
    folder = tmp_path_factory.mktemp("skewed")
    clock = SkewedClock(folder / "clock")
    cluster = Cluster("B", folder)
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in clock.environ.items():
                patch.setenv(name, value)
            running.enter_context(started(cluster))
        yield Skewed(cluster=cluster, clock=clock)


def test_the_drivers_clock_jumps(
    kafka_pair: ClusterPair,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two hours fast, then two hours slow, under load: times of records are not the driver's."""
    a, b = kafka_pair
    topic = new_topic(a, "skewed", partitions=_PARTITIONS)
    clock = SkewedClock(tmp_path / "clock")
    flow = mirrored(a, b, topic)
    clock.set(2 * _HOURS)
    with monkeypatch.context() as patch:
        for name, value in clock.environ.items():
            patch.setenv(name, value)
        driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    flow.wait_copied(driver, topic, _MORE)
    for skew_s in (-2 * _HOURS, 0):
        clock.set(skew_s)
        flow.wait_more(driver, topic, _MORE)
    flow.finish(driver)
    assert not flow.errors(driver), driver.text


def test_the_targets_clock_is_slow(
    kafka_pair: ClusterPair,
    skewed: Skewed,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """What comes from its future is refused: the partitions say so, and go on later."""
    topic = new_topic(kafka_pair.a, "slow", partitions=_PARTITIONS)
    flow = mirrored(kafka_pair.a, skewed.cluster, topic)
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS)
    flow.wait_copied(driver, topic, _MORE)
    skewed.clock.set(2 * _HOURS)
    flow.wait_more(driver, topic, _MORE)
    skewed.clock.set(-2 * _HOURS)
    driver.wait_for_line(
        rf"ERROR.*parked.* {topic}-\d: offset \d+: target: Timestamp", timeout_s=_TOLD_S_MAX
    )
    skewed.clock.set(0)
    for copy in flow.copies:
        assert order("resume", flow.file, str(copy.flow)).code == 0
    flow.wait_more(driver, topic, _MORE)
    flow.finish(driver)
    assert "parked" not in status(flow.file, str(A_TO_B)).text
