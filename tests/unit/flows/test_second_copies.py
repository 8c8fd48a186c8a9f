"""Which positions are written for MirrorMaker 2, in virtual time."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kmirror.clock import ManualClock
from kmirror.errors import ClusterUnavailable, Fenced
from kmirror.flows.second_copies import SecondCopies
from kmirror.model import TopicPartition
from tests.support.driver import A_TO_B

T, U, V = (TopicPartition(topic, 0) for topic in "tuv")


class Topic:
    """Takes positions, unless it is away."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.copies = SecondCopies(A_TO_B, self.take, check=self.check, clock=self.clock)
        self.positions = {T: 5, U: 7, V: 0}
        self.taken: list[Mapping[TopicPartition, int]] = []
        self.is_away = self.is_others = False

    def check(self) -> None:
        """Tell whether the flow still is its owner's."""
        if self.is_others:
            raise Fenced("another driver has it", owner="another")

    def take(self, positions: Mapping[TopicPartition, int]) -> None:
        """Take them."""
        if self.is_away:
            raise ClusterUnavailable("away")
        self.taken.append(positions)

    def pass_by(self, minutes: int) -> list[Mapping[TopicPartition, int]]:
        """Let minutes pass, and return what was written."""
        self.taken.clear()
        for _ in range(minutes):
            self.clock.advance(60)
            self.copies.write(self.positions)
        return list(self.taken)


def test_what_has_changed_is_written() -> None:
    """After all of it for the first time; a position that goes back has changed, too."""
    topic = Topic()
    assert topic.pass_by(1) == [{T: 5, U: 7, V: 0}]
    topic.positions |= {U: 9, V: 1}
    assert topic.pass_by(1) == [{U: 9, V: 1}]
    topic.positions |= {U: 8}
    assert topic.pass_by(1) == [{U: 8}]


def test_an_idle_flow_gives_a_sign_of_life() -> None:
    """One position a minute, and all of them once an hour, whatever became of the topic."""
    topic = Topic()
    topic.pass_by(1)
    assert topic.pass_by(60) == [{T: 5}] * 59 + [{T: 5, U: 7, V: 0}]


def test_nothing_is_written_of_what_was_never_copied() -> None:
    """As `Positions.copy_to_mm2`: to MirrorMaker 2 that is no position."""
    topic = Topic()
    topic.positions = {V: 0}
    topic.pass_by(1)
    assert topic.pass_by(1) == [{}]


def test_what_was_not_written_is_written_the_next_time() -> None:
    topic = Topic()
    topic.pass_by(1)
    topic.positions |= {U: 9}
    topic.is_away = True
    with pytest.raises(ClusterUnavailable):
        topic.pass_by(1)
    topic.is_away = False
    assert topic.pass_by(2) == [{U: 9}, {T: 5}]


def test_the_last_copy_is_whole() -> None:
    """Whoever goes on finds everything, although somebody has taken the topic away meanwhile."""
    topic = Topic()
    topic.pass_by(2)
    topic.taken.clear()
    topic.copies.write(topic.positions, whole=True)
    assert topic.taken == [{T: 5, U: 7, V: 0}]


def test_at_the_end_all_of_it_is_written() -> None:
    """What cannot be is no error: the group's own positions count."""
    topic = Topic()
    topic.pass_by(2)
    topic.taken.clear()
    topic.copies.write_last(topic.positions)
    assert topic.taken == [topic.positions]
    topic.is_away = True
    topic.copies.write_last(topic.positions)
    assert topic.taken == [topic.positions]


def test_a_newer_owners_copy_is_not_written_over() -> None:
    """Neither within a run, nor at its end."""
    topic = Topic()
    topic.is_others = True
    for write in (topic.copies.write, topic.copies.write_last):
        with pytest.raises(Fenced):
            write(topic.positions)
    assert not topic.taken
