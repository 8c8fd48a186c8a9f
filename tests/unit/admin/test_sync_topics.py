"""Reading, planning and applying topics, on clusters in memory."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror.admin.base import TopicConfigs
from kmirror.admin.fake import FakeAdmin
from kmirror.ends.topics import apply_topics, survey_topics
from kmirror.errors import NotAuthorized
from kmirror.model import TopicPartition
from kmirror.plans.topic_settings import SettingRules
from kmirror.plans.topics import NewTopic, TopicPlan


def read(source: FakeAdmin, target: FakeAdmin) -> TopicPlan:
    """Plan with the default policy."""
    return survey_topics(
        source,
        target,
        remote_name=lambda name: f"A.{name}",
        selected=lambda _name: True,
        rules=SettingRules(allowed=lambda name: name != "min.insync.replicas"),
        replication_factor=1,
    ).plan


def new(name: str, partitions: int) -> NewTopic:
    """Give a topic with two settings."""
    configs = (("cleanup.policy", "compact"), ("min.insync.replicas", "2"))
    return NewTopic(name=name, partitions=partitions, replication_factor=1, configs=configs)


def test_the_target_gets_what_it_lacks_and_then_nothing_more() -> None:
    """Applying twice changes nothing."""
    source, target = FakeAdmin("A"), FakeAdmin("B")
    source.create_topics([new("a", 1), new("b", 3)])
    target.create_topics([new("A.b", 2), new("own", 1)])
    outcome = apply_topics(target, read(source, target))
    assert [topic.name for topic in outcome.created] == ["A.a"]
    assert outcome.created[0].configs == (("cleanup.policy", "compact"),)
    assert [topic.name for topic in outcome.grown] == ["A.b"]
    assert not outcome.failed
    assert target.topics()["A.b"].partitions == 3
    assert not read(source, target)


def test_an_empty_source_changes_nothing() -> None:
    """It may only mean a revoked ACL."""
    source, target = FakeAdmin("A"), FakeAdmin("B")
    target.create_topics([new("A.a", 1)])
    assert not read(source, target)


class Reserved(FakeAdmin):
    """A cluster that keeps the settings of one topic to itself."""

    def readable_topic_configs(self, names: Iterable[str]) -> TopicConfigs:
        error = NotAuthorized("not authorized to read the settings of topic secret")
        found = super().readable_topic_configs(set(names) - {"secret"})
        return TopicConfigs(entries=found.entries, refused={"secret": error})


def test_settings_that_may_not_be_read_stop_one_topic_only() -> None:
    """It is not made without them, and it is named."""
    source, target = Reserved("A"), FakeAdmin("B")
    source.create_topics([new("open", 1), new("secret", 1)])
    plan = read(source, target)
    assert [topic.name for topic in plan.create] == ["A.open"]
    assert [problem.source_topic for problem in plan.problems] == ["secret"]


def test_failures_are_named() -> None:
    """One topic does not stop the others."""
    target = FakeAdmin("B")
    bad = NewTopic(name="bad", partitions=1, replication_factor=5)
    outcome = apply_topics(target, TopicPlan(create=(bad, new("good", 1))))
    assert [failure.topic for failure in outcome.failed] == ["bad"]
    assert [topic.name for topic in outcome.created] == ["good"]


def test_the_fake_keeps_logs_and_gives_new_ids() -> None:
    """What tests of other packages rely on."""
    fake = FakeAdmin()
    fake.create_topics([new("t", 1)])
    tp, first = TopicPartition("t", 0), fake.topic_ids(["t"])
    fake.set_log(tp, start=5, end=9)
    assert (fake.offsets([tp], "earliest"), fake.offsets([tp])) == ({tp: 5}, {tp: 9})
    fake.delete_topic("t")
    assert fake.offsets([tp]) == {}
    fake.create_topics([new("t", 1)])
    assert fake.topic_ids(["t"]) != first
    assert fake.offsets([tp]) == {tp: 0}
