"""A scenario with one thing that is different, and what it gives a mirror to do with."""

from __future__ import annotations

import pytest
from kmirror_lab.duplicates import find_scenario, read_scenario, read_vary, varied, with_records
from kmirror_lab.duplicates.conditions import BATCH_KEY, TIMEOUT_KEY, conditions_of
from kmirror_lab.duplicates.result import Peer

from kmirror.errors import ConfigError

_SLOW = "slow-link-large-batches"


def test_an_option_is_read() -> None:
    """A key, and values between commas; a value may have an equals sign."""
    assert read_vary("rate=200kbit, 1mbit") == ("rate", ("200kbit", "1mbit"))
    assert read_vary("mirror.x=a=b") == ("mirror.x", ("a=b",))
    for wrong in ("rate", "=1mbit", "rate=", "rate=1mbit,,2mbit"):
        with pytest.raises(ConfigError, match="a key and its values are needed"):
            read_vary(wrong)


def test_a_line_is_another() -> None:
    """In its place, not beside it; nothing is foretold of MirrorMaker, of kmirror the same."""
    base = find_scenario(_SLOW)
    found = varied(base, f"mirror.{TIMEOUT_KEY}", "2000")
    assert found.name == f"{_SLOW} us-east-2.producer.request.timeout.ms=2000"
    assert sorted(found.mirror) == sorted(
        (key, "2000" if key == TIMEOUT_KEY else value) for key, value in base.mirror
    )
    assert found.wanted(Peer.MIRROR_MAKER) is None
    assert found.wanted(Peer.KMIRROR) == frozenset()
    conditions = conditions_of(found)
    assert (conditions.request_timeout_ms, conditions.batch_bytes) == (2000, 131072)
    assert conditions.changes == ((f"mirror.{TIMEOUT_KEY}", "2000"),)
    assert conditions.asked == _SLOW


def test_the_link_is_another() -> None:
    """The step at the beginning, or a new one; what comes later stays."""
    found = conditions_of(varied(find_scenario(_SLOW), "rate", "200kbit"))
    assert (found.rate_bit_s, found.delay_s) == (200_000, 0.05)
    added = conditions_of(varied(find_scenario("baseline"), "loss", "5%"))
    assert (added.loss, added.loss_back) == (0.05, 0.05)
    both = varied(varied(find_scenario("lost-answers"), "loss", "10%"), "delay", "10ms")
    assert both.name == "lost-answers loss=10% delay=10ms"
    lossy = conditions_of(both)
    assert (lossy.loss, lossy.loss_back, lossy.delay_s) == (0, 0.1, 0.01)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("colour", "red", "one of rate, queue"),
        ("says", "x", "one of rate, queue"),
        ("at.0s", "kill", "one of rate, queue"),
        ("rate", "fast", "a rate like"),
        ("traffic", "many", "a number of connections"),
        ("keys", "some", "`yes` or `no`"),
        ("records", "many", "a whole number"),
        ("lasts", "10s", "would come after the end"),
    ],
)
def test_what_cannot_be_varied(key: str, value: str, expected: str) -> None:
    """It is named before anything is played."""
    with pytest.raises(ConfigError, match=expected):
        varied(find_scenario("killed-worker"), key, value)


def test_fewer_records() -> None:
    """The same scenario; what was foretold stays."""
    base = find_scenario(_SLOW)
    found = with_records(base, 500)
    assert (found.name, found.records, found.effects) == (_SLOW, 500, base.effects)
    assert conditions_of(found).changes == (("records", "500"),)


def test_everything_else_is_kept_as_text() -> None:
    """So that two runs can be compared that differ in one thing only."""
    found = conditions_of(
        read_scenario(
            "mine",
            "says = x\nuntil = end\nkeys = no\n"
            "at.0s = set rate 1mbit queue 1s bucket 64kB delay 9ms jitter 1ms\n"
            "at.0s = set delay 8ms jitter 0 from target\nat.0s = quota 60kB\nat.3s = kill\n"
            f"mirror.us-east-2.producer.retries = 1\nmirror.{BATCH_KEY} = large\n",
        )
    )
    assert found.asked == "mine"
    assert found.batch_bytes == 16_384
    assert not found.keys
    assert found.lines == (
        "us-east-2.producer.retries = 1",
        "us-east-2.producer.batch.size = large",
    )
    assert found.steps == (
        "queue 1000ms",
        "bucket 64kB",
        "jitter 1ms",
        "from the target: rate 1mbit, queue 1000ms, bucket 64kB, delay 8ms one way",
        "0 s: quota 60kB",
        "3 s: kill",
        "until = end",
    )
