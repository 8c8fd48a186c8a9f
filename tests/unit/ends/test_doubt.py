"""A broker that lags behind parks nothing: what looks like a gap is asked twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.log_admin import PlaceInLog
from kmirror.clock import ManualClock
from kmirror.ends.discovery import Mirrored
from kmirror.ends.log_checks import LogChecks
from kmirror.ends.positions import Positions, Prepared
from kmirror.errors import Fenced
from kmirror.model import TopicPartition
from kmirror.plans.decisions import Keep, Park, Seed
from kmirror.plans.gaps import GapKind
from kmirror.plans.position_facts import PartitionFacts
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.topics import NewTopic
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import PositionMetadata
from tests.support.fake_flow import fake_clients, flow_config

SOURCE, TARGET = TopicPartition("t", 0), TopicPartition("A.t", 0)


class Logs:
    """Logs that are always the same."""

    def kept(self, places: Mapping[TopicPartition, PlaceInLog]) -> Mapping[TopicPartition, int]:
        """Give every place as it was."""
        return {tp: place.offset for tp, place in places.items()}


class Told:
    """Takes what is told of gaps."""

    def __init__(self) -> None:
        self.gaps: list[GapKind] = []

    def record(
        self, decided: Iterable[Keep | Seed | Park], _facts: Iterable[PartitionFacts]
    ) -> None:
        """Note the kinds."""
        gaps = (None if isinstance(each, Keep) else each.gap for each in decided)
        self.gaps += [gap.kind for gap in gaps if gap is not None]


class Claimed:
    """A claim on a flow, until another driver has it."""

    def __init__(self, target: FakeAdmin, group: str, *, fenced: bool) -> None:
        self._target = target
        self._group = group
        self._fenced = fenced

    def check(self) -> None:
        """Raise if another driver has the flow."""
        if self._fenced:
            raise Fenced("another has it", owner="another")

    def write_positions(self, positions: Mapping[TopicPartition, GroupPosition]) -> None:
        """Write positions to the target as it is in memory."""
        self.check()
        self._target.set_group_positions(self._group, positions)


class BusyClock(ManualClock):
    """A clock in whose pauses something happens."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self._happens = happens

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        self._happens()
        return super().wait(event, timeout_s)


class Ends:
    """Both clusters of a flow whose source tells a log that is too short."""

    def __init__(self, folder: Path, *, end: int = 50) -> None:
        self.config = flow_config(folder)
        self.told = Told()
        self.source, self.target = FakeAdmin(), FakeAdmin()
        for admin, place in ((self.source, SOURCE), (self.target, TARGET)):
            admin.create_topics([NewTopic(name=place.topic, partitions=1, replication_factor=1)])
            admin.set_log(place, end=end)
        self.topic_id = self.source.topic_ids(["t"])["t"]
        self.pauses = 0
        if not end:
            return
        metadata = PositionMetadata(target_offset=50, topic_id=self.topic_id)
        self.target.set_group_positions(
            position_group(self.config.flow),
            {TARGET: GroupPosition(offset=60, metadata=metadata.encode())},
        )

    def prepare(
        self,
        happens: Callable[[], None] = lambda: None,
        *,
        fenced: bool = False,
    ) -> Prepared:
        """Decide where the partition goes on."""

        def pause() -> None:
            self.pauses += 1
            happens()

        clients = replace(fake_clients(self.config, self.source), target=self.target)
        clock = BusyClock(pause)
        checks = LogChecks(self.config, clients, lambda _alias, _settings: Logs(), clock)
        mirrored = Mirrored(source=SOURCE, target=TARGET, topic_id=self.topic_id)
        claim = Claimed(self.target, position_group(self.config.flow), fenced=fenced)
        positions = Positions(self.config, clients, checks, self.told, clock, ownership=claim)
        return positions.prepare([mirrored], late=False)


def test_a_lag_is_no_gap(tmp_path: Path) -> None:
    """The second answer has what the first one lacked: nothing is told, nothing stands still."""
    ends = Ends(tmp_path)
    prepared = ends.prepare(lambda: ends.source.set_log(SOURCE, end=60))
    assert prepared.positions == {SOURCE: 60}
    assert ends.pauses == 1
    assert ends.told.gaps == []


def test_what_is_whole_is_asked_once(tmp_path: Path) -> None:
    """Nothing to doubt, nothing to wait for."""
    ends = Ends(tmp_path)
    ends.source.set_log(SOURCE, end=60)
    ends.prepare()
    assert ends.pauses == 0


def test_the_topic_was_made_anew_meanwhile(tmp_path: Path) -> None:
    """Its id is asked again, too: a shorter log of another topic was not truncated."""
    ends = Ends(tmp_path)

    def recreate() -> None:
        ends.source.delete_topic("t")
        ends.source.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
        ends.source.set_log(SOURCE, end=3)

    prepared = ends.prepare(recreate)
    assert [each.kind for each in prepared.parked] == ["TopicRecreated"]
    assert ends.told.gaps == [GapKind.RECREATED]


def test_what_is_gone_for_the_moment_is_decided_later(tmp_path: Path) -> None:
    """A topic that nobody tells of is neither shorter nor anew."""
    ends = Ends(tmp_path)
    prepared = ends.prepare(lambda: ends.source.delete_topic("t"))
    assert (prepared.positions, prepared.parked) == ({}, ())


def test_who_has_lost_the_flow_while_it_decided_writes_no_position(tmp_path: Path) -> None:
    """It was frozen meanwhile: the new owner has positions there by now, and may have copied."""
    ends = Ends(tmp_path, end=0)

    group = position_group(ends.config.flow)
    with pytest.raises(Fenced):
        ends.prepare(fenced=True)
    assert ends.target.group_positions(group, [TARGET]) == {}
    assert ends.prepare().positions == {SOURCE: 0}
    assert ends.target.group_positions(group, [TARGET])[TARGET].offset == 0
