"""Batches that were damaged on the source's disk: found before they are sent."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from tests.support.batches import damage, varied, write_batches, written
from tests.support.bounded import FlowCopier
from tests.support.driver import Driver
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

TOPIC = "damaged"
# Codec, and which byte of the third batch, with the bits of it: the first after its header, one in
# the middle, its last, and one of its header: codec, producer id, that it is a transaction's
# marker, and how far its offsets reach (back, and far ahead).
DAMAGES = (
    ("none", 61, 0x04),
    ("lz4", 5_000, 0x04),
    ("none", -1, 0x04),
    ("lz4", 22, 0x04),
    ("none", 45, 0x04),
    ("none", 22, 0x20),
    ("none", 23, 0x80),
    ("none", 23, 0x04),
)
SOUND = len(DAMAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The run, over."""

    driver: Driver
    sent: list[list[Content]]


@pytest.fixture(scope="module")
def copied(own_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """Damage all partitions but one, and copy."""
    a = own_pair.a
    a.create_topic(TOPIC, partitions=SOUND + 1)
    sent = []
    for partition, codec in enumerate([*(codec for codec, _, _ in DAMAGES), "lz4"]):
        sent.append(varied(f"damaged-{partition}", 500))
        write_batches(a, TOPIC, sent[-1], 100, codec=codec, partition=partition)
    a.stop()
    for partition, (_, byte, bits) in enumerate(DAMAGES):
        damage(a, TOPIC, partition, byte, bits)
    a.start()
    run = copy_flow(own_pair, "A->B", TOPIC, code=5)
    return Copied(driver=run.driver, sent=sent)


@pytest.mark.parametrize("partition", range(SOUND), ids=map(str, DAMAGES))
def test_a_damaged_batch_parks_its_partition(
    copied: Copied, own_pair: ClusterPair, partition: int
) -> None:
    """Before the batch; the log names its offset."""
    assert read(own_pair.b, f"A.{TOPIC}", partition) == copied.sent[partition][:200]
    # One line for the topic, again when partitions are added.
    line = copied.driver.lines(f"ERROR.*{TOPIC}.*parked")[-1]
    assert re.search(rf"{SOUND} partitions parked \(.*\b{partition}\b.*\): .*offset 200\b", line)


def test_the_others_go_on(copied: Copied, own_pair: ClusterPair) -> None:
    """The same topic, the same lane."""
    assert read(own_pair.b, f"A.{TOPIC}", SOUND) == copied.sent[SOUND]


def test_nothing_damaged_is_on_the_target(copied: Copied, own_pair: ClusterPair) -> None:
    """Not even in an aborted transaction: batches end where the damage begins."""
    for partition in range(SOUND):
        batches = written(own_pair.b, f"A.{TOPIC}", partition)
        assert sum(each.records for each in batches) == 200
