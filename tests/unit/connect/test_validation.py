"""
Settings are checked as a Connect worker checks them: Kafka 4.3.1's answers, recorded once.

`tests/data/connect/answers.json` has what a real worker with MirrorMaker 2's connectors said,
without Kafka's texts of documentation; tests/integration/test_connect_answers.py asks again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kmirror.config.connector import Kind
from kmirror.config.keys.kmirror import KMIRROR_KEYS
from kmirror.config.keys.table import KEYS
from kmirror.config.worker import WorkerConfig
from kmirror.connect.definitions import KMIRROR_GROUP
from kmirror.connect.model import CheckedConfig, ConfigDefinition, ConfigValue
from kmirror.connect.plugins import plugin_config, plugins
from kmirror.connect.validation import errors_of, validate
from kmirror.errors import BadRequest, NotFound
from tests.support.connect_answers import recorded as read_recorded
from tests.support.connect_answers import settings_of
from tests.support.connect_files import (
    CHECKPOINT,
    ENV_PROVIDER,
    SOURCE,
    connector,
    posted,
    worker,
)

OWN_DEFAULTS = {name for name, key in KEYS.items() if key.mm2_default is not None}
OWN_NAMES = {key.name for key in KMIRROR_KEYS}
# Where Connect's answer is a trace of Java or needs a foreign class: ours is another one.
OTHER_WORDS = (
    "replication.policy.class",
    "forwarding.admin.class",
    "topic.filter.class",
    "group.filter.class",
    "config.property.filter.class",
    "transforms.t.regex",
    "predicates.p.pattern",
    "predicates.t.pattern",
    "transforms.t.renames",
    "connector.plugin.version",
    "connector.class",
    "predicates.q.type",
    "transforms.t.type",
)


recorded = cache(read_recorded)


def cases() -> Iterator[Any]:
    for number, case in enumerate(recorded()["cases"]):
        changed = ",".join(list(case["changed"])[:2])
        yield pytest.param(case, id=f"{number}-{case['policy']}-{changed[:60]}")


def values(checked: CheckedConfig) -> dict[str, ConfigValue]:
    return {value.name: value for _, value in checked.configs}


def as_recorded(definition: ConfigDefinition) -> dict[str, Any]:
    return {
        "name": definition.name,
        "type": definition.type,
        "required": definition.required,
        "default_value": definition.default_value,
        "importance": definition.importance,
        "group": definition.group,
        "order_in_group": definition.order,
        "width": definition.width,
        "display_name": definition.display_name,
        "dependents": list(definition.dependents),
    }


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, WorkerConfig]:
    """Give a worker's file for each policy."""
    folder = tmp_path_factory.mktemp("worker")
    key = "connector.client.config.override."
    more = f"{ENV_PROVIDER}PATHX|USER\n{key}allowlist = linger.ms, sasl.jaas.config\n"
    return {
        policy: worker(folder, f"{more}{key}policy = {policy}\n", {"PATHX": "valueofx"})
        for policy in ("All", "None", "Principal", "Allowlist")
    }


@pytest.mark.parametrize("case", list(cases()))
def test_as_connect_answers(case: dict[str, Any], workers: dict[str, WorkerConfig]) -> None:
    """What Connect says is said, in its words; what only kmirror refuses comes behind that."""
    config = {
        name: text if isinstance(text, str | None) else json.dumps(text)
        for name, text in settings_of(case, recorded()["base"]).items()
    }
    if case["status"] != 200 and "Connector" in case["message"].partition(":")[2] + case["message"]:
        with pytest.raises(BadRequest):
            validate(case["plugin"], config, workers[case["policy"]])
        return
    checked = validate(case["plugin"], config, workers[case["policy"]])
    if case["status"] != 200:
        # Connect fails with a trace; here it is a wrong value.
        assert errors_of(checked)
        return
    groups = [group for group in checked.groups if group != KMIRROR_GROUP]
    ours = values(checked)
    for name, (value, errors) in case["values"].items():
        if name == "source.cluster.alias" and "clusters" in config:
            assert not ours[name].errors, "a driver's whole file is taken"
            continue
        if ".converter." in name and name not in ours:
            continue  # of a converter that is refused
        if name in OTHER_WORDS or "converter" in name:
            assert bool(ours[name].errors) >= bool(errors), name
            continue
        assert list(ours[name].errors[: len(errors)]) == errors, name
        if not ours[name].errors[len(errors) :] or errors:
            # Connect shows what references bring.
            posted_text = str(config.get(name))
            assert ours[name].value == (posted_text if "${env:" in posted_text else value), name
    if "json" not in str(config).lower() and "version" not in str(case["changed"]):
        assert groups == case["groups"]


@pytest.mark.parametrize("kind", Kind)
def test_the_definitions_are_connects(kind: Kind) -> None:
    found = [as_recorded(each) for each in plugin_config(kind)]
    own = [each for each in found if each["name"] in OWN_NAMES]
    found = [each for each in found if each["name"] not in OWN_NAMES]
    expected = recorded()["configs"][kind.class_name]
    assert [each["name"] for each in found] == [each["name"] for each in expected]
    for ours, theirs in zip(found, expected, strict=True):
        if ours["name"] in OWN_DEFAULTS:
            ours["default_value"] = theirs["default_value"]
        assert ours == theirs
    assert bool(own) is (kind is Kind.SOURCE)
    assert {each["group"] for each in own} <= {KMIRROR_GROUP}


@pytest.mark.parametrize("plugin", [name for name in recorded()["configs"] if "mirror" not in name])
def test_the_definitions_of_plugins_are_connects(plugin: str) -> None:
    assert [as_recorded(each) for each in plugin_config(plugin)] == recorded()["configs"][plugin]


@pytest.mark.parametrize("kind", Kind)
def test_the_order_in_a_validation_is_connects(kind: Kind, tmp_path: Path) -> None:
    example = {
        Kind.SOURCE: "connect-source.json",
        Kind.CHECKPOINT: "connect-checkpoint.json",
        Kind.HEARTBEAT: "connect-heartbeats.json",
    }[kind]
    ((name, config),) = posted(example).items()
    checked = validate(kind.class_name, config | {"name": name}, worker(tmp_path))
    names = [value.name for _, value in checked.configs if value.name not in OWN_NAMES]
    assert names == recorded()["order"][kind.class_name]
    assert checked.error_count == 0
    hidden = [value.name for _, value in checked.configs if not value.visible]
    assert hidden == [f"{part}.converter.plugin.version" for part in ("key", "value", "header")]


def test_a_transform_has_fields_of_its_own(tmp_path: Path) -> None:
    config = connector(transforms="t") | {
        "name": "n",
        "transforms.t.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.t.regex": "(.*)",
        "transforms.t.replacement": "x-$1",
    }
    checked = validate(SOURCE, config, worker(tmp_path))
    found = [
        (definition, value)
        for definition, value in checked.configs
        if definition is not None and value.name.startswith("transforms.t.")
    ]
    for (definition, value), theirs in zip(found, recorded()["regex_router"], strict=True):
        assert as_recorded(definition) == theirs["definition"]
        assert value.value == theirs["value"]["value"]
        assert list(value.recommended_values) == theirs["value"]["recommended_values"]


def test_every_setting_is_explained() -> None:
    names = [*Kind, *(each.class_name for each in plugins(connectors_only=False))]
    for name in names:
        for definition in plugin_config(name):
            assert len(definition.documentation) >= 10, definition.name


def test_plugins_are_those_that_may_be_named() -> None:
    theirs = {(each["class"], each["type"], each["version"]) for each in recorded()["plugins"]}
    ours = [(each.class_name, each.type, each.version) for each in plugins(connectors_only=False)]
    assert set(ours) <= theirs
    assert len(set(ours)) == len(ours)
    assert [each.type for each in plugins(connectors_only=True)] == ["source"] * 3


def test_an_unknown_plugin() -> None:
    with pytest.raises(NotFound, match=r"Unknown plugin Nope\."):
        plugin_config("Nope")
    assert plugin_config("MirrorSource") == plugin_config(SOURCE)
    assert [each.name for each in plugin_config("RegexRouter")] == ["regex", "replacement"]


def test_what_only_kmirror_refuses_is_said_at_its_setting(tmp_path: Path) -> None:
    config = connector(topics="(", nothing__like__that="x") | {"name": "n"}
    config["source.cluster.sasl.jaas.config"] = "com.x.Evil required p=S3CR3T;"
    config["kmirror.slots"] = "0"
    checked = validate(SOURCE, config, worker(tmp_path))
    found = values(checked)
    assert "expected regexes" in found["topics"].errors[0]
    assert "expected a number from 1" in found["kmirror.slots"].errors[0]
    (error,) = found["source.cluster.sasl.jaas.config"].errors
    assert "does not allow the login module" in error
    assert found["source.cluster.sasl.jaas.config"].value == "[hidden]"
    assert "nothing.like.that" not in found
    assert "S3CR3T" not in repr(checked)


def test_secrets_and_what_references_bring_are_never_shown(tmp_path: Path) -> None:
    config = worker(tmp_path, f"{ENV_PROVIDER}A|B\n", {"A": "S3CR3T", "B": "7"})
    text = {
        "name": "n",
        "topics": "x${env:A}",
        "tasks.max": "${env:A}",
        "offset.lag.max": "${env:B}",
    }
    checked = validate(SOURCE, connector() | text | {"sasl.jaas.config": "S3CR3T"}, config)
    assert "S3CR3T" not in repr(checked)
    found = values(checked)
    assert found["topics"].value == "x${env:A}"
    assert found["offset.lag.max"].value == "${env:B}"
    assert found["tasks.max"].errors[0].startswith("Invalid value [hidden] for configuration")
    found = values(validate(SOURCE, connector() | {"name": "n", "topics": "${env:HOME}"}, config))
    assert "does not allow HOME" in found["topics"].errors[0]


def test_what_excludes_each_other_is_said_with_the_others_known(tmp_path: Path) -> None:
    config = connector() | {"name": "n"}
    checked = validate(SOURCE, config, worker(tmp_path), {"other": connector()})
    assert "other is a MirrorSourceConnector" in values(checked)["source.cluster.alias"].errors[0]
    beside = validate(
        CHECKPOINT, config | {"connector.class": CHECKPOINT}, worker(tmp_path), {"o": connector()}
    )
    assert beside.error_count == 0
