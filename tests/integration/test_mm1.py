"""
`kmirror mm1`: MirrorMaker 1's command line, as a member of the group on the source.

What it does is compared with MirrorMaker 1 itself, and looked at with Kafka's own tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.cli.exits import Exit
from tests.support.chromium import NEEDS_CHROMIUM
from tests.support.driver import Driver
from tests.support.groups import committed
from tests.support.lab_page import lab_page
from tests.support.mm1 import (
    Mm1Factory,
    Mm1Files,
    describe,
    mirror_maker_1,
    start_mm1,
    write_files,
)
from tests.support.mm1_handover import Owners, SynchronousWriter, contents, watched
from tests.support.records import numbered, record, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_PARTITIONS = 6
_STREAMS = 3
_SOON = ("--offset.commit.interval.ms", "1000")
_START_S_MAX = 240.0
_CAUGHT_UP_S_MAX = 120.0
# A rebalance waits until every member has joined again.
_OWNERLESS_S_MAX = 60.0


@pytest.fixture
def run_mm1() -> Iterator[Mm1Factory]:
    """Give a function that starts `kmirror mm1`; what still runs after the test is killed."""
    with ExitStack() as running:

        def start(files: Mm1Files, *options: str) -> Driver:
            driver = start_mm1(files, *options)
            running.callback(driver.kill)
            return driver

        yield start


def _topics(pair: ClusterPair, name: str, **config: str) -> str:
    """Make a topic on both sides; its copy has another number of partitions."""
    pair.a.create_topic(name, partitions=_PARTITIONS)
    settings = {key.replace("_", "."): value for key, value in config.items()}
    return pair.b.create_topic(name, partitions=_PARTITIONS - 2, config=settings)


def _wait_owned(owners: Owners, driver: Driver | None, members: int, *without: str) -> None:
    """Wait until every partition has an owner, of so many, and none of *without*."""

    def owned() -> bool:
        now = owners.now
        have = set(now.values())
        return len(now) == _PARTITIONS and len(have) == members and have.isdisjoint(without)

    if driver is None:
        wait_until(owned, "every partition has an owner", timeout_s=_START_S_MAX)
    else:
        driver.wait_until(owned, "every partition has an owner", _START_S_MAX)


def _wait_copied(cluster: Cluster, topic: str, wanted: Counter[bytes], driver: Driver) -> None:
    """Wait until what arrived is what was written: nothing less, nothing twice."""
    driver.wait_until(
        lambda: contents(cluster, topic).total() >= wanted.total(), topic, _CAUGHT_UP_S_MAX
    )
    assert contents(cluster, topic) == wanted


def _hand_over(pair: ClusterPair, run_mm1: Mm1Factory, folder: Path, *, seconds: int) -> None:
    """
    One instance, one stream; a second with several; the first stopped: while records come.

    As the guides of MirrorMaker 1 have it, with the page of `kmirror lab web`.
    """
    topic = _topics(pair, f"{folder.name}-handover")
    files = write_files(folder, pair.a, pair.b, f"{topic}-group")
    options = ("--whitelist", f'"{topic}"', *_SOON)
    with watched(pair.a, files.group, _PARTITIONS) as owners, lab_page(folder, pair) as page:
        first = run_mm1(files, *options, "--num.streams", "1")
        _wait_owned(owners, first, 1)
        alone = set(owners.now.values())
        owners.ownerless_s_max = 0.0  # from here on somebody has every partition
        page.send_one(topic)
        page.wait_owned(_PARTITIONS, members=1)
        page.begin(topic, seconds)
        second = run_mm1(files, *options, "--num.streams", str(_STREAMS))
        _wait_owned(owners, second, 1 + _STREAMS)
        _check_rows(pair.a, files.group, topic, {f"{files.group}-{n}" for n in range(_STREAMS)})
        page.wait_owned(_PARTITIONS, members=1 + _STREAMS)
        assert first.stop() == Exit.OK, first.text
        _wait_owned(owners, second, _STREAMS, *alone)
        page.wait_owned(_PARTITIONS, members=_STREAMS)
        wanted = Counter(b"message:%d" % each for each in range(1, 1 + page.wait_sent()))
        assert wanted.total() > _PARTITIONS * 100
        _wait_copied(pair.b, topic, wanted, second)
        page.wait_equal(topic, wanted.total())
        assert not owners.doubly_owned
        assert not owners.unowned_when_stable
        assert owners.ownerless_s_max < _OWNERLESS_S_MAX
        assert second.stop() == Exit.OK, second.text
    rows = describe(pair.a, files.group)
    assert {row.partition: row.lag for row in rows} == dict.fromkeys(range(_PARTITIONS), 0)
    assert contents(pair.b, topic) == wanted
    for driver in (first, second):
        driver.check_log()
        assert not driver.lines("ERROR|lost"), driver.text


def _check_rows(cluster: Cluster, group: str, topic: str, clients: set[str]) -> None:
    """See what an operator sees: an owner, an offset and a lag for each partition."""
    rows = describe(cluster, group)
    assert [row.partition for row in rows] == list(range(_PARTITIONS))
    assert all(row.topic == topic and row.consumer.startswith(row.client) for row in rows)
    assert {row.client for row in rows} == clients
    assert all(row.offset is not None and row.lag is not None for row in rows)


@NEEDS_CHROMIUM
def test_instances_hand_over(kafka_pair: ClusterPair, run_mm1: Mm1Factory, tmp_path: Path) -> None:
    """Nothing is lost and nothing comes twice, and every partition has an owner throughout."""
    _hand_over(kafka_pair, run_mm1, tmp_path, seconds=40)


@NEEDS_CHROMIUM
@pytest.mark.long
def test_instances_hand_over_for_three_minutes(
    kafka_pair: ClusterPair, run_mm1: Mm1Factory, tmp_path: Path
) -> None:
    """The same for as long as the scenario has it."""
    _hand_over(kafka_pair, run_mm1, tmp_path, seconds=180)


def test_mirror_maker_1_hands_over(
    kafka_pair: ClusterPair, run_mm1: Mm1Factory, tmp_path: Path
) -> None:
    """Both are in one group, the old one ends, and kmirror goes on where it has stopped."""
    topic = _topics(kafka_pair, f"{tmp_path.name}-takeover")
    files = write_files(tmp_path, kafka_pair.a, kafka_pair.b, f"{topic}-group")
    options = ("--whitelist", topic, *_SOON)
    with (
        mirror_maker_1(files, *options) as old,
        watched(kafka_pair.a, files.group, _PARTITIONS) as owners,
    ):
        old.start()
        _wait_owned(owners, None, 1)
        theirs = set(owners.now.values())
        with SynchronousWriter(kafka_pair.a, topic, _PARTITIONS) as writer:
            new = run_mm1(files, *options, "--num.streams", "2")
            _wait_owned(owners, new, 3)
            old.stop()
            _wait_owned(owners, new, 2, *theirs)
        _wait_copied(kafka_pair.b, topic, Counter(writer.values), new)
        assert new.stop() == Exit.OK, new.text
        assert not owners.doubly_owned


def test_what_cannot_be_sent(kafka_pair: ClusterPair, run_mm1: Mm1Factory, tmp_path: Path) -> None:
    """It ends the process and nothing after it is committed; or it is left out, and counted."""
    topic = _topics(kafka_pair, f"{tmp_path.name}-large", max_message_bytes="2000")
    # The next record of that key is so small that Kafka's producer never parts the two by itself.
    small = numbered("n", range(20))
    large = record(b"x" * 5000, key=small[10].key)
    write(kafka_pair.a, topic, [*small[:10], large, *small[10:]])
    together = ("linger.ms=1000",)
    pair = kafka_pair.a, kafka_pair.b
    files = write_files(tmp_path, *pair, f"{topic}-group", producer=together)

    dies = run_mm1(files, "--include", topic)
    assert dies.wait_exit(timeout_s=_START_S_MAX) == Exit.STREAM_DIED, dies.text
    assert dies.lines("exited abnormally, stopping the whole mirror maker"), dies.text
    assert committed(kafka_pair.a, files.group, topic) is None

    goes_on = run_mm1(files, "--include", topic, "--abort.on.send.failure", "false", *_SOON)
    goes_on.wait_for_line("left out 1 records of ", timeout_s=_START_S_MAX)
    assert goes_on.lines("data loss is possible"), goes_on.text
    last = small[-1].value
    goes_on.wait_until(lambda: contents(kafka_pair.b, topic)[last or b""] > 0, topic, 60)
    assert goes_on.stop() == Exit.OK
    assert committed(kafka_pair.a, files.group, topic) == len(small) + 1
    values = Counter(each.value for each in small)
    assert set(contents(kafka_pair.b, topic)) == set(values)
