"""Replicator, Mirus, MirrorMaker 1, uReplicator and Brooklin: what their files become."""

from __future__ import annotations

import json

import pytest

from kmirror.errors import ConfigError
from kmirror.importers.options import ImportOptions
from kmirror.importers.outcome import Fate, Imported
from kmirror.importers.setting import SourceFile
from tests.support.imports import (
    data_files,
    fates_of,
    import_of,
    lines_of,
    outcome_of,
    text_files,
)

_IDENTITY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
_REPLICATOR = {
    "name": "r",
    "connector.class": "io.confluent.connect.replicator.ReplicatorSourceConnector",
    "topic.whitelist": "t",
    "src.kafka.bootstrap.servers": "a-1:9092",
    "dest.kafka.bootstrap.servers": "b-1:9092",
}
_MIRUS = {
    "name": "m",
    "connector.class": "com.salesforce.mirus.MirusSourceConnector",
    "topics.whitelist": "t",
    "consumer.bootstrap.servers": "a-1:9092",
    "destination.consumer.bootstrap.servers": "b-1:9092",
}
_STREAM = {"name": "s", "source": {"connectionString": "kafka://a-1:9092/t"}}
_SERVER = "brooklin.server.transportProvider.k.bootstrap.servers=b-1:9092\n"
_CLIENTS = ("bootstrap.servers=a-1:9092\ngroup.id=g\n", "bootstrap.servers=b-1:9092\n")


def _replicator(*connectors: dict[str, str]) -> Imported:
    return import_of(
        "replicator", text_files(json.dumps([_REPLICATOR | each for each in connectors]))
    )


def test_replicator() -> None:
    """Every key of the public examples has its fate."""
    found = import_of("replicator", data_files("replicator/dc1-to-dc2.json"))
    lines = lines_of(found)
    assert found.complete
    assert found.problems == ()
    assert lines["clusters"] == "dc1, target"
    assert lines["dc1->target.topics"] == r"topic1, app\.orders, pageviews-.*"
    assert lines["dc1->target.topics.exclude"] == "pageviews-test, __.*"
    assert lines["dc1->target.refresh.topics.interval.seconds"] == "120"
    assert lines["dc1->target.sync.topic.configs.interval.seconds"] == "91"
    assert lines["dc1->target.replication.factor"] == "3"
    assert lines["dc1->target.source.consumer.max.poll.records"] == "2000"
    assert lines["dc1->target.producer.override.batch.size"] == "500000"
    assert lines["dc1->target.kmirror.position.missing"] == "adopt"
    assert "dc1->target.replication.policy.class" not in lines
    fates = fates_of(found)
    assert fates["producer.override.acks"] is Fate.DIFFERENT
    assert fates["offset.timestamps.commit"] is Fate.DIFFERENT
    assert fates["confluent.license"] is Fate.EQUAL


def test_replicators_of_both_directions_are_one_pair() -> None:
    """Clusters are known by their addresses; names that are the same both ways would go round."""
    back = {
        "name": "back",
        "src.kafka.bootstrap.servers": "b-1:9092",
        "dest.kafka.bootstrap.servers": "a-1:9092",
    }
    found = _replicator({}, back | {"topic.whitelist": "u"})
    assert lines_of(found)["clusters"] == "source, target"
    assert lines_of(found)["target->source.topics"] == "u"
    round_trip = _replicator({}, back)
    assert round_trip.problems == ()
    assert not round_trip.complete
    assert "target->source.enabled" not in lines_of(round_trip)


def test_two_replicators_with_provenance_headers() -> None:
    """The example of the documentation: both directions have the header, and nothing goes round."""
    found = import_of("replicator", data_files("replicator/both-ways.json"))
    lines = lines_of(found)
    assert found.problems == ()
    assert lines["source->target.topics"] == "topic1, _schemas"
    for flow in ("source->target", "target->source"):
        assert lines[f"{flow}.enabled"] == "true"
        assert lines[f"{flow}.kmirror.provenance"] == "true"
    assert not any(each.refused for each in found.lines)


def test_connectors_between_the_same_clusters_are_one_flow() -> None:
    """Their topics are joined; one that names its copies otherwise has a flow of its own."""
    found = _replicator({}, {"name": "q", "topic.whitelist": "u"})
    assert lines_of(found)["source->target.topics"] == "t, u"
    other = _replicator({"topic.rename.format": "east_${topic}"}, {"name": "q"})
    lines = lines_of(other)
    assert lines["clusters"] == "east, target, source"
    assert lines["east->target.replication.policy.separator"] == "_"
    assert lines["source->target.replication.policy.class"] == _IDENTITY


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"topic.whitelist": "", "topic.regex": "a{1,2}"}, "topic.regex"),
        ({"value.converter": "io.confluent.connect.avro.AvroConverter"}, "value.converter"),
        ({"transforms": "drop"}, "transforms"),
        (
            {"transforms": "m", "transforms.m.type": "com.example.Mask"},
            "transforms.m.type",
        ),
    ],
)
def test_what_cannot_be_decided_copies_nothing(more: dict[str, str], key: str) -> None:
    """A file that starts must not copy other topics, names or records than were copied before."""
    found = _replicator(more)
    assert fates_of(found)[key] is Fate.UNSUPPORTED
    assert lines_of(found)["source->target.topics"] == ""
    assert any("copies no topics" in remark for remark in found.remarks)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("form", "replacement"),
    [
        ("${topic}.replica", "$1.replica"),
        ("copyof${topic}", "copyof$1"),
        ("a-${topic}-b", "a-$1-b"),
        ("sales", "sales"),
    ],
)
def test_names_that_no_policy_makes(form: str, replacement: str) -> None:
    """A transform of Connect's makes them, which kmirror has, too."""
    found = _replicator({"topic.rename.format": form})
    lines = lines_of(found)
    assert found.complete
    assert found.problems == ()
    assert lines["source->target.topics"] == "t"
    assert lines["source->target.replication.policy.class"] == _IDENTITY
    assert lines["source->target.transforms"] == "rename"
    assert lines["source->target.transforms.rename.replacement"] == replacement
    assert outcome_of(found, "topic.rename.format").lines == ("source->target.transforms",)


def test_transforms_come_after_the_name() -> None:
    """As in Replicator; one flow for each chain of them."""
    route = {
        "transforms": "drop",
        "transforms.drop.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.drop.regex": "(.*)-test",
        "transforms.drop.replacement": "$1",
    }
    found = _replicator({"topic.rename.format": "${topic}-x"} | route, {"name": "q"})
    lines = lines_of(found)
    assert lines["source->target.transforms"] == "rename, drop"
    assert lines["source->target.transforms.drop.regex"] == "(.*)-test"
    assert lines["clusters"] == "source, target, source2"
    assert "source2->target.transforms" not in lines


def test_a_regular_expression_that_kmirror_refuses_copies_nothing() -> None:
    """Its default would be every topic."""
    found = _replicator({"topic.whitelist": "", "topic.regex": "(?=x).*"})
    assert lines_of(found)["source->target.topics"] == ""
    assert not found.complete


def test_where_to_go_on() -> None:
    """Copies that have the source's partitions say it themselves; others need the offsets."""
    moved = _replicator({"topic.preserve.partitions": "false", "src.consumer.group.id": "grp"})
    assert "source->target.kmirror.position.missing" not in lines_of(moved)
    assert any("offsets of grp on source" in remark for remark in moved.remarks)
    headers = _replicator({"provenance.header.enable": "true"})
    assert headers.complete
    assert "source->target.kmirror.position.missing" not in lines_of(headers)


def test_mirus() -> None:
    """A connector with the workers' file."""
    found = import_of("mirus", data_files("mirus/source.json", "mirus/worker.properties"))
    lines = lines_of(found)
    assert found.complete
    assert lines["clusters"] == "east, target"
    assert lines["east->target.replication.policy.separator"] == "-"
    assert lines["east->target.topics"] == (r"app\.audit, orders-.*, ^logs-[a-z]+$, metrics\..*")
    assert lines["east->target.refresh.topics.interval.seconds"] == "30"
    assert lines["target.producer.compression.type"] == "lz4"
    assert lines["target.security.protocol"] == "SSL"
    assert lines["east->target.kmirror.position.missing"] == "adopt"
    assert "target.offset.storage.topic" not in lines


def test_the_quick_start_of_mirus() -> None:
    """Into the same cluster, by a name with something behind it."""
    names = ("mirus/quickstart-source.json", "mirus/quickstart-worker.properties")
    found = import_of("mirus", data_files(*names))
    assert found.complete
    lines = lines_of(found)
    assert lines["source->target.topics"] == "test"
    assert lines["source->target.transforms.rename.replacement"] == "$1.mirror"
    assert lines["source.bootstrap.servers"] == lines["target.bootstrap.servers"]
    assert any("mirus-offset-tool.sh" in remark for remark in found.remarks)


def test_mirus_writes_where_its_workers_do() -> None:
    """The other cluster was only asked which topics it has."""
    found = import_of("mirus", text_files(json.dumps(_MIRUS), "bootstrap.servers=c-1:9092\n"))
    assert lines_of(found)["target.bootstrap.servers"] == "c-1:9092"
    assert "c-1:9092" in outcome_of(found, "destination.consumer.bootstrap.servers").says


def test_mirrormaker_1() -> None:
    """A script with its two files."""
    names = ("start.sh", "consumer.properties", "producer.properties")
    options = ImportOptions(source="main", target="dr")
    found = import_of("mm1", data_files(*(f"mm1/{name}" for name in names)), options)
    lines = lines_of(found)
    assert found.complete
    assert lines["main->dr.topics"] == "orders.*, payments"
    assert lines["main->dr.replication.policy.class"] == _IDENTITY
    assert lines["main->dr.tasks.max"] == "4"
    assert lines["main.consumer.auto.offset.reset"] == "earliest"
    assert lines["dr.producer.linger.ms"] == "50"
    assert lines["main->dr.emit.offset-syncs.enabled"] == "false"
    assert any("offsets of mirror-main on main" in remark for remark in found.remarks)
    assert "hunter2" not in repr(found)


def test_clients_of_kafka_0_8() -> None:
    """Old names have new ones, or no meaning; without a command nothing says which topics."""
    names = ("mm1/old-consumer.properties", "mm1/old-producer.properties")
    found = import_of("mm1", data_files(*names))
    lines = lines_of(found)
    assert lines["target.bootstrap.servers"] == "new-1:9092,new-2:9092"
    assert lines["source.consumer.max.partition.fetch.bytes"] == "8388608"
    assert lines["source.consumer.auto.offset.reset"] == "earliest"
    assert lines["target.producer.compression.type"] == "gzip"
    assert lines["source->target.topics"] == ""


def test_mirrormaker_1_begins_at_the_end() -> None:
    """Kafka's default, which MirrorMaker 2 and kmirror do not have."""
    found = import_of("mm1", text_files(*_CLIENTS))
    assert lines_of(found)["source.consumer.auto.offset.reset"] == "latest"


@pytest.mark.parametrize(
    ("command", "topics"),
    [
        ("kafka-mirror-maker.sh --whitelist='.*'", ".*"),
        ("kafka-run-class.sh kafka.tools.MirrorMaker --include 'a|b' &", "a|b"),
        ('kafka-mirror-maker.sh --whitelist "a, b" > log 2>&1', "a, b"),
        ("kafka-mirror-maker.sh --num.streams 2 --whitelist a", "a"),
    ],
)
def test_commands(command: str, topics: str) -> None:
    """As they stand in scripts."""
    files = "--consumer.config x/file0 --producer.config x/file1"
    found = import_of("mm1", text_files(*_CLIENTS, command.replace(" --", f" {files} --", 1)))
    assert lines_of(found)["source->target.topics"] == topics


def test_a_message_handler_copies_nothing() -> None:
    """It is a Java class, and nobody knows what it does to records."""
    script = "kafka-mirror-maker.sh --whitelist a --message.handler com.example.Mask\n"
    found = import_of("mm1", text_files(*_CLIENTS, script))
    assert fates_of(found)["message.handler"] is Fate.UNSUPPORTED
    assert lines_of(found)["source->target.topics"] == ""


def _ureplicator(mapping: str) -> Imported:
    kinds = ("clusters", "consumer", "producer", "helix", "dstzk", "secure")
    files = data_files(*(f"ureplicator/{kind}.properties" for kind in kinds))
    return import_of(
        "ureplicator", (*files, SourceFile(name="topicmapping.properties", text=mapping))
    )


def test_ureplicator() -> None:
    """The project's own files: clusters have names, and a topic another one."""
    (mapping,) = data_files("ureplicator/topicmapping.properties")
    found = _ureplicator(mapping.text)
    lines = lines_of(found)
    assert found.complete
    assert lines["clusters"] == "cluster1, cluster2"
    assert lines["cluster2.producer.delivery.timeout.ms"] == "600000"
    assert lines["cluster1.consumer.max.partition.fetch.bytes"] == "8388608"
    assert lines["cluster1.ssl.truststore.location"] == "config/certs/kafka.client.truststore.jks"
    assert lines["cluster1->cluster2.topics"] == "dummyTopic"
    assert lines["cluster1->cluster2.transforms.map0.regex"] == "dummyTopic"
    assert lines["cluster1->cluster2.transforms.map0.replacement"] == "dummyTopic1"
    assert "foobar" not in repr(found)


def test_mappings_of_ureplicator() -> None:
    """Names that stay need no transform; names that are given away and taken are nobody's."""
    kept = _ureplicator("orders orders\na.b a.c\n")
    lines = lines_of(kept)
    assert lines["cluster1->cluster2.topics"] == r"orders, a\.b"
    assert lines["cluster1->cluster2.transforms"] == "map1"
    assert lines["cluster1->cluster2.transforms.map1.regex"] == r"a\.b"
    mixed = _ureplicator("a b\nb c\n")
    assert not mixed.complete
    assert lines_of(mixed)["cluster1->cluster2.topics"] == ""


def test_brooklin() -> None:
    """Datastreams as the REST API gives them."""
    found = import_of("brooklin", data_files("brooklin/datastreams.json"))
    lines = lines_of(found)
    assert lines["east->target.topics"] == "^orders.*$"
    assert lines["east->target.tasks.max"] == "12"
    assert lines["east.security.protocol"] == "SSL"
    assert lines["east->target.source.consumer.auto.offset.reset"] == "latest"
    assert lines["source->target.topics"] == "^audit$"
    assert lines["source->target.transforms.rename.replacement"] == "copyof$1"
    assert any("offsets of orders-mirror on east" in remark for remark in found.remarks)


def test_brooklin_as_commands() -> None:
    """As `brooklin-rest-client.sh` was called, with the server's own file."""
    found = import_of("brooklin", data_files("brooklin/create.sh", "brooklin/server.properties"))
    lines = lines_of(found)
    assert found.complete
    assert lines["source->target.topics"] == "^(first|second)-topic$"
    assert lines["source->target.replication.policy.class"] == _IDENTITY
    assert lines["target.bootstrap.servers"] == "localhost:9092"
    assert lines["source.bootstrap.servers"] == "localhost:9093"


def test_transport_providers_of_brooklin() -> None:
    """Each datastream writes through the one that it names."""
    server = "".join(
        f"brooklin.server.transportProvider.{name}.{key}={value}\n"
        for name in ("x", "y", "z")
        for key, value in (("bootstrap.servers", f"{name}-1:9092"), ("linger.ms", "7"))
    )
    streams = [_STREAM | {"name": name, "transportProviderName": name} for name in ("x", "y")]
    found = import_of("brooklin", text_files(json.dumps(streams), server))
    lines = lines_of(found)
    assert lines["clusters"] == "source, target, target2"
    assert lines["target2.bootstrap.servers"] == "y-1:9092"
    assert lines["target.producer.linger.ms"] == lines["target2.producer.linger.ms"] == "7"
    unused = [each for each in found.outcomes if ".z." in each.setting.key]
    assert [each.lines for each in unused] == [(), ()]


@pytest.mark.parametrize(
    ("system", "texts", "words"),
    [
        ("replicator", (json.dumps(_MIRUS),), "expected io.confluent"),
        ("replicator", (json.dumps({**_REPLICATOR, "src.kafka.bootstrap.servers": ""}),), "src.k"),
        ("mirus", (json.dumps(_REPLICATOR),), "expected com.salesforce.mirus"),
        ("mirus", (json.dumps({**_MIRUS, "consumer.bootstrap.servers": ""}),), "is missing"),
        ("mm1", (_CLIENTS[0],), "expected two files"),
        ("mm1", (*_CLIENTS, "kafka-mirror-maker.sh --consumer.config y\n"), "give this file, too"),
        ("mm1", (*_CLIENTS, "kafka-mirror-maker.sh --whitelist 'a\n"), "file2:1: command"),
        ("mm1", (*_CLIENTS, "kafka-mirror-maker.sh\nkafka-mirror-maker.sh\n"), "file2:2"),
        ("ureplicator", (_CLIENTS[0],), "producer.properties, too"),
        ("ureplicator", ("x=1\n",), "is none of uReplicator's"),
        ("brooklin", (_SERVER,), "expected datastreams"),
        ("brooklin", (json.dumps(_STREAM),), "give server.properties, too"),
        (
            "brooklin",
            (json.dumps({**_STREAM, "source": {"connectionString": "file:///x"}}), _SERVER),
            "only mirrors of Kafka",
        ),
        ("brooklin", ("brooklin-rest-client.sh -o CREATE -s kafka://a:1/t -m x\n",), "JSON"),
    ],
)
def test_files_that_are_none(system: str, texts: tuple[str, ...], words: str) -> None:
    """They are refused with what to give instead."""
    with pytest.raises(ConfigError) as caught:
        import_of(system, text_files(*texts))
    assert words in str(caught.value)
