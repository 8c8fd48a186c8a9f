"""Settings follow the source's: MirrorMaker 2's rules, without what they break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.plans.snapshot import TopicConfigEntry
from kmirror.plans.topic_settings import (
    MirroredSettings,
    SettingChange,
    SettingPlan,
    SettingRules,
    plan_settings,
    settings_at_creation,
)

NAMES = ("retention.ms", "cleanup.policy", "min.insync.replicas", "remote.storage.enable")
DEFAULT = "DEFAULT_CONFIG"
_OWN = "DYNAMIC_TOPIC_CONFIG"
_OF_FILE = "STATIC_BROKER_CONFIG"
RULES = SettingRules(allowed=lambda _: True)


def entry(name: str, value: str, source: str = "DYNAMIC_TOPIC_CONFIG") -> TopicConfigEntry:
    return TopicConfigEntry(name=name, value=value, source=source, is_default=source == DEFAULT)


def mirrored(
    source: Sequence[TopicConfigEntry], target: Sequence[TopicConfigEntry], replicas: int = 3
) -> MirroredSettings:
    return MirroredSettings(
        source_topic="orders", topic="A.orders", source=source, target=target, replicas=replicas
    )


def plan(
    source: TopicConfigEntry, target: TopicConfigEntry, rules: SettingRules = RULES
) -> SettingPlan:
    return plan_settings([mirrored([source], [target])], rules)


@pytest.mark.parametrize(
    ("source", "target", "after"),
    [
        (entry("retention.ms", "5"), entry("retention.ms", "9"), "5"),
        (entry("retention.ms", "5"), entry("retention.ms", "5", DEFAULT), "5"),
        (entry("cleanup.policy", ""), entry("cleanup.policy", "delete", DEFAULT), ""),
        (entry("retention.ms", "5", "DYNAMIC_BROKER_CONFIG"), entry("retention.ms", "9"), "5"),
    ],
    ids=["drift", "the same by default", "an empty policy (KIP-1161)", "the source's brokers say"],
)
def test_what_the_source_has_set_is_set(
    source: TopicConfigEntry, target: TopicConfigEntry, after: str
) -> None:
    (change,) = plan(source, target).changes
    assert (change.topic, change.name, change.after) == ("A.orders", source.name, after)
    assert change.reason == "as orders has it"
    assert ("becomes the topic's own (" in str(change)) is (change.before == after)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (DEFAULT, "orders has its default"),
        (_OF_FILE, "orders has what its brokers' files say"),
    ],
)
@pytest.mark.parametrize("source_defaults", [False, True])
def test_an_override_that_is_gone_falls_back(source: str, why: str, source_defaults: bool) -> None:
    """Brokers of the target decide then, and the text says so; a file of brokers is no default."""
    rules = replace(RULES, source_defaults=source_defaults)
    found = plan(entry("retention.ms", "7", source), entry("retention.ms", "9"), rules)
    if source == DEFAULT and source_defaults:
        assert [change.after for change in found.changes] == ["7"]
    else:
        assert [str(change) for change in found.changes] == [
            f"A.orders: retention.ms: 9 becomes the brokers' default ({why})"
        ]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (entry("retention.ms", "5"), entry("retention.ms", "5")),
        (entry("retention.ms", "5", DEFAULT), entry("retention.ms", "9", DEFAULT)),
        (entry("retention.ms", "5", _OF_FILE), entry("retention.ms", "9", DEFAULT)),
        (entry("retention.ms", "5", "DYNAMIC_BROKER_CONFIG"), entry("retention.ms", "5", DEFAULT)),
        (replace(entry("retention.ms", "5"), sensitive=True), entry("retention.ms", "9")),
        (replace(entry("retention.ms", "5"), read_only=True), entry("retention.ms", "9")),
        (replace(entry("retention.ms", "5"), value=None), entry("retention.ms", "9")),
    ],
    ids=["equal", "defaults", "a broker's file", "brokers agree", "secret", "read-only", "unknown"],
)
def test_what_stays(source: TopicConfigEntry, target: TopicConfigEntry) -> None:
    found = plan(source, target)
    assert not found
    assert not found.left_out


def test_an_excluded_key_keeps_what_somebody_set_by_hand() -> None:
    rules = SettingRules(allowed=lambda name: name != "retention.ms")
    assert not plan(entry("retention.ms", "5"), entry("retention.ms", "9"), rules)


def test_defaults_of_the_source_are_copied_when_asked_for() -> None:
    rules = replace(RULES, source_defaults=True)
    (change,) = plan(
        entry("retention.ms", "7", DEFAULT), entry("retention.ms", "9", DEFAULT), rules
    ).changes
    assert change.after == "7"


def test_no_more_replicas_are_asked_for_than_there_are() -> None:
    topic = mirrored(
        [entry("min.insync.replicas", "3")], [entry("min.insync.replicas", "1", DEFAULT)], 2
    )
    (change,) = plan_settings([topic], RULES).changes
    assert change.after == "2"
    assert change.reason == "orders has 3, but there are 2 replicas"


@pytest.mark.parametrize("has_store", [False, True])
def test_tiered_storage_is_left_out_where_there_is_none(has_store: bool) -> None:
    rules = replace(RULES, has_remote_store=has_store)
    found = plan(
        entry("remote.storage.enable", "true"), entry("remote.storage.enable", "false"), rules
    )
    assert bool(found) is has_store
    assert len(found.left_out) == (not has_store)


def test_what_the_target_does_not_know_is_named() -> None:
    found = plan_settings([mirrored([entry("retention.ms", "5")], [])], RULES)
    assert not found
    (left_out,) = found.left_out
    assert left_out.reason == "the target's brokers do not know it"


ENTRIES = st.builds(
    entry,
    st.just(""),
    st.sampled_from(["", "1", "2", "3"]),
    st.sampled_from([_OWN, "DYNAMIC_BROKER_CONFIG", _OF_FILE, DEFAULT]),
)


@st.composite
def all_entries(draw: st.DrawFn) -> list[TopicConfigEntry]:
    found = [replace(draw(ENTRIES), name=name) for name in NAMES]
    return [
        replace(each, value=each.value or "1") if each.name == "min.insync.replicas" else each
        for each in found
    ]


def applied(
    target: Sequence[TopicConfigEntry], changes: Sequence[SettingChange]
) -> list[TopicConfigEntry]:
    """Do to settings what brokers would."""
    after = {change.name: change.after for change in changes}
    return [
        each
        if each.name not in after
        else entry(each.name, after[each.name] or "", DEFAULT if after[each.name] is None else _OWN)
        for each in target
    ]


@given(all_entries(), all_entries(), st.integers(1, 3), st.booleans(), st.booleans())
def test_a_second_run_changes_nothing(
    source: list[TopicConfigEntry],
    target: list[TopicConfigEntry],
    replicas: int,
    source_defaults: bool,
    has_store: bool,
) -> None:
    rules = replace(RULES, source_defaults=source_defaults, has_remote_store=has_store)
    first = plan_settings([mirrored(source, target, replicas)], rules)
    after = applied(target, first.changes)
    assert not plan_settings([mirrored(source, after, replicas)], rules)


@given(
    all_entries(), all_entries(), st.integers(1, 3), st.booleans(), st.sets(st.sampled_from(NAMES))
)
def test_what_a_plan_may_never_do(
    source: list[TopicConfigEntry],
    target: list[TopicConfigEntry],
    replicas: int,
    source_defaults: bool,
    excluded: set[str],
) -> None:
    """It leaves alone what is excluded, asks for no replicas too many, and repeats no value."""
    rules = replace(
        RULES, allowed=lambda name: name not in excluded, source_defaults=source_defaults
    )
    found = plan_settings([mirrored(source, target, replicas)], rules)
    before = {each.name: each for each in target}
    for change in found.changes:
        theirs = before[change.name]
        assert change.name not in excluded
        assert change.before == theirs.value
        assert (change.after, _OWN) != (theirs.value, theirs.source)
        assert change.after is not None or theirs.source == _OWN
        assert change.name != "remote.storage.enable" or change.after is None
        if change.name == "min.insync.replicas" and change.after is not None:
            assert int(change.after) <= replicas


@given(all_entries(), st.integers(1, 3), st.booleans(), st.booleans())
def test_a_topic_that_was_just_made_needs_no_change(
    source: list[TopicConfigEntry], replicas: int, source_defaults: bool, has_store: bool
) -> None:
    """Creation and what keeps it equal follow the same rules."""
    rules = replace(RULES, source_defaults=source_defaults, has_remote_store=has_store)
    given_ = dict(settings_at_creation(source, rules, replicas))
    target = [
        entry(name, given_[name]) if name in given_ else entry(name, "9", DEFAULT) for name in NAMES
    ]
    assert not plan_settings([mirrored(source, target, replicas)], rules)
