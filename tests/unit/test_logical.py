"""Where an application works, as the targets' entries say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

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

OWNER = Owner(driver="d", host="h", pid=1, started_ms=2, slots=3, hold="failover")
ENTRY = TopicPartition("mm2-offsets.A.internal", 0)


class Away(FakeAdmin):
    """A cluster that answers when it likes."""

    is_away = False

    def topics(self) -> Mapping[str, TopicState]:
        if self.is_away:
            raise ClusterUnavailable("away")
        return super().topics()

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        if self.is_away:
            raise ClusterUnavailable("away")
        return super().group_positions(group, partitions)


def world(tmp_path: Path, *lines: str) -> tuple[LogicalTopics, dict[str, Away]]:
    """Give region A's resolver, and the clusters."""
    file = tmp_path / "mm2.properties"
    file.write_text(
        "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "A->B.enabled = true\n" + "".join(f"{line}\n" for line in lines)
    )
    admins = {"A": Away(), "B": Away()}
    for admin, topics in ((admins["A"], ["t"]), (admins["B"], ["t", "A.t", ENTRY.topic])):
        admin.create_topics(
            [NewTopic(name=name, partitions=1, replication_factor=1) for name in topics]
        )

    def open_admin(alias: str, _config: Mapping[str, Any]) -> ClusterAdmin:
        return admins[alias]

    config = load(file, environ={})
    return LogicalTopics(config, region="A", open_admin=open_admin), admins


def hold(admin: FakeAdmin, owner: Owner) -> None:
    """Write the flow's owner."""
    at = GroupPosition(offset=7, metadata=owner.encode())
    admin.set_group_positions(position_group(Flow("A", "B")), {ENTRY: at})


def test_home_and_away(tmp_path: Path) -> None:
    """Away while the flow is held, and home again afterwards."""
    topics, admins = world(tmp_path)
    place = topics.resolve("t")
    assert (place.cluster, place.bootstrap_servers, place.why) == ("A", "a:1", "")
    assert (place.topics, place.write) == (("t",), "t")
    hold(admins["B"], OWNER)
    place = topics.resolve("t")
    assert (place.cluster, place.topics, place.write) == ("B", ("A.t", "t"), "t")
    assert place.pattern == r"^((A)\.){0,1}t$"
    assert "kmirror failover" in place.why
    # Nobody knows, so what was known last counts.
    admins["B"].is_away = True
    with pytest.raises(ClusterUnavailable):
        topics.resolve("t")
    admins["B"].is_away = False
    hold(admins["B"], Owner(driver="d", host="h", pid=1, started_ms=2, slots=3))
    assert topics.resolve("t").cluster == "A"
    admins["B"].is_away = True
    assert topics.resolve("t").cluster == "A"
    topics.close()


def test_names_that_stay(tmp_path: Path) -> None:
    """A migration."""
    policy = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
    topics, admins = world(tmp_path, f"A->B.replication.policy.class = {policy}")
    hold(admins["B"], OWNER)
    place = topics.resolve("t")
    assert (place.pattern, place.topics) == ("^t$", ("t",))


def test_no_such_region(tmp_path: Path) -> None:
    """It is said at once."""
    topics, _ = world(tmp_path)
    with pytest.raises(ValueError, match="no cluster C"):
        LogicalTopics.of_file(tmp_path / "mm2.properties", region="C")
    topics.close()
