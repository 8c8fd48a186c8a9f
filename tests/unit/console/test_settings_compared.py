"""The settings of a topic and of its copy beside each other."""

from __future__ import annotations

from kmirror.console.settings_compared import setting_pairs
from kmirror.plans.snapshot import TopicConfigEntry
from kmirror.plans.topic_settings import MirroredSettings, SettingRules, plan_settings

RULES = SettingRules(allowed=lambda name: name != "follower.replication.throttled.replicas")


def entry(name: str, value: str | None, source: str = "DYNAMIC_TOPIC_CONFIG") -> TopicConfigEntry:
    """Give a setting."""
    return TopicConfigEntry(
        name=name, value=value, source=source, is_default=source == "DEFAULT_CONFIG"
    )


def test_what_would_change_comes_first() -> None:
    """Then what differs and stays so, with the reason; a secret is hidden on both sides."""
    source = (
        entry("cleanup.policy", "compact"),
        entry("follower.replication.throttled.replicas", "*"),
        entry("retention.ms", "1000"),
        entry("segment.bytes", "5", "DEFAULT_CONFIG"),
        entry("secret", None),
        entry("unknown.there", "1"),
    )
    target = (
        entry("cleanup.policy", "compact"),
        entry("follower.replication.throttled.replicas", ""),
        entry("retention.ms", "2000", "STATIC_BROKER_CONFIG"),
        entry("segment.bytes", "7", "STATIC_BROKER_CONFIG"),
        entry("secret", None),
    )
    pair = MirroredSettings(source_topic="t", topic="A.t", source=source, target=target, replicas=3)
    found = setting_pairs(source, target, plan_settings([pair], RULES), RULES.allowed)
    assert [(each.name, each.would_change, each.differs) for each in found] == [
        ("retention.ms", True, True),
        ("follower.replication.throttled.replicas", False, True),
        ("segment.bytes", False, True),
        ("unknown.there", False, True),
        ("cleanup.policy", False, False),
        ("secret", False, False),
    ]
    by_name = {each.name: each for each in found}
    changed = by_name["retention.ms"]
    assert (changed.source_by, changed.target_by) == ("the topic", "the brokers' files")
    assert (changed.becomes, changed.why) == ("1000", "as t has it")
    assert "config.properties.exclude" in by_name["follower.replication.throttled.replicas"].why
    assert by_name["segment.bytes"].why == "each cluster's brokers decide"
    assert not by_name["segment.bytes"].is_own
    assert by_name["unknown.there"].target is None
    assert "do not know it" in by_name["unknown.there"].why
    assert by_name["secret"].source == "[hidden]"
