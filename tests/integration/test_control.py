"""`kmirror pause` and its like: one partition is held, moved and let go while others are copied."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.batches import set_topic
from tests.support.bounded import copy_once
from tests.support.commands import order, status
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import Content, numbered, read, record, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_COPIED_S_MAX = 120.0
# By itself it would be tried again after five minutes.
_MENDED_S_MAX = 60.0
LARGE = record(b"x" * 50_000, key=b"large")


class Held:
    """A topic of two partitions with a flow of its own."""

    def __init__(self, pair: ClusterPair, folder: Path, *settings: str) -> None:
        self.pair = pair
        self.topic = f"held-{secrets.token_hex(4)}"
        self.flow = f"S{self.topic}->T{self.topic}"
        self.copy = f"S{self.topic}.{self.topic}"
        pair.a.create_topic(self.topic, partitions=2)
        clusters = {f"S{self.topic}": pair.a, f"T{self.topic}": pair.b}
        self.file = mirror_file(folder, clusters, *flow_lines(self.flow, self.topic, *settings))
        self.written: list[list[Content]] = [[], []]

    def write(self, label: str, count: int = 10) -> None:
        """Write to both partitions."""
        for number, written in enumerate(self.written):
            records = numbered(f"{label}-{number}", range(count))
            write(self.pair.a, self.topic, records, partition=number)
            written.extend(records)

    def copied(self, partition: int) -> list[Content]:
        """Give what is on the target."""
        is_there = self.copy in topics_of(self.pair.b)
        return read(self.pair.b, self.copy, partition) if is_there else []

    def is_whole(self, partition: int) -> bool:
        """Tell whether all that was written is there, once and in order."""
        return self.copied(partition) == self.written[partition]

    def states(self) -> dict[int, str]:
        """Give what `kmirror status` says of each partition."""
        lines = status(self.file, self.flow, self.topic, "--json").text.splitlines()
        found = [json.loads(line) for line in lines]
        return {each["partition"][1]: each["state"] for each in found}

    def order(self, verb: str, *arguments: str) -> str:
        """Order something; give what the command said."""
        answer = order(verb, self.file, self.flow, *arguments)
        assert answer.code == 0, answer.text
        return answer.text


def is_obeyed(answer: str) -> bool:
    """Tell whether a driver had obeyed before the command ended."""
    return json.loads(answer)["effect"]["generation"] is not None


def test_one_partition_is_held(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """In effect while the command waits; others go on; the order outlives the driver."""
    held = Held(kafka_pair, tmp_path)
    held.write("before")
    driver = warm_driver(held.file)
    driver.wait_until(lambda: held.is_whole(0) and held.is_whole(1), "the copy", _COPIED_S_MAX)

    paused = held.order("pause", f"{held.topic}:0", "--reason", "disk", "--json")
    assert is_obeyed(paused)
    driver.wait_for_line(rf"pause {held.topic}:0, by .*: disk")
    held.write("meanwhile")
    driver.wait_until(lambda: held.is_whole(1), "the other partition", _COPIED_S_MAX)
    assert held.copied(0) == held.written[0][:10]
    told = status(held.file)
    assert told.code == 5, told.text
    assert f"paused: {held.topic}-0" in told.text
    assert held.states() == {0: "paused", 1: "caught up"}
    assert driver.stop() == 0

    # A bounded copy obeys, too, and says that it is not whole.
    copy_once(warm_driver, held.file, code=5)
    assert held.copied(0) == held.written[0][:10]

    assert "no driver" in held.order("resume")
    copy_once(warm_driver, held.file)
    assert held.is_whole(0)
    assert held.is_whole(1)
    assert held.states() == {0: "caught up", 1: "caught up"}


def test_a_partition_goes_on_elsewhere(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Forward and, only when asked to, back; whoever has driven the flow meanwhile."""
    held = Held(kafka_pair, tmp_path)
    held.write("one")
    driver = warm_driver(held.file)
    driver.wait_until(lambda: held.is_whole(0) and held.is_whole(1), "the copy", _COPIED_S_MAX)
    place, flow = f"{held.topic}:0", held.flow

    held.order("pause", place)
    held.write("two")
    assert "gives up 1 source offsets" in held.order("skip", place)
    assert is_obeyed(held.order("resume", "--json"))
    expected = [*held.written[0][:10], *held.written[0][11:]]
    driver.wait_until(lambda: held.copied(0) == expected, "what is behind it", _COPIED_S_MAX)
    driver.wait_until(lambda: held.is_whole(1), "the other partition", _COPIED_S_MAX)

    refused = order("seek", held.file, flow, place, "--to", "15")
    assert refused.code == 2, refused.text
    assert "5 source offsets would be copied again" in refused.text
    assert "(add --allow-repeats if that is wanted)" in refused.text
    beyond = order("seek", held.file, flow, place, "--to", "21")
    assert beyond.code == 2, beyond.text
    assert held.copied(0) == expected
    held.order("seek", place, "--to", "15", "--allow-repeats")
    expected += held.written[0][15:]
    driver.wait_until(lambda: held.copied(0) == expected, "those again", _COPIED_S_MAX)
    assert driver.stop() == 0

    # Done once: a start does not do it again, and what nobody drove meanwhile is done then.
    copy_once(warm_driver, held.file)
    assert held.copied(0) == expected
    held.write("three")
    held.order("seek", place, "--to", "latest", "--reason", "not wanted")
    copy_once(warm_driver, held.file).wait_for_line(r"gives up offsets 20 to 29")
    assert held.copied(0) == expected
    assert held.is_whole(1)


def test_a_pause_ends_by_itself(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """And what is parked by hand is shown as parked, with what ends it."""
    held = Held(kafka_pair, tmp_path)
    held.write("before")
    driver = warm_driver(held.file)
    driver.wait_until(lambda: held.is_whole(0) and held.is_whole(1), "the copy", _COPIED_S_MAX)
    assert "in effect after" in held.order("pause", "--for", "6s")
    held.write("meanwhile")
    driver.wait_until(lambda: held.is_whole(0) and held.is_whole(1), "the end", _COPIED_S_MAX)
    assert driver.lines(r"over: pause the whole flow until ")

    held.order("park", f"{held.topic}:1", "--reason", "bad data")
    driver.wait_for_line(r"parked .*by .*: bad data")
    assert status(held.file).code == 5
    held.order("resume", held.topic)
    held.write("after")
    driver.wait_until(lambda: held.is_whole(0) and held.is_whole(1), "all", _COPIED_S_MAX)
    assert status(held.file).code == 0
    assert driver.stop() == 0


def test_a_record_that_the_target_refuses(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Skipped where it is; or copied at once when the target takes it and somebody says so."""
    held = Held(kafka_pair, tmp_path, "sync.topic.configs.enabled = false")
    kafka_pair.b.create_topic(held.copy, partitions=2, config={"max.message.bytes": "10000"})
    held.write("before")
    for partition in (0, 1):
        write(kafka_pair.a, held.topic, [LARGE], partition=partition)
    held.write("after")
    driver = warm_driver(held.file)
    driver.wait_for_line(rf"{held.topic}: 2 partitions parked")
    assert "gives up 1 source offsets" in held.order("skip", f"{held.topic}:0")
    driver.wait_until(lambda: held.is_whole(0), "the partition without it", _COPIED_S_MAX)
    assert not held.is_whole(1)
    set_topic(kafka_pair.b, held.copy, max_message_bytes="100000")
    held.order("resume", f"{held.topic}:1")
    expected = [*held.written[1][:10], LARGE, *held.written[1][10:]]
    driver.wait_until(lambda: held.copied(1) == expected, "the record", _MENDED_S_MAX)
    assert driver.stop() == 0


def test_what_cannot_be_is_refused(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """Nothing is written then."""
    held = Held(kafka_pair, tmp_path)
    held.write("some")
    for arguments, words in (
        (("nothing",), "does not copy a topic nothing"),
        ((f"{held.topic}:2",), "has no partition 2, only 0 to 1"),
        ((f"{held.topic}:x",), "expected TOPIC or TOPIC:PARTITION"),
        ((held.topic, "--for", "soon"), "expected a duration, such as 30m"),
    ):
        answer = order("pause", held.file, held.flow, *arguments)
        assert answer.code == 2, answer.text
        assert words in " ".join(answer.text.replace("│", " ").split()), answer.text
    assert order("skip", held.file, held.flow, f"{held.topic}:0").code == 2
