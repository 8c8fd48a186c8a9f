"""What happens when the target has records, but nobody knows which: the choices, and the words."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content
from kmirror_lab.process.waiting import wait_until

from tests.support.bounded import copy_once
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# One flow for each policy; "second" keeps the second copy of its positions.
POLICIES = ("fail", "adopt", "earliest", "latest", "second")
OLD, NEW = numbered("old", range(40)), numbered("new", range(10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """The run after the loss, over."""

    driver: Driver
    topic: str
    pair: ClusterPair

    def copy(self, policy: str) -> Sequence[Content]:
        """Give what the flow with that policy has on the target."""
        return read(self.pair.b, f"{policy}.{policy}-{self.topic}")


def lose_positions(pair: ClusterPair, policy: str) -> None:
    """Delete the flow's group on the target, and the second copy except of one flow."""
    admin, group = pair.b.admin(), f"__kmirror-{policy}-T"
    admin.delete_consumer_groups([group])[group].result()
    if policy != "second":
        copies = f"mm2-offsets.{policy}.internal"
        admin.delete_topics([copies])[copies].result()
        wait_until(lambda: copies not in topics_of(pair.b), f"{copies} is gone", timeout_s=30)


@pytest.fixture(scope="module")
def recovered(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Recovered:
    """Copy, lose the positions, write more, and copy again."""
    topic = f"lost-{secrets.token_hex(4)}"
    for policy in POLICIES:
        write(kafka_pair.a, kafka_pair.a.create_topic(f"{policy}-{topic}"), OLD)
    clusters = dict.fromkeys(POLICIES, kafka_pair.a) | {"T": kafka_pair.b}
    lines = [
        line
        for policy in POLICIES
        for line in flow_lines(
            f"{policy}->T",
            f"{policy}-{topic}",
            f"kmirror.position.missing = {'fail' if policy == 'second' else policy}",
        )
    ]
    file = mirror_file(tmp_path_factory.mktemp("lost"), clusters, *lines)
    copy_once(warm_module_driver, file)
    for policy in POLICIES:
        assert read(kafka_pair.b, f"{policy}.{policy}-{topic}") == OLD
        lose_positions(kafka_pair, policy)
        write(kafka_pair.a, f"{policy}-{topic}", NEW)
    driver = copy_once(warm_module_driver, file, code=5)
    return Recovered(driver=driver, topic=topic, pair=kafka_pair)


def test_by_default_the_partition_is_parked(recovered: Recovered) -> None:
    """Nothing is skipped or copied twice; the log names the partition and the choices."""
    assert recovered.copy("fail") == OLD
    (line,) = recovered.driver.lines("ERROR.*parked")
    assert f"fail->T: parked fail-{recovered.topic}-0" in line
    assert "no position is known" in line
    for choice in ("kmirror.position.missing", "earliest", "latest", "adopt"):
        assert choice in line


def test_adopt_compares_both_ends(recovered: Recovered) -> None:
    """The place is found by the records themselves: nothing twice, nothing missing."""
    assert recovered.copy("adopt") == [*OLD, *NEW]
    assert recovered.driver.lines(r"adopt->T: .*same tail")


def test_earliest_copies_all_again(recovered: Recovered) -> None:
    """The operator said so."""
    assert recovered.copy("earliest") == [*OLD, *OLD, *NEW]


def test_latest_goes_on_with_what_comes(recovered: Recovered) -> None:
    """What was written meanwhile is skipped, as the operator said."""
    assert recovered.copy("latest") == OLD


def test_the_second_copy_is_enough(recovered: Recovered) -> None:
    """With only the group lost, mm2-offsets tells where to go on."""
    assert recovered.copy("second") == [*OLD, *NEW]
