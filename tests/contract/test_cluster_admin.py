"""One contract for every `ClusterAdmin`: the fake, and real brokers."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator

import pytest

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.fake import FakeAdmin
from kmirror.clock import SystemClock
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, TopicConfigEntry, settings_of
from kmirror.plans.topic_settings import REMOTE_STORE, SettingChange
from kmirror.plans.topics import GrowTopic, NewTopic

NOWHERE = "no-such-topic"


@pytest.fixture(params=["fake", pytest.param("kafka", marks=pytest.mark.kafka)])
def admin(request: pytest.FixtureRequest) -> Iterator[ClusterAdmin]:
    """Give an admin client on an empty fake, or on a running cluster."""
    if request.param == "fake":
        yield FakeAdmin()
        return
    cluster = request.getfixturevalue("kafka_pair").a
    with KafkaAdmin("A", {"bootstrap.servers": cluster.bootstrap}, timeout_s=30) as client:
        yield client


@pytest.fixture
def topic(admin: ClusterAdmin) -> str:
    """Give the name of a new topic with two partitions and one setting."""
    name = f"contract-{secrets.token_hex(4)}"
    new = NewTopic(
        name=name, partitions=2, replication_factor=1, configs=(("retention.ms", "123456"),)
    )
    assert admin.create_topics([new]) == {}
    until(lambda: name in admin.topics())
    return name


def until(condition: Callable[[], bool]) -> None:
    """Wait until *condition* holds: metadata reaches the brokers a moment after the answer."""
    clock, never = SystemClock(), threading.Event()
    deadline_s = clock.monotonic_s() + 20
    while not condition():
        assert clock.monotonic_s() < deadline_s, "the condition never held"
        clock.wait(never, 0.02)


def test_describes_the_cluster(admin: ClusterAdmin) -> None:
    """Id, brokers and controller are there."""
    state = admin.describe()
    assert state.cluster_id
    assert len(state.brokers) == 1
    assert state.controller is not None


def test_lists_a_topic(admin: ClusterAdmin, topic: str) -> None:
    """A new topic is listed with its partitions, and is not Kafka's own."""
    state = admin.topics()[topic]
    assert (state.name, state.partitions, state.internal) == (topic, 2, False)


def test_one_topic_is_as_it_is_listed(admin: ClusterAdmin, topic: str) -> None:
    """Asked for alone; nothing is made by asking, and what no topic is called is no error."""
    assert admin.topic(topic) == admin.topics()[topic]
    for absent in (NOWHERE, "", "no name", "..", "n" * 250):
        assert admin.topic(absent) is None
    assert NOWHERE not in admin.topics()


def test_topic_ids_are_stable_and_absent_topics_left_out(admin: ClusterAdmin, topic: str) -> None:
    """An id has Java's 22 characters and stays the same."""
    ids = admin.topic_ids([topic, NOWHERE])
    assert set(ids) == {topic}
    assert len(ids[topic]) == 22
    assert admin.topic_ids([topic]) == ids


def test_a_topic_that_is_not_there_is_told_from_one_that_is(
    admin: ClusterAdmin, topic: str
) -> None:
    """By its id; a topic that is deleted is not there, and deleting it again is no failure."""
    assert admin.told_ids([topic, NOWHERE]) == {**admin.topic_ids([topic]), NOWHERE: None}
    assert admin.delete_topics([topic, NOWHERE]) == {}
    until(lambda: admin.told_ids([topic]) == {topic: None})
    assert admin.delete_topics([topic]) == {}


def test_topic_configs(admin: ClusterAdmin, topic: str) -> None:
    """A setting that was given comes back as one that is no default."""
    configs = admin.topic_configs([topic, NOWHERE])
    assert set(configs) == {topic}
    entry = next(entry for entry in configs[topic] if entry.name == "retention.ms")
    assert (entry.value, entry.is_default, entry.source) == (
        "123456",
        False,
        "DYNAMIC_TOPIC_CONFIG",
    )
    assert not entry.read_only
    assert not entry.sensitive


def entry_of(admin: ClusterAdmin, topic: str, name: str) -> TopicConfigEntry:
    """Read one setting."""
    found = admin.topic_configs([topic])[topic]
    return next(entry for entry in found if entry.name == name)


def test_settings_that_may_be_read(admin: ClusterAdmin, topic: str) -> None:
    """They are those that are read otherwise; defaults are known by their source."""
    found = admin.readable_topic_configs([topic, NOWHERE])
    assert found.entries == admin.topic_configs([topic, NOWHERE])
    assert found.refused == {}
    default = entry_of(admin, topic, "cleanup.policy")
    assert (default.value, default.is_default, default.source) == (
        "delete",
        True,
        "DEFAULT_CONFIG",
    )


def test_replicas_of_a_topic(admin: ClusterAdmin, topic: str) -> None:
    """As many as it was made with."""
    assert admin.topics()[topic].replicas == 1


def test_settings_of_a_broker(admin: ClusterAdmin) -> None:
    """Whether it has a remote store, among others."""
    found = settings_of(admin.broker_configs(admin.describe().brokers[0].id))
    assert found[REMOTE_STORE] == "false"


def change(topic: str, name: str, after: str | None) -> SettingChange:
    """Give a change."""
    return SettingChange(topic=topic, name=name, before="", after=after, reason="")


def test_settings_are_changed_and_taken_back(admin: ClusterAdmin, topic: str) -> None:
    """What is not named stays; an empty policy is one (KIP-1161)."""
    changes = [change(topic, "retention.ms", None), change(topic, "cleanup.policy", "")]
    assert admin.alter_topic_configs(changes, validate_only=True) == {}
    assert entry_of(admin, topic, "retention.ms").value == "123456"
    assert admin.alter_topic_configs(changes) == {}
    own = "DYNAMIC_TOPIC_CONFIG"
    until(lambda: entry_of(admin, topic, "retention.ms").is_default)
    policy = entry_of(admin, topic, "cleanup.policy")
    assert (policy.value, policy.source) == ("", own)
    assert admin.alter_topic_configs([change(topic, "min.insync.replicas", "1")]) == {}
    until(lambda: entry_of(admin, topic, "min.insync.replicas").source == own)
    assert entry_of(admin, topic, "cleanup.policy").value == ""


def test_a_refused_change_fails_its_topic_and_no_other(admin: ClusterAdmin, topic: str) -> None:
    """Of a topic, all changes are made or none."""
    other = f"contract-{secrets.token_hex(4)}"
    admin.create_topics([NewTopic(name=other, partitions=1, replication_factor=1)])
    until(lambda: {topic, other} <= set(admin.topics()))
    changes = [
        change(topic, "retention.ms", "77"),
        change(topic, "no.such.setting", "1"),
        change(other, "retention.ms", "88"),
        change(NOWHERE, "retention.ms", "99"),
    ]
    for validate_only in (True, False):
        failed = admin.alter_topic_configs(changes, validate_only=validate_only)
        assert set(failed) == {topic, NOWHERE}
        assert all(isinstance(error, ClusterError) for error in failed.values())
    until(lambda: entry_of(admin, other, "retention.ms").value == "88")
    assert entry_of(admin, topic, "retention.ms").value == "123456"
    assert admin.alter_topic_configs([]) == {}


def test_creating_twice_is_no_failure(admin: ClusterAdmin, topic: str) -> None:
    """Somebody else may have been faster."""
    assert admin.create_topics([NewTopic(name=topic, partitions=2, replication_factor=1)]) == {}


def test_one_refused_topic_does_not_stop_the_others(admin: ClusterAdmin) -> None:
    """Failures come back by name."""
    good, bad = f"good-{secrets.token_hex(4)}", f"bad-{secrets.token_hex(4)}"
    failed = admin.create_topics(
        [
            NewTopic(name=bad, partitions=1, replication_factor=9),
            NewTopic(name=good, partitions=1, replication_factor=1),
        ]
    )
    assert set(failed) == {bad}
    assert isinstance(failed[bad], ClusterError)
    until(lambda: good in admin.topics())


def test_asking_whether_topics_could_be_made_makes_none(admin: ClusterAdmin) -> None:
    """What would be refused is, with the reason."""
    good, bad = f"good-{secrets.token_hex(4)}", f"bad-{secrets.token_hex(4)}"
    asked = [
        NewTopic(name=bad, partitions=1, replication_factor=9),
        NewTopic(name=good, partitions=1, replication_factor=1),
    ]
    assert set(admin.create_topics(asked, validate_only=True)) == {bad}
    # The broker that would know: making it is a creation, not a repetition.
    assert admin.create_topics(asked[1:]) == {}
    until(lambda: good in admin.topics())
    assert admin.offsets([TopicPartition(good, 0)]) == {TopicPartition(good, 0): 0}


def test_grows_a_topic(admin: ClusterAdmin, topic: str) -> None:
    """Partitions are added; a second time changes nothing; unknown topics fail."""
    grow = GrowTopic(name=topic, from_partitions=2, to_partitions=3)
    assert admin.create_partitions([grow]) == {}
    until(lambda: admin.topics()[topic].partitions == 3)
    assert admin.create_partitions([grow]) == {}
    nowhere = GrowTopic(name=NOWHERE, from_partitions=1, to_partitions=2)
    assert set(admin.create_partitions([nowhere])) == {NOWHERE}


def test_offsets(admin: ClusterAdmin, topic: str) -> None:
    """An empty partition starts and ends at 0; partitions that do not exist are left out."""
    tp = TopicPartition(topic, 1)
    asked = [tp, TopicPartition(topic, 7), TopicPartition(NOWHERE, 0)]
    until(lambda: tp in admin.offsets([tp]))
    assert admin.offsets(asked, "latest") == {tp: 0}
    assert admin.offsets(asked, "earliest", isolation="read_committed") == {tp: 0}


def test_group_positions(admin: ClusterAdmin, topic: str) -> None:
    """Offsets, texts and epochs come back; other partitions of the group stay."""
    group = f"__contract-{secrets.token_hex(4)}"
    assert admin.group_positions(group) == {}
    zero, one = TopicPartition(topic, 0), TopicPartition(topic, 1)
    first = GroupPosition(offset=41, metadata='{"t":40}', leader_epoch=3)
    until(lambda: set(admin.offsets([zero, one])) == {zero, one})
    admin.set_group_positions(group, {zero: first})
    admin.set_group_positions(group, {one: GroupPosition(offset=7)})
    assert admin.group_positions(group) == {zero: first, one: GroupPosition(offset=7)}
    assert admin.group_positions(group, [zero, TopicPartition(NOWHERE, 0)]) == {zero: first}
    assert admin.group_positions(group, []) == {}


def test_positions_of_unknown_partitions_are_refused(admin: ClusterAdmin) -> None:
    """A position nobody could ever use is an error."""
    with pytest.raises(ClusterError):
        admin.set_group_positions(
            "__contract", {TopicPartition(NOWHERE, 0): GroupPosition(offset=1)}
        )


def test_close_twice(admin: ClusterAdmin) -> None:
    """Closing again does nothing."""
    admin.close()
    admin.close()
