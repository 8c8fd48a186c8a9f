"""What differs between two states of a file, and what a running driver has to do for it."""

from __future__ import annotations

from dataclasses import fields

import pytest

from kmirror.config.changes import (
    LIVE_FIELDS,
    RESTART_FIELDS,
    ChangeKind,
    changes,
    kept_where_silent,
)
from kmirror.config.consumers import ConsumersConfig
from kmirror.config.effective import flow_settings
from kmirror.config.field_keys import CLIENTS_OF, KEYS_OF, SAME_AS, is_made_of
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.model import Flow
from tests.support.mirror_files import BASE, Load

AB, BA = Flow("A", "B"), Flow("B", "A")


def kinds(before: MirrorConfig, after: MirrorConfig) -> dict[Flow, ChangeKind]:
    return {change.flow: change.kind for change in changes(before, after).flows}


def test_every_setting_of_a_flow_says_what_a_change_of_it_takes() -> None:
    """A new field of FlowConfig has to choose."""
    names = {field.name for field in fields(FlowConfig)} - {"flow", "consumers"}
    names |= {f"consumers.{field.name}" for field in fields(ConsumersConfig)}
    unsaid = names - LIVE_FIELDS - RESTART_FIELDS
    assert not unsaid, (
        f"{sorted(unsaid)}: name them in config/changes.py, in LIVE_FIELDS if whoever holds the "
        "FlowConfig in a running flow takes a new one over (MirrorFlow registers them: "
        "`parts.live.follow(...)`), else in RESTART_FIELDS: the flow starts again for it"
    )
    assert not LIVE_FIELDS & RESTART_FIELDS
    told = KEYS_OF.keys() | CLIENTS_OF.keys() | SAME_AS.keys()
    assert names == told, "name its keys in config/field_keys.py"
    assert names == LIVE_FIELDS | RESTART_FIELDS, "a name is not a field any more"


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ("A->B.topics = orders", ChangeKind.LIVE),
        ("A->B.groups = billing", ChangeKind.LIVE),
        ("kmirror.data.gap = continue", ChangeKind.LIVE),
        ("sync.topic.configs.interval.seconds = 7", ChangeKind.LIVE),
        ("A->B.kmirror.window = 22:00-06:00", ChangeKind.LIVE),
        ("kmirror.acls = exact", ChangeKind.LIVE),
        ("A->B.topics = orders\nA->B.kmirror.slots = 3", ChangeKind.RESTARTED),
        ("A->B.kmirror.where = offset > 7", ChangeKind.RESTARTED),
        ("B.producer.linger.ms = 9", ChangeKind.RESTARTED),
        ("sync.group.offsets.enabled = true", ChangeKind.RESTARTED),
    ],
)
def test_what_a_change_takes(load_text: Load, more: str, kind: ChangeKind) -> None:
    assert kinds(load_text(), load_text(more)) == {AB: kind}


def test_flows_that_do_not_differ_are_not_touched(load_text: Load) -> None:
    """Not by what comes, goes or changes beside them, nor by another place in the file."""
    both = "B->A.enabled = true\nA->B.kmirror.where = offset > 7\n"
    before, after = load_text(both), load_text("# moved\n\n" + both + "B->A.topics = x\n")
    assert kinds(before, after) == {BA: ChangeKind.LIVE}
    assert kinds(before, load_text("A->B.kmirror.where = offset > 7\n")) == {BA: ChangeKind.REMOVED}
    assert kinds(load_text("A->B.kmirror.where = offset > 7\n"), before) == {BA: ChangeKind.ADDED}
    assert not changes(before, load_text("\n# the same\n" + both))


def test_lines_tell_both_values_and_no_secret(load_text: Load) -> None:
    secret = "B.producer.ssl.truststore.password = "
    before = load_text(f"{secret}one-secret\nA->B.topics = a, b\n")
    after = load_text(f"{secret}other-secret\nA->B.topics = a\n")
    lines = changes(before, after).lines
    assert "A->B: started again: topics: a, b -> a" in lines
    text = "\n".join(lines)
    assert "ssl.truststore.password: changed, from [hidden] to another [hidden]" in text
    assert "secret" not in text.replace("truststore.password", "")


def test_what_references_bring_is_not_told(load_text: Load) -> None:
    provider = "config.providers = env\nconfig.providers.env.class = EnvVarConfigProvider\n"
    more = f"{provider}config.providers.env.param.allowlist.pattern = T\ntopics = ${{env:T}}\n"
    before, after = (load_text(more, environ={"T": f"secret-{each}"}) for each in "ab")
    hidden = "topics: changed, from [hidden] to another [hidden]"
    assert changes(before, after).lines == (f"A->B: changed while it copies: {hidden}",)


def test_values_of_sql_are_told_but_their_place_does_not_count(load_text: Load) -> None:
    before, after = (
        load_text("kmirror.where = offset > 7"),
        load_text("#\nkmirror.where = offset > 8"),
    )
    told = "A->B: started again: kmirror.where: offset > 7 -> offset > 8"
    assert changes(before, after).lines == (told,)


def test_what_differs_is_told_as_the_file_writes_it(load_text: Load) -> None:
    """Whatever kmirror makes of it: an SLO, limits, rules for each topic, transforms, clients."""
    before = load_text("groups = a")
    after = load_text("""\
groups = a, b
kmirror.slo.lag.seconds = 9
kmirror.priority = C, audit.*: A
kmirror.data.gap = fail, audit.*: continue
kmirror.poison = park, audit.*: skip
kmirror.audit.enabled = true
sync.topic.configs.interval.seconds = 7
A.consumer.fetch.max.wait.ms = 77
A.consumer.auto.offset.reset = latest
A->B.transforms = prefix
A->B.transforms.prefix.type = org.apache.kafka.connect.transforms.RegexRouter
A->B.transforms.prefix.regex = (.*)
A->B.transforms.prefix.replacement = x.$1
""")
    (flow,) = changes(before, after).flows
    told = {each.name: (each.before, each.after) for each in flow.fields}
    assert told == {
        "groups": ("a", "a, b"),
        "kmirror.slo.lag.seconds": ("30", "9"),
        "kmirror.priority": ("not set", "C, audit.*: A"),
        "kmirror.data.gap": ("fail", "fail, audit.*: continue"),
        "kmirror.poison": ("park", "park, audit.*: skip"),
        "kmirror.audit.enabled": ("false", "true"),
        "sync.topic.configs.interval.seconds": ("600", "7"),
        "A.consumer.fetch.max.wait.ms": ("not set", "77"),
        "A.consumer.auto.offset.reset": ("earliest", "latest"),
        "transforms": ("not set", "prefix"),
        "transforms.prefix.type": (
            "not set",
            "org.apache.kafka.connect.transforms.RegexRouter",
        ),
        "transforms.prefix.regex": ("not set", "(.*)"),
        "transforms.prefix.replacement": ("not set", "x.$1"),
    }
    live = {each.name for each in flow.fields if each.is_live}
    assert live == {
        *("groups", "kmirror.slo.lag.seconds", "kmirror.priority", "kmirror.data.gap"),
        *("kmirror.audit.enabled", "sync.topic.configs.interval.seconds"),
    }


def test_every_setting_of_a_flow_can_be_told(load_text: Load) -> None:
    """A new key has to say which field is made of it, or differences would have Python's names."""
    config = load_text()
    names = {each.name for each in flow_settings(config, config.flows[0])}
    elsewhere = {
        *("enabled", "source.cluster.alias", "target.cluster.alias"),
        *("topic.filter.class", "config.property.filter.class", "group.filter.class"),
        *(each for each in names if each.startswith(("emit.heartbeats.", "heartbeats.topic."))),
    }
    untold = {
        each for each in names - elsewhere if not any(is_made_of(field, each) for field in KEYS_OF)
    }
    assert not untold


def test_settings_of_spark_are_refused(load_text: Load) -> None:
    """All flows are in one session, which cannot take them any more."""
    found = changes(load_text(), load_text("kmirror.spark.executor.memory = 2g"))
    assert found.refused == ("kmirror.spark.executor.memory needs a restart of the driver",)


def test_heartbeats_that_change_are_named(load_text: Load) -> None:
    found = changes(load_text(), load_text("emit.heartbeats.interval.seconds = 9"))
    assert found.heartbeats
    assert not found.flows
    assert not changes(load_text(), load_text()).heartbeats


def test_by_itself_only_those_change_that_want_it(load_text: Load) -> None:
    """`config.action.reload` is a flow's; a flow that goes had said it before."""
    wants, silent = "A->B.config.action.reload = restart\n", "B->A.enabled = true\n"
    before = load_text(wants + silent)
    after = load_text(wants + silent + "topics = orders\n")
    kept = kept_where_silent(before, after)
    assert kinds(before, kept) == {AB: ChangeKind.LIVE}
    assert not changes(before, kept_where_silent(before, load_text(wants)))
    gone = load_text(silent, base=BASE.replace("A->B.enabled = true\n", ""))
    assert kinds(before, kept_where_silent(before, gone)) == {AB: ChangeKind.REMOVED}
