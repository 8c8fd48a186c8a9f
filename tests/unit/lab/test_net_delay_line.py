"""Packets on their way, in virtual time."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kmirror_lab.net import delay_line
from kmirror_lab.net.delay_line import DelayLine
from kmirror_lab.net.settings import OneWay


def _line(way: OneWay) -> DelayLine:
    return DelayLine(way, random.Random(1))


def test_a_packet_arrives_when_its_delay_is_over() -> None:
    """Not before, and once."""
    line = _line(OneWay(delay_s=0.1))
    line.put(b"one", 10.0)
    assert line.next_s() == 10.1
    assert line.due(10.09) == []
    assert line.due(10.1) == [b"one"]
    assert line.due(11) == []
    assert line.next_s() is None


@given(st.floats(min_value=0, max_value=0.05), st.integers(min_value=0, max_value=9))
def test_jitter_keeps_the_order_and_its_bounds(jitter_s: float, seed: int) -> None:
    """No packet overtakes another, and none is earlier or later than asked for."""
    line = DelayLine(OneWay(delay_s=0.05, jitter_s=jitter_s), random.Random(seed))
    arrived: dict[bytes, float] = {}
    for millisecond in range(400):
        now_s = millisecond / 1000
        if millisecond < 300:
            line.put(str(millisecond).encode(), now_s)
        arrived |= dict.fromkeys(line.due(now_s), now_s)
    assert list(arrived) == [str(number).encode() for number in range(300)]
    for packet, at_s in arrived.items():
        delay_s = at_s - int(packet) / 1000
        assert 0.05 - jitter_s - 1e-9 <= delay_s <= 0.05 + jitter_s + 0.001 + 1e-9


def test_jitter_has_the_delay_as_its_mean() -> None:
    """Also of packets that follow each other closely."""
    line = _line(OneWay(delay_s=0.1, jitter_s=0.02))
    delays = []
    for step in range(200_000):
        now_s = step * 0.0005
        line.put(b"", now_s)
        delays += [line._waiting[-1][0] - now_s]
        line.due(now_s)
    assert sum(delays) / len(delays) == pytest.approx(0.1, abs=0.001)
    assert min(delays) < 0.085
    assert max(delays) > 0.115


def test_who_overtakes_is_not_delayed() -> None:
    """The share that was asked for."""
    line = _line(OneWay(delay_s=0.1, reorder=0.25))
    at_once = 0
    for number in range(2000):
        line.put(b"", number * 1e-6)
        at_once += len(line.due(number * 1e-6))
    assert at_once / 2000 == pytest.approx(0.25, abs=0.04)


def test_a_change_meets_what_comes_after_it() -> None:
    """What is on its way keeps its time, and is not overtaken."""
    line = _line(OneWay(delay_s=1))
    line.put(b"slow", 0)
    line.way = OneWay()
    line.put(b"quick", 0.5)
    assert line.due(0.9) == []
    assert line.due(1) == [b"slow", b"quick"]


def test_a_full_line_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    """And counts what it dropped."""
    monkeypatch.setattr(delay_line, "PACKETS_MAX", 2)
    line = _line(OneWay(delay_s=1))
    for number in range(3):
        line.put(bytes([number]), 0)
    assert line.dropped == 1
    assert line.due(1) == [b"\0", b"\1"]
