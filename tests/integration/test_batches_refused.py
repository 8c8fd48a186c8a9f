"""Batches that the target refuses for one of their records."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.clock import SystemClock
from tests.support.batches import set_topic, varied, write_batches
from tests.support.bounded import FlowCopier, copy_once
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

CODECS = ("none", "lz4")
KEYLESS = (0, 137, 299)
"""Offsets: a batch's first record, one in the middle, and a batch's last one."""
EARLY = 250
"""The offset of a record from the future."""
_TIMELESS = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**62)}
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The run, over: records by topic and partition."""

    name: str
    driver: Driver
    sent: dict[tuple[str, int], list[Content]]


def mirror(topic: str) -> str:
    """Name a topic's copy."""
    return f"FA.{topic}"


def keyed(records: Sequence[Content]) -> list[Content]:
    """Give every record a key of its own."""
    return [replace(r, key=f"key-{n}".encode()) for n, r in enumerate(records)]


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """
    Copy to a target that wants keys, and to one that wants no times of tomorrow.

    Partitions of "keys": one record without a key each, at the places of `KEYLESS`, first without
    compression, then with lz4; behind them one where every record has one.
    """
    a, b = kafka_pair
    name = f"refused-batches-{secrets.token_hex(4)}"
    sent: dict[tuple[str, int], list[Content]] = {}
    keys = a.create_topic(f"{name}-keys", partitions=7, config={"retention.ms": "-1"})
    wants_keys = {"cleanup.policy": "compact", "min.compaction.lag.ms": str(2**40)}
    b.create_topic(mirror(keys), partitions=7, config=wants_keys)
    places = [(codec, offset) for codec in CODECS for offset in KEYLESS]
    for partition, (codec, offset) in enumerate([*places, ("none", -1)]):
        records = keyed(varied(f"keys-{partition}", 500))
        if offset >= 0:
            records[offset] = replace(records[offset], key=None)
        write_batches(a, keys, records, 100, codec=codec, partition=partition)
        sent[keys, partition] = records
    early = a.create_topic(f"{name}-early", partitions=2, config=_TIMELESS)
    b.create_topic(mirror(early), partitions=2, config={"retention.ms": "-1"})
    tomorrow_ms = SystemClock().wall_ms() + _DAY_MS
    for partition, codec in enumerate(CODECS):
        records = varied(f"early-{codec}", 500)
        records[EARLY] = replace(records[EARLY], timestamp_ms=tomorrow_ms)
        write_batches(a, early, records, 100, codec=codec, partition=partition)
        sent[early, partition] = records
    run = copy_flow(kafka_pair, "FA->FB", f"{name}-.*", KEEPS_SETTINGS, code=5)
    return Copied(name=name, driver=run.driver, sent=sent)


@pytest.mark.parametrize("partition", range(6))
def test_a_record_without_key_parks_its_partition(
    copied: Copied, kafka_pair: ClusterPair, partition: int
) -> None:
    """Exactly there: the earlier records of its batch are copied, and the log names it."""
    topic, offset = f"{copied.name}-keys", KEYLESS[partition % 3]
    sent = copied.sent[topic, partition]
    assert read(kafka_pair.a, topic, partition) == sent, "the source itself"
    # One line for each topic, again when partitions are added.
    line = copied.driver.lines(f"ERROR.*{topic}.*parked")[-1]
    assert re.search(
        rf"6 partitions parked \(.*\b{partition} at offset {offset}\b.*\): .*target: ", line
    )
    assert read(kafka_pair.b, mirror(topic), partition) == sent[:offset]


def test_its_neighbour_goes_on(copied: Copied, kafka_pair: ClusterPair) -> None:
    """The same topic, the same lane, all of it."""
    topic = f"{copied.name}-keys"
    assert read(kafka_pair.b, mirror(topic), 6) == copied.sent[topic, 6]


@pytest.mark.parametrize("partition", range(2))
def test_a_record_from_the_future_parks_its_partition(
    copied: Copied, kafka_pair: ClusterPair, partition: int
) -> None:
    """Exactly there, too."""
    topic = f"{copied.name}-early"
    line = copied.driver.lines(f"ERROR.*{topic}.*parked")[-1]
    assert re.search(
        rf"2 partitions parked \(.*\b{partition} at offset {EARLY}\b.*\): .*target: ", line
    )
    assert read(kafka_pair.b, mirror(topic), partition) == copied.sent[topic, partition][:EARLY]


def test_with_keys_no_longer_wanted_the_rest_follows(
    copied: Copied, kafka_pair: ClusterPair, warm_driver: DriverFactory
) -> None:
    """From the record on, in the middle of a batch; nothing twice; the future is still refused."""
    topic = f"{copied.name}-keys"
    set_topic(kafka_pair.b, mirror(topic), cleanup_policy="delete", retention_ms="-1")
    copy_once(warm_driver, copied.driver.log.with_name("mm2.properties"), code=5)
    for partition in range(7):
        assert read(kafka_pair.b, mirror(topic), partition) == copied.sent[topic, partition]
