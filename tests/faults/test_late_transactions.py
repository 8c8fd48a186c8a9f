"""Transactions that last too long, and producers that the target has forgotten meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterFactory, ClusterPair

from kmirror.wire.flow_names import slot_transactional_ids
from tests.support.kafka_tools import transactional_ids
from tests.support.mirrored import MirroredFactory
from tests.support.passing_time import pass_time

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_TRANSACTION_MS = 10_000
# What a broker does about it, all much sooner than usual.
_FORGETFUL = {
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "transactional.id.expiration.ms": "12000",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "2000",
    "producer.id.expiration.ms": "12000",
    "producer.id.expiration.check.interval.ms": "1000",
}
_FORGOTTEN_S_MAX = 120
# More than there will be: it is told to stop.
_MANY = 1_000_000


@pytest.mark.long
def test_a_target_that_forgets(
    kafka_pair: ClusterPair,
    start_cluster: ClusterFactory,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """It aborts what a frozen driver has left open, and forgets one that has nothing to copy."""
    target = start_cluster("forgetful", config=_FORGETFUL)
    topic = new_topic(kafka_pair.a, "late")
    lines = [
        f"{alias}.producer.transaction.timeout.ms = {_TRANSACTION_MS}" for alias in ("B", "RB")
    ]
    # A second: one is open almost surely when the driver is frozen.
    flow = mirrored(
        kafka_pair.a, target, topic, extra_lines=(*lines, "kmirror.commit.interval.ms = 1000")
    )
    driver = flow.start_copying()
    workload = flow.write(topic, partitions=2, abort_every=4, records=_MANY)
    flow.wait_copied(driver, topic, 1000)
    driver.freeze()
    pass_time(2 * _TRANSACTION_MS / 1000)
    driver.thaw()
    flow.wait_more(driver, topic)

    workload.stop()
    ids = {name for copy in flow.copies for name in slot_transactional_ids(copy.flow, 0)}
    driver.wait_until(
        lambda: not ids & transactional_ids(target), "the target has forgotten", _FORGOTTEN_S_MAX
    )
    copied = flow.copied(topic)
    flow.write(topic, partitions=2, abort_every=4)
    flow.wait_copied(driver, topic, copied + 1000)
    flow.finish(driver)
    assert not flow.errors(driver), driver.text
