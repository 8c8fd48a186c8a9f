"""Two clusters in memory, and what `kmirror failover` leaves on one of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.fake import FakeAdmin
from kmirror.apps.logical import LogicalTopics
from kmirror.config.load import load
from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow, TopicPartition
from kmirror.plans.snapshot import GroupPosition, TopicState
from kmirror.plans.topics import NewTopic
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import Owner

DRIVER = Owner(driver="d", host="h", pid=1, started_ms=2, slots=3)
FAILED_OVER = Owner(driver="d", host="h", pid=1, started_ms=2, slots=3, hold="failover")
_ENTRY = TopicPartition("mm2-offsets.A.internal", 0)


class Away(FakeAdmin):
    """A cluster that answers when it likes."""

    is_away = False
    # As a coordinator that has just been restarted.
    is_blank = False

    def topics(self) -> Mapping[str, TopicState]:
        if self.is_away:
            raise ClusterUnavailable("away")
        return super().topics()

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        if self.is_away:
            raise ClusterUnavailable("away")
        return {} if self.is_blank else super().group_positions(group, partitions)


def region_a(tmp_path: Path, *lines: str) -> tuple[LogicalTopics, dict[str, Away]]:
    """Give region A's resolver, and the clusters."""
    file = tmp_path / "mm2.properties"
    file.write_text(
        "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "A->B.enabled = true\n" + "".join(f"{line}\n" for line in lines)
    )
    admins = {"A": Away(), "B": Away()}
    for admin, topics in ((admins["A"], ["t"]), (admins["B"], ["t", "A.t", _ENTRY.topic])):
        create(admin, *topics)

    def open_admin(alias: str, _config: Mapping[str, Any]) -> ClusterAdmin:
        return admins[alias]

    config = load(file, environ={})
    return LogicalTopics(config, region="A", open_admin=open_admin), admins


def create(admin: FakeAdmin, *topics: str) -> None:
    """Create topics of one partition."""
    admin.create_topics(
        [NewTopic(name=name, partitions=1, replication_factor=1) for name in topics]
    )


def own(admin: FakeAdmin, owner: Owner) -> None:
    """Write the flow's owner."""
    at = GroupPosition(offset=7, metadata=owner.encode())
    admin.set_group_positions(position_group(Flow("A", "B")), {_ENTRY: at})
