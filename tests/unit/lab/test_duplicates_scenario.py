"""Scenario files: what they may say, and what is said about one that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kmirror_lab.duplicates import Effect, find_scenario, names, read_scenario
from kmirror_lab.duplicates.files import mirror_file
from kmirror_lab.duplicates.step import End, Verb, read_step

from kmirror.config.load import load
from kmirror.errors import ConfigError
from kmirror.tune import scenarios as advice

_GOOD = """
says = what it shows
mm2 = duplicated, dies
partitions = 4
records = 100
record.bytes = 50
lasts = 30s
until = end
at.2s = kill
at.0s = set rate 1mbit delay 50ms
at.0s = set loss 30% from target
mirror.us-east-2.producer.retries = 1
"""


def test_a_file_is_read() -> None:
    """Everything in it, and its steps in the order of time."""
    found = read_scenario("mine", _GOOD)
    assert (found.name, found.says) == ("mine", "what it shows")
    assert found.effects == {Effect.DUPLICATED, Effect.DIES}
    assert (found.partitions, found.records, found.record_bytes) == (4, 100, 50)
    assert (found.seconds, found.waits) == (30, True)
    assert found.mirror == (("us-east-2.producer.retries", "1"),)
    rate, loss, kill = found.steps
    assert (rate.verb, rate.change.rate_bit_s, rate.change.delay_s) == (Verb.SET, 10**6, 0.05)
    assert (loss.leaving, loss.change.loss) == (End.TARGET, pytest.approx(0.3))
    assert (kill.verb, kill.at_s) == (Verb.KILL, 2)


def test_what_is_not_said_has_a_default() -> None:
    """A sentence is all that a scenario needs."""
    found = read_scenario("plain", "says = nothing is done")
    assert (found.records, found.partitions, found.steps) == (20_000, 1, ())
    assert not found.effects


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("colour = red", "no such key"),
        ("records = many", "a whole number from 1"),
        ("record.bytes = 5", "a whole number from 12"),
        ("lasts = 45", "a duration like"),
        ("lasts = 5000s", "from 1s to 3600s"),
        ("until = later", "`arrived` or `end`"),
        ("mm2 = explodes", "`no harm`, or some of duplicated"),
        ("at.x = kill", "a duration like"),
        ("at.0s = explode", "a step begins with one of set, cut"),
        ("at.0s =", "a step begins with one of set, cut"),
        ("at.0s = set", "names and values"),
        ("at.0s = set rate", "names and values"),
        ("at.0s = set colour red", "no `colour`"),
        ("at.0s = set rate fast", "a rate like"),
        ("at.0s = set jitter 5ms", "more than the delay"),
        ("at.0s = cut from nowhere", "source or target"),
        ("at.0s = quota", "as `quota 60kB`"),
        ("at.0s = quota 60 kB", "as `quota 60kB`"),
        ("keys = some", "`yes` or `no`"),
        ("at.0s = traffic", "a number of connections"),
        ("at.0s = traffic 101", "0 to 100"),
        ("at.0s = set bucket 1kB", "the bucket is 1kB, and must be 1.6kB"),
        ("at.0s = kill bill", "does not belong behind `kill`"),
        ("at.46s = kill", "later than the end, which is after 45 s"),
    ],
)
def test_what_is_wrong_is_named(line: str, expected: str) -> None:
    """With what would be right."""
    with pytest.raises(ConfigError, match=expected):
        read_scenario("wrong", f"says = x\n{line}\n")


def test_all_that_is_wrong_is_named_at_once() -> None:
    """With the number of each line."""
    with pytest.raises(ConfigError) as caught:
        read_scenario("wrong", "records = 0\nat.0s = explode\n", "wrong.properties")
    places = [problem.where for problem in caught.value.problems]
    assert places == ["wrong.properties:1", "wrong.properties:2", "wrong.properties"]


def test_jitter_needs_its_delay_in_the_same_step() -> None:
    """A step is checked by itself."""
    assert read_step(0, "set delay 50ms jitter 5ms").change.jitter_s == pytest.approx(0.005)


@pytest.mark.parametrize("name", names())
def test_ours_are_right(name: str) -> None:
    """Each file that comes with kmirror can be played."""
    found = find_scenario(name)
    assert found.says
    assert all(step.at_s <= found.seconds for step in found.steps)


@pytest.mark.parametrize("name", names())
def test_kmirror_takes_the_same_file(name: str, tmp_path: Path) -> None:
    """A line that only MirrorMaker 2 obeys is a warning at most."""
    file = tmp_path / "mm2.properties"
    file.write_text(mirror_file("a:9092", "b:9092", find_scenario(name).mirror))
    (flow,) = load(file, environ={}).flows
    assert flow.exactly_once


def test_advice_names_scenarios_that_are_there() -> None:
    """What `kmirror tune` refers to can be played."""
    assert {each.title for each in advice.Scenario} <= set(names())


def test_the_pages_example_is_right() -> None:
    """It is copied."""
    page = (Path(__file__).parents[3] / "docs" / "lab-duplicates.md").read_text()
    (example,) = re.findall(r"^```\n(says = .*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert read_scenario("example", example).effects == {Effect.DUPLICATED}


def test_a_scenario_of_ones_own(tmp_path: Path) -> None:
    """By its file; a name that is none is answered with those there are."""
    file = tmp_path / "mine.properties"
    file.write_text(_GOOD)
    assert find_scenario(str(file)).name == "mine"
    with pytest.raises(ConfigError, match="there is no such scenario; there are answers-cut"):
        find_scenario("absent")
