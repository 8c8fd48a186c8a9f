"""Drivers and executors die without notice; the next one goes on exactly where they were."""

from __future__ import annotations

import logging
import math
import operator
import os
import random
import shutil
import signal
import threading
from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.fill import fill

from kmirror.clock import SystemClock
from tests.support.driver import RUNNING
from tests.support.mirrored import MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_RECORDS = 1_000_000
_log = logging.getLogger(__name__)
_EXECUTOR = "CoarseGrainedExecutorBackend"


@pytest.mark.parametrize("kills", [4, pytest.param(10, marks=pytest.mark.long)])
def test_kills_in_one_copy(
    kafka_pair: ClusterPair,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    seed: int,
    kills: int,
) -> None:
    """SIGKILL of Python and JVM at random places of a copy, some of them while it starts."""
    a, b = kafka_pair
    rng = random.Random(seed)
    bulk, awkward = new_topic(a, "bulk", partitions=4), new_topic(a, "awkward")
    # Small transactions: more seams to be killed in, and a copy that takes longer than a life.
    flow = mirrored(a, b, bulk, awkward, extra_lines=("kmirror.commit.bytes.max = 65536",))
    fill(
        a.bootstrap,
        bulk,
        records=_RECORDS,
        size_bytes=60,
        partitions=4,
        batch_bytes=16_384,
        seed=seed,
    )
    flow.write(awkward, partitions=2, rate=100, abort_every=4, seed=seed)
    early = set(rng.sample(range(1, kills), math.ceil(kills / 5)))
    copied = flow.copied_each(bulk)
    for life in range(kills):
        driver = flow.start()
        # At most a seventeenth at a time, so that the last life has something left to copy.
        step_max = (_RECORDS - max(copied)) // 17
        if life in early or not step_max:
            # The moment is what varies here; there is nothing to wait for.
            SystemClock().wait(threading.Event(), rng.uniform(0, 10))
        elif life % 2:
            # The flow that begins later has its turn, or the kills might never let it begin.
            flow.wait_copied(driver, bulk, min(copied) + 1)
        else:
            step = rng.randint(1, step_max)
            flow.wait_copied(driver, bulk, max(copied) + step, fastest=True)
        driver.kill()
        before, copied = copied, flow.copied_each(bulk)
        _log.warning("life %d: %s -> %s", life, before, copied)
        assert all(map(operator.ge, copied, before)), "a position went back"
    assert max(copied) < _RECORDS, "the kills hit a copy that was complete"
    flow.finish(flow.start(), timeout_s=300)


@pytest.mark.long
def test_a_killed_executor(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """One of two executors dies in the middle of a copy; Spark and the flow start it anew."""
    a, b = kafka_pair
    bulk, awkward = new_topic(a, "bulk", partitions=4), new_topic(a, "awkward")
    records = 300_000
    # As many slots of both flows as cores, so that both executors have lanes.
    flow = mirrored(a, b, bulk, awkward, extra_lines=("kmirror.slots = 2",))
    fill(a.bootstrap, bulk, records=records, size_bytes=60, partitions=4)
    flow.write(awkward, partitions=2, rate=100, abort_every=4)
    driver = flow.start("--master", "local-cluster[2,2,1024]")
    flow.wait_copied(driver, bulk)
    executors = driver.members(_EXECUTOR)
    assert len(executors) == 2
    assert flow.copied(bulk) < records, "the kill hits a copy that is complete"
    killed = executors[0]
    os.kill(killed, signal.SIGKILL)
    driver.wait_until(
        lambda: len(set(driver.members(_EXECUTOR)) - {killed}) == 2, "a new executor", 120
    )
    flow.finish(driver, timeout_s=300)


@pytest.mark.long
def test_sparks_folders_do_not_matter(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """All state is on the target: what a driver leaves on its machine may vanish at any time."""
    a, b = kafka_pair
    topic = new_topic(a, "folders")
    flow = mirrored(a, b, topic, extra_lines=("kmirror.batch.duration.seconds = 5",))
    driver = flow.start_copying()
    flow.write(topic, partitions=2, rate=200, abort_every=4)
    flow.wait_copied(driver, topic)
    assert list(driver.temporary.glob("kmirror-*")), "the folder that this test is about"
    driver.kill()
    # Left behind by the kill, and gone before the next start.
    shutil.rmtree(driver.temporary)

    driver, copied = flow.start(), flow.copied(topic)
    flow.wait_copied(driver, topic, copied + 1)
    driver.freeze()
    for folder in driver.temporary.glob("kmirror-*"):
        shutil.rmtree(folder)
    driver.thaw()
    # The batch goes on; the next one misses its folder.
    driver.wait_for_line(RUNNING, count=2 * len(flow.copies))
    flow.wait_more(driver, topic, 1)
    assert driver.stop() == 0, driver.text
    assert not list(driver.temporary.glob("kmirror-*")), "an ordered end leaves nothing behind"

    flow.finish(flow.start())
