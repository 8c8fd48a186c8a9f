"""One driver per flow: the newer one wins, the older one says so and writes nothing more."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.cli.exits import Exit
from tests.support.driver import RUNNING
from tests.support.mirrored import MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]


def test_a_frozen_driver_comes_back(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """It slept through a take-over, with a transaction open and records in its buffers."""
    a, b = kafka_pair
    topic = new_topic(a, "frozen")
    flow = mirrored(a, b, topic)
    first = flow.start_copying()
    flow.write(topic, partitions=2, abort_every=4)
    flow.wait_copied(first, topic)
    first.freeze()
    second = flow.start()
    second.wait_running()
    flow.wait_until_caught_up(second)
    first.thaw()
    assert first.wait_exit() == Exit.FENCED, first.text
    assert first.lines(f"process {second.pid} on {socket.gethostname()}"), first.text
    assert not first.members(), "its JVM is still there"
    flow.finish(second)


def test_taken_over_while_spark_starts(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """It has claimed its flows and decided their positions, but its lanes have not begun."""
    a, b = kafka_pair
    topic = new_topic(a, "slow")
    flow = mirrored(a, b, topic)
    flow.write(topic, partitions=2, abort_every=4)
    first = flow.start("--log-level", "debug")
    first.wait_for_line("A->B: positions are decided")
    first.freeze()
    second = flow.start()
    second.wait_running()
    first.thaw()
    assert first.wait_exit() == Exit.FENCED, first.text
    assert first.lines(f"process {second.pid} on {socket.gethostname()}"), first.text
    flow.finish(second)


@pytest.mark.parametrize("mirrored", [["auto"], ["record"]], indirect=True)
def test_two_drivers_by_mistake(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """Started at the same moment, exactly one goes on; of two flows each could win one."""
    a, b = kafka_pair
    topic = new_topic(a, "both")
    flow = mirrored(a, b, topic)
    flow.write(topic, partitions=2, abort_every=4)
    both = [flow.start(), flow.start()]
    wait_until(
        lambda: any(driver.exit_code is not None for driver in both), "one ends", timeout_s=180
    )
    loser, winner = sorted(both, key=lambda driver: driver.exit_code is None)
    assert loser.exit_code == Exit.FENCED, loser.text
    assert loser.lines(f"process {winner.pid} on {socket.gethostname()}"), loser.text
    winner.wait_for_line(RUNNING)
    flow.finish(winner)
    for driver in both:
        driver.check_log()
        assert not driver.lines("spark: "), "the flow's own lines say what has happened"
