"""Plans after a target topic was made anew, without any cluster."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.ends.discovery import Mirrored
from kmirror.ends.positions import Positions, Prepared, parked_recreated
from kmirror.flows.planner import Planner
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from kmirror.state.progress import Progress
from kmirror.wire.position import Owner
from tests.support.fake_flow import fake_clients, flow_config

OLD = Mirrored(
    source=TopicPartition("t", 0), target=TopicPartition("A.t", 0), topic_id="s", target_id="old"
)
NEW = Mirrored(source=OLD.source, target=OLD.target, topic_id="s", target_id="new")
OTHER = Mirrored(
    source=TopicPartition("u", 0), target=TopicPartition("A.u", 0), topic_id="u", target_id="u"
)


def _mirrored(topic: str) -> Mirrored:
    source, target = TopicPartition(topic, 0), TopicPartition(f"A.{topic}", 0)
    return Mirrored(source=source, target=target, topic_id=topic, target_id=topic)


class Decided(Positions):
    """Gives everything position 5, but parks what has another target topic."""

    def __init__(self) -> None:
        self.asked: list[tuple[Mirrored, ...]] = []

    def prepare(
        self,
        partitions: Sequence[Mirrored],
        *,
        late: bool,  # noqa: ARG002 - as the real one
        group_is_older: bool = False,  # noqa: ARG002 - as the real one
        recreated: Collection[TopicPartition] = (),
        cuts: Mapping[TopicPartition, int] | None = None,  # noqa: ARG002 - as the real one
    ) -> Prepared:
        self.asked.append(tuple(partitions))
        return Prepared(
            positions={m.source: 5 for m in partitions if m.target not in recreated},
            parked=tuple(parked_recreated(m) for m in partitions if m.target in recreated),
        )


class Plans:
    """A planner, and what it was given."""

    def __init__(self, folder: Path, *, bounded: bool = False, slots: int = 1) -> None:
        config = flow_config(folder)
        owner = Owner(driver="d", host="h", pid=1, started_ms=1, slots=1)
        self.progress, self.decided, self.source = Progress(), Decided(), FakeAdmin()
        self.planner = Planner(
            config,
            self.progress,
            owner,
            slots=slots,
            file=folder / "plan.json",
            bounded=bounded,
        )
        self._clients = fake_clients(config, self.source)

    def plan(self, *mirrored: Mirrored, anew: bool = False, planned: int = 0) -> list[str]:
        """Plan; give the source topics that lanes copy."""
        self.planner.plan(
            mirrored, self.decided, self._clients, generation=1, anew=anew, planned=planned
        )
        return [topic for slot in self.slots for topic in slot]

    @property
    def slots(self) -> list[list[str]]:
        """The topics of every slot."""
        slots = json.loads(self.planner.file.read_text())["slots"]
        return [[share["topic"] for share in slot["shares"]] for slot in slots]

    def lag(self, topics: str) -> None:
        """Have these topics lag, and no others."""
        self.progress.set_ends({TopicPartition(topic, 0): 100_000 for topic in topics})

    @property
    def parked(self) -> list[tuple[str, str]]:
        """Parked topics and the kinds of why."""
        return [(parked.partition.topic, parked.kind) for parked in self.progress.parked]


def test_lanes_let_go_before_a_position_is_decided(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A lane that still has the partition would write its own position over the decision."""
    plans = Plans(tmp_path)
    assert plans.plan(OLD, OTHER, anew=True) == ["t", "u"]
    assert plans.plan(NEW, OTHER) == ["u"]
    assert plans.decided.asked[-1] == ()
    assert plans.parked == [("t", "target_recreated")]
    assert plans.planner.is_unsettled
    # Some lane has not taken up the plan without it yet.
    assert plans.plan(NEW, OTHER, planned=1) == ["u"]
    assert plans.decided.asked[-1] == ()
    assert plans.planner.is_unsettled
    assert plans.plan(NEW, OTHER, planned=2) == ["u"]
    assert plans.decided.asked[-1] == (NEW,)
    assert plans.parked == [("t", "target_recreated")]
    assert not plans.planner.is_unsettled
    # Told once, however often it is tried in vain.
    plans.plan(NEW, OTHER, planned=4)
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1


def test_a_new_generation_decides_at_once(tmp_path: Path) -> None:
    """Its lanes have not begun; the process remembers which topic was copied to."""
    plans = Plans(tmp_path)
    plans.plan(OLD, anew=True)
    assert plans.plan(NEW, anew=True) == []
    assert plans.decided.asked[-1] == (NEW,)
    assert plans.parked == [("t", "target_recreated")]
    assert not plans.planner.is_unsettled


def test_a_bounded_copy_plans_nothing_whose_end_it_does_not_know(tmp_path: Path) -> None:
    """Such a partition would be copied for ever."""
    plans = Plans(tmp_path, bounded=True)
    plans.source.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
    assert plans.plan(OLD, OTHER, anew=True) == ["t"]
    assert plans.planner.undecided == (OTHER,)
    plans.source.create_topics([NewTopic(name="u", partitions=1, replication_factor=1)])
    assert plans.plan(OLD, OTHER, anew=True) == ["t", "u"]
    assert plans.planner.undecided == ()


def test_a_partition_moves_when_its_lane_has_let_go(tmp_path: Path) -> None:
    """Nobody has it in the plan between; nothing else moves meanwhile."""
    plans = Plans(tmp_path, slots=2)
    mirrored = [_mirrored(name) for name in "abcd"]
    plans.plan(*mirrored, anew=True)
    assert plans.slots == [["a", "c"], ["b", "d"]]
    plans.lag("ac")
    plans.plan(*mirrored, planned=1)
    assert plans.slots == [["c"], ["b", "d"]]
    assert plans.planner.is_unsettled
    # Some lane still has the first plan.
    plans.plan(*mirrored, planned=1)
    assert plans.slots == [["c"], ["b", "d"]]
    plans.lag("bd")
    plans.plan(*mirrored, planned=3)
    assert plans.slots == [["c"], ["a", "b", "d"]]
    assert not plans.planner.is_unsettled


def test_nothing_moves_while_a_lane_is_late(tmp_path: Path) -> None:
    """A lane that never comes to a plan would leave the partition without any."""
    plans = Plans(tmp_path, slots=2)
    mirrored = [_mirrored(name) for name in "abcd"]
    plans.plan(*mirrored, anew=True)
    plans.lag("ac")
    plans.plan(*mirrored, planned=0)
    assert plans.slots == [["a", "c"], ["b", "d"]]
    assert not plans.planner.is_unsettled


def test_what_comes_back_goes_to_the_lane_that_may_have_it(tmp_path: Path) -> None:
    """A partition that was paused and resumed at once need not wait for anybody."""
    plans = Plans(tmp_path, slots=2)
    mirrored = [_mirrored(name) for name in "abcd"]
    plans.plan(*mirrored, anew=True)
    plans.plan(*mirrored[:1], planned=1)
    assert plans.slots == [["a"], []]
    plans.plan(*mirrored, planned=1)
    assert plans.slots == [["a", "c"], ["b", "d"]]
    assert not plans.planner.is_unsettled
