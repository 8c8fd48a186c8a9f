"""`kmirror reload`: what has changed in the file is changed in the driver, and nothing else."""

from __future__ import annotations

import os
import secrets
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.policy.window import DAYS
from tests.support.commands import reload, status
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_COPIED_S_MAX = 120.0
_EFFECT_S_MAX = 30.0


class Reloaded:
    """Flows of one driver, each with topics of its own, and the file that they are in."""

    def __init__(self, pair: ClusterPair, folder: Path) -> None:
        self.pair = pair
        self.folder = folder
        self.tag = secrets.token_hex(4)
        self.clusters = {f"{name}{self.tag}": pair.a for name in ("S", "U", "V")}
        self.clusters[f"T{self.tag}"] = pair.b
        self.file = folder / "mm2.properties"

    def flow(self, source: str) -> str:
        """Name a flow."""
        return f"{source}{self.tag}->T{self.tag}"

    def topic(self, name: str) -> str:
        """Make a topic with ten records; give its name."""
        topic = f"{name}-{self.tag}"
        self.pair.a.create_topic(topic)
        write(self.pair.a, topic, numbered(name, range(10)))
        return topic

    def lines(self, source: str, topics: str, *settings: str) -> list[str]:
        """Give the lines of a flow."""
        return flow_lines(self.flow(source), topics, *settings)

    def write(self, *lines: str) -> None:
        """Write the file."""
        self.file = mirror_file(self.folder, self.clusters, *lines)

    def is_copied(self, source: str, topic: str, count: int = 10) -> bool:
        """Tell whether so many records are there."""
        copy = f"{source}{self.tag}.{topic}"
        return copy in topics_of(self.pair.b) and len(read(self.pair.b, copy)) == count


def test_only_what_changed_is_touched(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """A filter changes under a flow that copies; one flow starts again, one comes, one goes."""
    flows = Reloaded(kafka_pair, tmp_path)
    one, other, third = flows.topic("one"), flows.topic("other"), flows.topic("third")
    flows.write(*flows.lines("S", one), *flows.lines("U", other))
    driver = warm_driver(flows.file)
    driver.wait_until(
        lambda: flows.is_copied("S", one) and flows.is_copied("U", other), "both", _COPIED_S_MAX
    )

    flows.write(*flows.lines("S", f"{one}, {third}"), *flows.lines("U", other))
    planned = reload(flows.file, "--dry-run")
    assert planned.code == 0, planned.text
    assert f"topics: {one} -> {one}, {third}" in planned.text
    changed = reload(flows.file, "--reason", "third joins")
    assert changed.code == 0, changed.text
    assert f"{flows.flow('S')}: changed while it copies: topics" in changed.text
    driver.wait_for_line(r"was read again, by .*: third joins: ")
    driver.wait_until(lambda: flows.is_copied("S", third), "the third", _EFFECT_S_MAX)
    assert not driver.lines("starting again|restarting")
    assert len(driver.lines(rf"{flows.flow('U')}: plan ")) == 1, "it was not touched"

    flows.write(*flows.lines("S", one, "kmirror.where = offset >= 10"), *flows.lines("V", third))
    changed = reload(flows.file)
    assert changed.code == 0, changed.text
    assert f"{flows.flow('S')}: started again: kmirror.where: not set" in changed.text
    assert f"{flows.flow('U')}: removed" in changed.text
    assert f"{flows.flow('V')}: added" in changed.text
    driver.wait_for_line(rf"{flows.flow('U')}: stopped")
    driver.wait_until(lambda: flows.is_copied("V", third), "the new flow", _COPIED_S_MAX)
    write(kafka_pair.a, one, numbered("late", range(5)))
    driver.wait_until(lambda: flows.is_copied("S", one, 15), "the flow again", _COPIED_S_MAX)
    assert reload(flows.file).text.count("it says what it said before") == 1
    assert driver.stop() == 0


def test_a_bad_file_changes_nothing(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What is right beside it neither; Spark has the last word."""
    flows = Reloaded(kafka_pair, tmp_path)
    one, other = flows.topic("one"), flows.topic("other")
    flows.write(*flows.lines("S", one))
    driver = warm_driver(flows.file)
    driver.wait_until(lambda: flows.is_copied("S", one), "the copy", _COPIED_S_MAX)

    flows.write(*flows.lines("S", f"{one}, {other}", "kmirror.slots = many"))
    here = reload(flows.file)
    assert here.code == 2, here.text
    assert "kmirror.slots" in here.text
    os.kill(driver.pid, signal.SIGHUP)
    driver.wait_for_line(r"because of SIGHUP, and nothing was changed: .*kmirror\.slots")
    flows.write(*flows.lines("S", f"{one}, {other}", "kmirror.where = no_such_column > 1"))
    refused = reload(flows.file)
    assert refused.code == 2, refused.text
    assert "no_such_column" in refused.text

    write(kafka_pair.a, one, numbered("late", range(5)))
    driver.wait_until(lambda: flows.is_copied("S", one, 15), "the flow goes on", _COPIED_S_MAX)
    assert not flows.is_copied("S", other)
    assert driver.stop() == 0


def test_by_itself(kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path) -> None:
    """Nobody asks; the file says so."""
    flows = Reloaded(kafka_pair, tmp_path)
    one, other = flows.topic("one"), flows.topic("other")
    wants = "config.action.reload = restart"
    flows.write(*flows.lines("S", one, wants))
    driver = warm_driver(flows.file)
    driver.wait_until(lambda: flows.is_copied("S", one), "the copy", _COPIED_S_MAX)
    flows.write(*flows.lines("S", f"{one}, {other}", wants))
    driver.wait_until(lambda: flows.is_copied("S", other), "the other topic", _EFFECT_S_MAX)
    driver.wait_for_line(r"by itself \(config.action.reload = restart\): ")
    assert driver.stop() == 0
    silent = reload(flows.file)
    assert silent.code == 3, silent.text
    assert "no driver has answered" in silent.text


def test_a_window_closes_and_opens(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """It is one of the settings that a reload changes while the flow copies."""
    flows = Reloaded(kafka_pair, tmp_path)
    one = flows.topic("one")
    flows.write(*flows.lines("S", one))
    driver = warm_driver(flows.file)
    driver.wait_until(lambda: flows.is_copied("S", one), "the copy", _COPIED_S_MAX)

    # A day that is neither today nor yesterday, whatever the test crosses.
    away = DAYS[(datetime.now(UTC).weekday() + 3) % 7]
    flows.write(*flows.lines("S", one, f"kmirror.window = {away} 10:00-11:00"))
    assert reload(flows.file).code == 0
    driver.wait_for_line(rf"pause the whole flow until .*, by kmirror\.window: {away}")
    driver.wait_for_line(r"plan 2: ")
    write(kafka_pair.a, one, numbered("late", range(5)))
    told = status(flows.file)
    assert told.code == 5, told.text
    assert f"by kmirror.window: {away} 10:00-11:00" in told.text
    assert flows.is_copied("S", one)

    flows.write(*flows.lines("S", one, "kmirror.window = 00:00-24:00"))
    assert reload(flows.file).code == 0
    driver.wait_for_line("its window is open")
    driver.wait_until(lambda: flows.is_copied("S", one, 15), "what came meanwhile", _EFFECT_S_MAX)
    assert driver.stop() == 0
