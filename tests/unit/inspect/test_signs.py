"""When a driver last gave a sign of life, for whoever asks the clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.owner_entry import this_process
from kmirror.clock import ManualClock
from kmirror.inspect.partitions import _sign_ms
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.topics import NewTopic
from kmirror.wire.flow_names import position_group
from tests.support.driver import A_TO_B
from tests.support.fake_flow import fake_clients, flow_config


def test_a_driver_that_has_just_begun_is_there(tmp_path: Path) -> None:
    """Although it was away for long, and has written nothing yet but its claim."""
    config = flow_config(tmp_path)
    clients = fake_clients(config, FakeAdmin())
    target, topic = clients.target, config.offset_storage_topic
    target.create_topics(
        [NewTopic(name=topic, partitions=config.offset_storage_partitions, replication_factor=1)]
    )
    entry = TopicPartition(topic, 0)
    assert isinstance(target, FakeAdmin)
    clock = ManualClock()
    clock.advance(60.0)
    owner = this_process(clock, A_TO_B, slots=1)
    claim = GroupPosition(offset=2, metadata=owner.encode())
    target.set_group_positions(position_group(A_TO_B), {entry: claim})
    assert _sign_ms(config, clients) is None  # what brokers before 3.0 tell of those who run
    target.set_log(entry, end=1)  # of the time 0
    assert _sign_ms(config, clients) == owner.started_ms == 60_000
    # Who holds the flow drives nothing.
    held = GroupPosition(offset=2, metadata=replace(owner, hold="failover").encode())
    target.set_group_positions(position_group(A_TO_B), {entry: held})
    assert _sign_ms(config, clients) == 0
