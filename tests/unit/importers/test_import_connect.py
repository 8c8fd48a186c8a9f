"""Connectors of MirrorMaker 2 in a Connect cluster."""

from __future__ import annotations

import json

import pytest

from kmirror.errors import ConfigError
from kmirror.importers.outcome import Fate
from tests.support.imports import (
    data_files,
    fates_of,
    import_of,
    lines_of,
    outcome_of,
    text_files,
    text_of,
)

_FLOW = "msksource->mskdest"
_BOTH = ("connect/expand-info.json", "connect/connect-distributed.properties")


def _connector(**more: str) -> dict[str, str]:
    return {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "source.cluster.alias": "a",
        "target.cluster.alias": "b",
        "source.cluster.bootstrap.servers": "a-1:9092",
        "target.cluster.bootstrap.servers": "b-1:9092",
    } | {name.replace("_", "."): text for name, text in more.items()}


@pytest.mark.parametrize("name", ["MirrorSourceConnector", "MirrorSource"])
def test_a_class_has_the_names_that_connect_takes(name: str) -> None:
    """In full, simple, or without `Connector`."""
    found = import_of("connect", text_files(json.dumps(_connector(connector_class=name))))
    assert lines_of(found)["a->b.enabled"] == "true"


def test_connectors_become_a_flow() -> None:
    """What each key is in the driver's file, and that nothing else is written."""
    found = import_of("connect", data_files(*_BOTH))
    lines = lines_of(found)
    assert lines["clusters"] == "msksource, mskdest"
    assert {
        key.removeprefix(f"{_FLOW}."): text
        for key, text in lines.items()
        if key.startswith(f"{_FLOW}.")
    } == {
        "enabled": "true",
        "name": "mm2-msc",
        "topics": "orders.*,payments",
        "transforms": "route",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": "copy.$1",
        "topics.exclude": ".*[\\-\\.]internal, .*\\.replica, __.*",
        "tasks.max": "4",
        "key.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
        "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
        "replication.factor": "3",
        "offset-syncs.topic.replication.factor": "3",
        "sync.topic.acls.enabled": "false",
        "sync.topic.configs.interval.seconds": "30",
        "refresh.topics.interval.seconds": "20",
        "producer.override.batch.size": "327680",
        "source.consumer.fetch.max.bytes": "104857600",
        "consumer.auto.offset.reset": "latest",
        "groups": "app-.*",
        "checkpoints.topic.replication.factor": "3",
        "emit.checkpoints.interval.seconds": "20",
        "sync.group.offsets.enabled": "true",
        "heartbeats.topic.replication.factor": "3",
        "emit.heartbeats.interval.seconds": "20",
        "emit.heartbeats.enabled": "true",
    }
    assert lines["emit.heartbeats.enabled"] == "false"
    assert found.problems == ()


def test_transforms_that_kmirror_cannot_do_stand_together() -> None:
    """One of them is refused, all become comments, and nothing is copied until it is settled."""
    chain = {
        "transforms": "route, mask",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": "x.$1",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
        "topics": "t",
    }
    found = import_of("connect", text_files(json.dumps(_connector() | chain)))
    assert {key for key, fate in fates_of(found).items() if fate is Fate.UNSUPPORTED} == {
        key for key in chain if key.startswith("transforms")
    }
    assert lines_of(found)["a->b.topics"] == ""
    assert "# a->b.transforms.route.regex = (.*)" in text_of(found)
    assert found.problems == ()


def test_workers_say_where_positions_are() -> None:
    """With the topic and the connector's name kmirror goes on where MirrorMaker 2 stopped."""
    found = import_of("connect", data_files(*_BOTH))
    lines = lines_of(found)
    assert lines["mskdest.offset.storage.topic"] == "connect-offsets-mirror"
    assert lines["mskdest.producer.linger.ms"] == "5"
    assert "not applied" in outcome_of(found, "producer.acks").says
    assert fates_of(found)["consumer.max.poll.records"] is Fate.EQUAL
    assert not any("offset.storage.topic" in remark for remark in found.remarks)
    alone = import_of("connect", data_files("connect/expand-info.json"))
    assert any("mskdest.offset.storage.topic" in remark for remark in alone.remarks)


def test_what_no_client_reads_is_left_out() -> None:
    """It would begin to do something in the driver's file, where it has another meaning."""
    found = import_of("connect", data_files(*_BOTH))
    ignored = outcome_of(found, "source.cluster.producer.linger.ms")
    assert (ignored.fate, ignored.lines) == (Fate.EQUAL, ())
    assert "msksource.producer.linger.ms" not in lines_of(found)
    # Of a connector that does not read it; the one that does has it, too.
    outcomes = [each for each in found.outcomes if each.setting.key == "replication.factor"]
    assert [each.lines for each in outcomes] == [(f"{_FLOW}.replication.factor",), ()]


def test_others_stay_where_they_are() -> None:
    """A connector that is no mirror is no failure, and its passwords are its own."""
    found = import_of("connect", data_files(*_BOTH))
    other = [each for each in found.outcomes if "jdbc-orders" in each.says]
    assert [each.fate for each in other] == [Fate.DIFFERENT]
    assert "hunter3" not in text_of(found)


def test_secrets_are_in_the_file_and_nowhere_else() -> None:
    """Whoever shows the report shows no password."""
    found = import_of("connect", data_files(*_BOTH))
    assert "hunter2" in lines_of(found)["msksource.sasl.jaas.config"]
    assert "hunter2" not in repr(found)
    assert not any("hunter" in each.setting.shown + each.says for each in found.outcomes)
    assert not any("hunter" in line.shown for line in found.lines)


def test_references_are_followed_where_they_lead() -> None:
    """The provider is Kafka's; kmirror wants to be told which folder it may read."""
    found = import_of("connect", data_files("connect/expand-info.json"))
    lines = lines_of(found)
    assert lines["config.providers"] == "file"
    assert lines["config.providers.file.param.allowed.paths"] == "/opt/connect"


@pytest.mark.parametrize(
    "shape",
    [
        lambda config: config,
        lambda config: {"name": "m", "config": config},
        lambda config: {"name": "m", "config": config, "tasks": [], "type": "source"},
        lambda config: [{"name": "m", "config": config}],
        lambda config: {"m": {"info": {"name": "m", "config": config}, "status": {}}},
    ],
)
def test_shapes(shape: object) -> None:
    """Whatever the REST API gave, or was given."""
    assert callable(shape)
    found = import_of("connect", text_files(json.dumps(shape(_connector(topics="x")))))
    assert lines_of(found)["a->b.topics"] == "x"
    assert lines_of(found)["a->b.emit.checkpoints.enabled"] == "false"


def test_a_properties_file_of_a_connector() -> None:
    """As `connect-standalone.sh` takes it."""
    text = "".join(f"{key}={value}\n" for key, value in _connector(name="x", topics="t").items())
    found = import_of("connect", text_files(text))
    assert lines_of(found)["a->b.name"] == "x"


def test_an_alias_is_one_cluster() -> None:
    """The first one stays, and the other one's setting says so."""
    other = _connector() | {"source.cluster.bootstrap.servers": "c-1:9092", "name": "n"}
    found = import_of("connect", text_files(json.dumps([_connector(), other])))
    told = [each for each in found.outcomes if each.setting.text == "c-1:9092"]
    assert told[0].fate is Fate.DIFFERENT
    assert "a.bootstrap.servers is a-1:9092 already, by file0 $[0]" in told[0].says


def test_workers_that_write_elsewhere() -> None:
    """Records went to the workers' cluster, whatever the connector called its target."""
    worker = "bootstrap.servers=c-1:9092\noffset.storage.topic=o\n"
    found = import_of("connect", text_files(json.dumps(_connector()), worker))
    assert fates_of(found)["bootstrap.servers"] is Fate.DIFFERENT
    assert lines_of(found)["b.bootstrap.servers"] == "b-1:9092"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "expected connectors"),
        ("bootstrap.servers=a:1\n", "has no connectors"),
        ('{"connector.class": "x.Y"}', "expected MirrorMaker 2's connectors, not x.Y"),
        (
            '{"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector"}',
            "source.cluster.alias",
        ),
    ],
)
def test_files_that_are_none(text: str, words: str) -> None:
    """They are refused with what to give instead."""
    with pytest.raises(ConfigError) as caught:
        import_of("connect", text_files(text))
    assert words in str(caught.value)
