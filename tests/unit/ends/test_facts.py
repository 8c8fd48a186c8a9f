"""Whether a position went away, or was never there: a topic's partitions tell it together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from kmirror.admin.fake import FakeAdmin
from kmirror.config.load import load
from kmirror.ends.discovery import Mirrored
from kmirror.ends.facts import FactsReader
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.topics import NewTopic
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import PositionMetadata
from tests.support.driver import A_TO_B, write_properties
from tests.support.fake_flow import fake_clients

_BOTH_WAYS = (
    "replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
    "kmirror.provenance = true",
    "sync.topic.configs.enabled = false",
)
_PARTITIONS = tuple(TopicPartition(topic, number) for topic in ("old", "new") for number in (0, 1))


class BothWays:
    """A flow A->B that keeps the names of topics; B's own applications write to them, too."""

    def __init__(self, folder: Path, positions: Iterable[TopicPartition]) -> None:
        config = load(write_properties(folder, "a:9092", "b:9092", *_BOTH_WAYS), environ={})
        self.flow = config.flow(A_TO_B)
        self.source, self.target = FakeAdmin(), FakeAdmin()
        for admin in (self.source, self.target):
            admin.create_topics(
                [NewTopic(name=name, partitions=2, replication_factor=1) for name in ("old", "new")]
            )
            for place in _PARTITIONS:
                admin.set_log(place, end=50)
        at = GroupPosition(offset=50, metadata=PositionMetadata(target_offset=50).encode())
        self.target.set_group_positions(
            position_group(self.flow.flow), dict.fromkeys(positions, at)
        )

    def parked(self) -> set[TopicPartition]:
        """Give what a start would park."""
        clients = replace(fake_clients(self.flow, self.source), target=self.target)
        mirrored = [Mirrored(source=tp, target=tp, topic_id="") for tp in _PARTITIONS]
        parks = FactsReader(self.flow, clients).standing(mirrored, group_is_older=True)
        return {park.partition for park in parks}


def test_a_topic_that_the_file_names_newly_is_not_one_that_lost_its_positions(
    tmp_path: Path,
) -> None:
    """Both sides have records of it, and nothing of it was ever copied: it is begun, not parked."""
    assert BothWays(tmp_path, _PARTITIONS[:2]).parked() == set()


def test_a_flow_that_was_claimed_and_had_no_time_to_write_positions_begins(tmp_path: Path) -> None:
    """Its driver ended between the claim and the first positions."""
    assert BothWays(tmp_path, ()).parked() == set()
