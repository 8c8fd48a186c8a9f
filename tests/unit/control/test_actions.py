"""Orders of one flow, on clusters in memory: what is asked for them, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.config.flows import FlowConfig
from kmirror.control.actions import ControlActions
from kmirror.control.channel import ControlChannel
from kmirror.control.targets import SeekTarget
from kmirror.errors import ClusterUnavailable, OrderRefused
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, TopicState
from kmirror.plans.topics import NewTopic
from kmirror.wire.control_orders import Author, ControlRecord, PauseVerb, Scope
from kmirror.wire.flow_names import position_group
from tests.support.driver import A_TO_B
from tests.support.fake_flow import flow_config

AUTHOR = Author(by="somebody", at_ms=1, reason="")


class Large(FakeAdmin):
    """A cluster of which nobody wants to hear all topics."""

    def topics(self) -> Mapping[str, TopicState]:
        raise AssertionError("all topics are asked for")


class Written(ControlChannel):
    """A channel that keeps what is written to it."""

    def __init__(self) -> None:
        self.records: list[ControlRecord] = []
        self.is_silent = False

    def write(self, records: Iterable[ControlRecord]) -> None:
        self.records += records
        if self.is_silent:
            raise ClusterUnavailable("cluster B: could not write: Local: Timed out")


class Ordered:
    """What gives orders of A->B, whose topic `t` has two partitions, and a copy in generation 2."""

    def __init__(self, folder: Path) -> None:
        self.config = flow_config(folder)
        self.source, self.target, self.channel = Large("A"), Large("B"), Written()
        for admin, names in ((self.source, ("t", "t.g2")), (self.target, ("A.t", "A.t.g2"))):
            admin.create_topics(
                [NewTopic(name=name, partitions=2, replication_factor=1) for name in names]
            )
        self.readings = 0
        self.actions = ControlActions(
            self.config,
            self.source,
            self.target,
            self.channel,
            ManualClock(),
            read_generations=self._read_generations,
        )

    def _read_generations(self) -> FlowConfig:
        self.readings += 1
        return replace(self.config, generations=(("t", 2),))


@pytest.fixture
def ordered(tmp_path: Path) -> Ordered:
    """Give what gives orders."""
    return Ordered(tmp_path)


@pytest.mark.parametrize(
    "scope", [Scope(), Scope(topic="t"), Scope(topic="t", partition=1)], ids=str
)
def test_a_pause_asks_for_its_own_topic_alone(ordered: Ordered, scope: Scope) -> None:
    """However many there are; and not for the generations of copies, which may take long."""
    order = ordered.actions.pause(PauseVerb.PAUSE, scope, AUTHOR)
    assert ordered.channel.records == [order]
    assert ordered.readings == 0


@pytest.mark.parametrize(
    "scope",
    [Scope(topic="u"), Scope(topic="t", partition=2), Scope(topic="no name"), Scope(topic="")],
    ids=str,
)
def test_what_the_flow_does_not_have_is_refused(ordered: Ordered, scope: Scope) -> None:
    with pytest.raises(OrderRefused):
        ordered.actions.pause(PauseVerb.PAUSE, scope, AUTHOR)
    assert ordered.channel.records == []


def test_a_topic_whose_copy_would_be_a_generation_of_another_is_refused(ordered: Ordered) -> None:
    """Only for such a name it matters which generations there are."""
    with pytest.raises(OrderRefused, match=r"does not copy a topic t\.g2"):
        ordered.actions.pause(PauseVerb.PAUSE, Scope(topic="t.g2"), AUTHOR)
    assert ordered.readings == 1


def test_a_seek_is_planned_from_the_position_in_the_generation_of_the_copy(
    ordered: Ordered,
) -> None:
    """Which is read once."""
    ordered.source.set_log(TopicPartition("t", 0), end=9)
    ordered.target.set_group_positions(
        position_group(A_TO_B),
        {
            TopicPartition("A.t", 0): GroupPosition(offset=3),
            TopicPartition("A.t.g2", 0): GroupPosition(offset=5),
        },
    )
    scope = Scope(topic="t", partition=0)
    for offset in (4, 6):
        (seek,) = ordered.actions.plan_seek("seek", scope, SeekTarget(offset=offset), AUTHOR)
        assert (seek.position, seek.order.offset) == (5, offset)
    assert ordered.readings == 1


def test_an_order_without_an_answer_may_have_been_given(ordered: Ordered) -> None:
    """Whoever gives it again without looking may skip two records instead of one."""
    ordered.channel.is_silent = True
    with pytest.raises(ClusterUnavailable, match="may have been given all the same: see `kmirror"):
        ordered.actions.pause(PauseVerb.PAUSE, Scope(topic="t"), AUTHOR)
    assert len(ordered.channel.records) == 1
