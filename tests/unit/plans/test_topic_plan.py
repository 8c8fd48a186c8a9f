"""What is created, what grows, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kmirror.plans.snapshot import TopicConfigEntry, TopicState
from kmirror.plans.topic_settings import SettingRules, settings_at_creation
from kmirror.plans.topics import (
    GrowTopic,
    NewTopic,
    TopicPlan,
    plan_topics,
    topics_to_create,
)

EVERYTHING = SettingRules(allowed=lambda _name: True)


def topics(**partitions: int) -> dict[str, TopicState]:
    """Give a snapshot."""
    return {name: TopicState(name=name, partitions=count) for name, count in partitions.items()}


def remote(name: str) -> str:
    """Be the default replication policy."""
    return f"A.{name}"


def plan(
    source: dict[str, TopicState],
    target: dict[str, TopicState],
    remote_name: Callable[[str], str] = remote,
    replication_factor: int = 2,
) -> TopicPlan:
    """Plan with three brokers and every topic selected."""
    return plan_topics(
        source,
        target,
        remote_name,
        lambda _name: True,
        replication_factor=replication_factor,
        broker_count=3,
        configs={},
        rules=EVERYTHING,
    )


def test_creates_what_is_missing() -> None:
    """Same partitions, configured replication factor, in the order of names."""
    result = plan(topics(b=2, a=1), {})
    assert result.create == (
        NewTopic(name="A.a", partitions=1, replication_factor=2, source_topic="a"),
        NewTopic(name="A.b", partitions=2, replication_factor=2, source_topic="b"),
    )
    assert result


def test_grows_but_never_shrinks_or_deletes() -> None:
    """An empty source plans nothing: it may only mean a revoked ACL."""
    target = {**topics(**{"A.a": 1}), **topics(**{"A.b": 5}), **topics(**{"A.gone": 1})}
    result = plan(topics(a=3, b=2), target)
    assert result == TopicPlan(grow=(GrowTopic(name="A.a", from_partitions=1, to_partitions=3),))
    assert not plan({}, target)


def test_only_selected_topics() -> None:
    """The others are not even looked at."""
    source = topics(a=1, b=1)
    result = plan_topics(
        source,
        {},
        remote,
        lambda name: name == "a",
        replication_factor=1,
        broker_count=1,
        configs={},
        rules=EVERYTHING,
    )
    assert [topic.source_topic for topic in result.create] == ["a"]
    assert topics_to_create(source, {}, remote, lambda name: name == "a") == ("a",)
    assert topics_to_create(source, topics(**{"A.a": 1}), remote, lambda _: True) == ("b",)


def test_too_few_brokers_is_a_problem_with_a_hint() -> None:
    """The brokers would refuse; existing topics are not concerned."""
    result = plan(topics(a=1, b=2), topics(**{"A.b": 1}), replication_factor=4)
    assert [str(problem) for problem in result.problems] == [
        "a: replication.factor = 4, but the target has 3 brokers (set replication.factor = 3)"
    ]
    assert not result.create
    assert len(result.grow) == 1


def test_the_brokers_default_replication_factor() -> None:
    """-1 leaves it to them."""
    assert plan(topics(a=1), {}, replication_factor=-1).create[0].replication_factor == -1


@pytest.mark.parametrize(
    ("remote_name", "words"),
    [
        (lambda _name: "x" * 250, "250 characters"),
        (lambda name: f"A/{name}", "not a legal topic name"),
        (lambda _name: "..", "not a legal topic name"),
    ],
)
def test_impossible_names(remote_name: Callable[[str], str], words: str) -> None:
    """They are said before a broker says it."""
    result = plan(topics(a=1), {}, remote_name)
    assert words in str(result.problems[0])
    assert not result


def test_two_topics_with_one_name() -> None:
    """Mixing two topics into one would be silent damage."""
    result = plan(topics(a=1, b=1), {}, lambda _name: "same")
    assert [topic.source_topic for topic in result.create] == ["a"]
    assert "topic a has the same name on the target" in str(result.problems[0])


def entry(name: str, **more: object) -> TopicConfigEntry:
    """Give a setting."""
    return TopicConfigEntry(name=name, value="1", **more)  # type: ignore[arg-type]  # test shorthand


def test_copied_settings() -> None:
    """MirrorMaker 2's rules."""
    entries = [
        entry("z.set"),
        entry("a.default", is_default=True, source="DEFAULT_CONFIG"),
        entry("static", source="STATIC_BROKER_CONFIG"),
        entry("dynamic.broker", source="DYNAMIC_DEFAULT_BROKER_CONFIG"),
        entry("fixed", read_only=True),
        entry("secret", sensitive=True),
        entry("excluded"),
        TopicConfigEntry(name="unknown", value=None),
    ]

    rules = SettingRules(allowed=lambda name: name != "excluded")
    assert settings_at_creation(entries, rules) == (("dynamic.broker", "1"), ("z.set", "1"))
    with_defaults = settings_at_creation(entries, replace(rules, source_defaults=True))
    assert with_defaults[0] == ("a.default", "1")


@pytest.mark.parametrize(("replicas", "value"), [(None, "3"), (3, "3"), (2, "2")])
def test_a_new_topic_asks_for_no_more_replicas_than_it_has(
    replicas: int | None, value: str
) -> None:
    """Producers with acks=all could not write to it; the brokers' own factor is not known."""
    entries = [TopicConfigEntry(name="min.insync.replicas", value="3")]
    found = settings_at_creation(entries, EVERYTHING, replicas)
    assert found == (("min.insync.replicas", value),)


@pytest.mark.parametrize("has_store", [False, True])
def test_a_new_topic_is_tiered_where_there_is_a_store(has_store: bool) -> None:
    """Elsewhere the topic would be refused."""
    entries = [entry("remote.storage.enable")]
    rules = replace(EVERYTHING, has_remote_store=has_store)
    assert bool(settings_at_creation(entries, rules)) is has_store
