"""The owner's entry is asked for again when it should be there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NoReturn

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.ownership import Ownership
from kmirror.clock import ManualClock
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.topics import NewTopic
from kmirror.wire.flow_names import position_group
from tests.support.driver import A_TO_B

_TOPIC = "mm2-offsets.A.internal"


class ForgetfulAdmin(FakeAdmin):
    """A target whose coordinator knows nothing the first times."""

    def __init__(self, silent: int) -> None:
        super().__init__("B")
        self.silent = silent

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        self.silent -= 1
        return {} if self.silent >= 0 else super().group_positions(group, partitions)


def _nobody(*_: object) -> NoReturn:
    raise AssertionError("nothing is claimed")


@pytest.mark.parametrize(
    ("silent", "was_owned", "generation", "waited_s"),
    [(0, True, 7, 0), (4, True, 7, 4), (5, True, None, 4), (1, False, None, 0)],
)
def test_it_is_asked_again_where_it_has_to_be_there(
    silent: int, was_owned: bool, generation: int | None, waited_s: int
) -> None:
    """For four seconds; a flow that nobody has ever driven is told at once."""
    clock = ManualClock()
    admin = ForgetfulAdmin(silent)
    assert not admin.create_topics([NewTopic(name=_TOPIC, partitions=1, replication_factor=1)])
    entry_place = {TopicPartition(_TOPIC, 0): GroupPosition(offset=7)}
    admin.set_group_positions(position_group(A_TO_B), entry_place)
    ownership = Ownership(
        A_TO_B, admin, offsets_topic=_TOPIC, open_writer=_nobody, fence=_nobody, clock=clock
    )
    entry = ownership.read_owner(was_owned=was_owned)
    assert (None if entry is None else entry.generation) == generation
    assert clock.monotonic_s() == waited_s
