"""From connectors to flows."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.connectors import ConnectorFlow, ConnectorFlows, build_flows, refusal
from kmirror.config.load import load
from kmirror.config.worker import load_worker
from kmirror.model import Flow
from tests.support.connect_files import (
    CHECKPOINT,
    ENV_PROVIDER,
    EXAMPLES,
    HEARTBEAT,
    connector,
    posted,
    worker,
)

AB = Flow("A", "B")
JSON = "org.apache.kafka.connect.json.JsonConverter"
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


def only(found: ConnectorFlows) -> ConnectorFlow:
    assert not found.refused, found.refused
    (flow,) = found.flows
    return flow


def test_the_three_examples_are_one_flow() -> None:
    config = load_worker(EXAMPLES / "connect-distributed.properties", environ={})
    connectors = {
        **posted("connect-source.json"),
        **posted("connect-checkpoint.json"),
        **posted("connect-heartbeats.json"),
    }
    found = build_flows(connectors, config)
    flow = only(found)
    assert flow.flow == AB
    assert flow.connectors == ("public-test", "public-test-checkpoint", "public-test-heartbeats")
    assert flow.config is not None
    assert flow.config.topics == ("mirror-test-.*",)
    assert flow.config.refresh_topics_interval_s == 60
    assert flow.config.consumers.emit_checkpoints_interval_s == 1
    assert flow.config.policy.format_remote_topic("A", "mirror-test-1") == "A_mirror-test-1"
    assert flow.config.connector_name == "public-test"
    assert flow.config.offset_storage_topic == "connect-offsets"
    assert flow.heartbeats is not None
    assert [cluster.bootstrap_servers for cluster in flow.clusters] == ["A:9092", "B:9092"]
    # As they are posted, the separators differ.
    (warning,) = found.warnings["public-test-checkpoint"]
    assert "replication.policy.separator is _ as in public-test" in warning.expected


def test_a_drivers_file_that_was_posted_is_all_its_flows() -> None:
    config = load_worker(EXAMPLES / "connect-distributed.properties", environ={})
    found = build_flows(posted("connect-bidirectional.json"), config)
    assert not found.refused
    assert not found.warnings
    assert [str(each.flow) for each in found.flows] == ["kafka-a->kafka-b", "kafka-b->kafka-a"]
    for each in found.flows:
        assert each.connectors == ("mm2-bidirectional-connector",)
        assert each.config is not None
        assert each.config.slots == 4
        assert each.config.topics == ("payment-events", "user-actions")
        assert each.heartbeats is not None
        assert each.heartbeats.interval_s == 5


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"topics": "a, b", "topics.exclude": "c", "tasks.max": "3", "replication.factor": "1"},
        {"source.cluster.security.protocol": "SSL", "source.admin.request.timeout.ms": "7000"},
        {"source.consumer.fetch.max.bytes": "1000", "consumer.fetch.max.bytes": "2000"},
        {"consumer.fetch.max.bytes": "2000", "admin.request.timeout.ms": "8000"},
        {"producer.override.linger.ms": "7", "target.producer.linger.ms": "8"},
        {"source.consumer.auto.offset.reset": "latest", "kmirror.where": "key is not null"},
        {"offset-syncs.topic.location": "target", "kmirror.data.gap": "continue"},
        {"source.consumer.bootstrap.servers": "x:1", "target.admin.client.id": "me"},
        {"groups": "these", "emit.checkpoints.interval.seconds": "7"},
    ],
)
def test_a_flow_is_what_the_same_lines_of_the_drivers_file_are(
    tmp_path: Path, more: dict[str, str]
) -> None:
    """With a checkpoint connector, since the driver has one, too."""
    groups = {name: text for name, text in more.items() if name.startswith(("groups", "emit."))}
    flow = only(
        build_flows(
            {"s": connector() | more, "t": connector(CHECKPOINT) | groups},
            worker(tmp_path, "producer.acks = all\n"),
        )
    )
    driver = {f"A->B.{name}": text for name, text in more.items()} | {
        "clusters": "A, B",
        "A->B.enabled": "true",
        "A.bootstrap.servers": "a:9092",
        "B.bootstrap.servers": "b:9092",
        "B.producer.acks": "all",
        "A->B.name": "s",
        "offset.storage.topic": "connect-offsets",
    }
    path = tmp_path / "mm2.properties"
    path.write_text("".join(f"{key} = {text}\n" for key, text in driver.items()))
    expected = load(path, environ={}).flow(AB)
    assert flow.config is not None
    for name in type(expected).__slots__:
        if name != "where":
            assert getattr(flow.config, name) == getattr(expected, name), name
    if expected.where is not None:
        assert flow.config.where is not None
        assert flow.config.where.sql == expected.where.sql


def test_each_may_be_alone(tmp_path: Path) -> None:
    config = worker(tmp_path)
    source = only(build_flows({"s": connector()}, config))
    assert source.config is not None
    assert not source.config.consumers.follows_groups
    assert (source.checkpoint, source.heartbeat, source.heartbeats) == (None, None, None)
    groups = only(build_flows({"c": connector(CHECKPOINT)}, config))
    assert (groups.source, groups.config, groups.checkpoint) == (None, None, "c")
    beat = only(
        build_flows({"h": connector(HEARTBEAT, emit__heartbeats__interval__seconds="9")}, config)
    )
    assert beat.heartbeats is not None
    assert (beat.config, beat.heartbeats.interval_s) == (None, 9)


def test_aliases_default_as_in_mirror_maker_2(tmp_path: Path) -> None:
    posted_config = connector()
    del posted_config["target.cluster.alias"]
    assert only(build_flows({"s": posted_config}, worker(tmp_path))).flow == Flow("A", "target")


def test_classes_by_all_names_that_connect_takes(tmp_path: Path) -> None:
    for name in ("MirrorSourceConnector", "MirrorSource"):
        assert only(build_flows({"s": connector(name)}, worker(tmp_path))).source == "s"


def test_enabled_false_does_nothing_and_the_heartbeat_connector_never_looks(tmp_path: Path) -> None:
    connectors = {"s": connector(enabled="false"), "h": connector(HEARTBEAT, enabled="false")}
    found = build_flows(connectors, worker(tmp_path))
    assert found.idle == ("s",)
    assert only(found).heartbeat == "h"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"connector.class": "com.x.Sink"}, "Java classes cannot be loaded here"),
        ({"topics": "("}, "regex"),
        ({"replication.factor": "two"}, "whole number"),
        ({"key.converter": JSON}, "base64 inside JSON"),
        ({"value.converter": "StringConverter"}, "the name of a Java object"),
        ({"header.converter": JSON}, "no copy"),
        ({"source.cluster.alias": "B"}, "another alias"),
        ({"source.cluster.alias": "a b"}, "alias of a source"),
        ({"target.cluster.alias": "A->B"}, "without ->"),
        ({"source.cluster.bootstrap.servers": "x"}, "host:port"),
        ({"kmirror.commit.interval.ms": "40000"}, "transaction.timeout.ms"),
        ({"topics": "${env:X}", "source.cluster.ssl.key.password": "${env:X}"}, "allow"),
        (
            {"emit.offset-syncs.enabled": "false", "offset-syncs.topic.location": "target"},
            "conflict",
        ),
    ],
)
def test_a_connector_is_refused(tmp_path: Path, more: dict[str, str], expected: str) -> None:
    text = f"{ENV_PROVIDER}NONE\n"
    found = build_flows({"s": connector() | more}, worker(tmp_path, text))
    assert not found.flows
    problems = found.refused["s"]
    assert any(expected in problem.expected for problem in problems), problems
    assert {problem.where for problem in problems} == {"connector s"}
    assert not any("A->B." in str(problem) for problem in problems)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"topcis": "a"}, "did you mean topics?"),
        ({"ssl.protocol": "TLSv1.2"}, "source.cluster.ssl.protocol or target.cluster.ssl.protocol"),
        ({"target.producer.linger.ms": "5"}, "write producer.override.linger.ms"),
        ({"target.cluster.linger.ms": "5"}, "reaches no client"),
        ({"whitelist": "a"}, "write topics"),
    ],
)
def test_a_line_without_effect_is_named(
    tmp_path: Path, more: dict[str, str], expected: str
) -> None:
    found = build_flows({"s": connector() | more}, worker(tmp_path))
    assert only(found)
    assert any(expected in each.expected for each in found.warnings["s"]), found.warnings


def test_a_worker_of_json_has_connectors_that_name_bytes(tmp_path: Path) -> None:
    config = worker(tmp_path, f"key.converter = {JSON}\nvalue.converter = {JSON}\n")
    found = build_flows({"s": connector()}, config)
    assert [problem.key for problem in found.refused["s"]] == ["key.converter", "value.converter"]
    assert "the worker's file has" in found.refused["s"][0].expected
    named = connector(key__converter=BYTES, value__converter="ByteArrayConverter")
    assert only(build_flows({"s": named}, config)).config is not None


def test_references_are_the_workers_and_stay_secret(tmp_path: Path) -> None:
    text = f"{ENV_PROVIDER}TOPIC\n"
    config = worker(tmp_path, text, {"TOPIC": "orders"})
    flow = only(build_flows({"s": connector(topics="${env:TOPIC}")}, config))
    assert flow.config is not None
    assert flow.config.topics == ("orders",)
    found = build_flows({"s": connector(tasks__max="${env:TOPIC}")}, config)
    assert found.refused["s"][0].value == "[hidden]"


def test_the_producer_of_records_is_the_workers(tmp_path: Path) -> None:
    config = worker(tmp_path, "producer.linger.ms = 3\nproducer.compression.type = lz4\n")
    flow = only(build_flows({"s": connector(producer__override__linger__ms="4")}, config))
    assert flow.config is not None
    assert flow.config.target_producer.reveal() == {
        "bootstrap.servers": "b:9092",
        "linger.ms": "4",
        "compression.type": "lz4",
    }


def test_a_worker_of_another_cluster_writes_to_the_target(tmp_path: Path) -> None:
    config = worker(
        tmp_path,
        "bootstrap.servers = c:1\nproducer.security.protocol = SSL\nproducer.linger.ms=3\n",
    )
    found = build_flows({"s": connector(target__cluster__client__dns__lookup="x")}, config)
    flow = only(found)
    assert flow.config is not None
    assert flow.config.offset_storage_topic == "mm2-offsets.A.internal"
    assert flow.config.target_producer.reveal() == {"bootstrap.servers": "b:9092", "linger.ms": "3"}
    assert any("would write them to the worker's" in each.expected for each in found.warnings["s"])
    elsewhere = connector(producer__override__bootstrap__servers="d:1")
    warnings = build_flows({"s": elsewhere}, config).warnings["s"]
    assert any("has to be the same cluster" in each.expected for each in warnings)


def test_where_connect_keeps_positions(tmp_path: Path) -> None:
    """In the connector's own topic first, and then in the workers', wherever that is."""

    def places(more: str, **settings: str) -> list[tuple[str, str | None]]:
        found = only(build_flows({"s": connector(**settings)}, worker(tmp_path, more)))
        assert found.config is not None
        assert found.config.connector_name == "s"
        return [
            (each.topic, None if each.client is None else each.client.reveal()["bootstrap.servers"])
            for each in found.config.other_offsets_places
        ]

    elsewhere = "bootstrap.servers = c:1\n"
    exactly_once = elsewhere + "exactly.once.source.support = enabled\n"
    assert places("") == []
    assert places("", offsets__storage__topic="connect-offsets") == []
    assert places("", offsets__storage__topic="own") == [("own", None)]
    assert places(elsewhere) == [("connect-offsets", "c:1")]
    assert places(exactly_once) == [("connect-offsets", None), ("connect-offsets", "c:1")]
    assert places(exactly_once, offsets__storage__topic="own") == [
        ("own", None),
        ("connect-offsets", "c:1"),
    ]


def test_two_of_one_kind_with_the_same_aliases_exclude_each_other(tmp_path: Path) -> None:
    config = worker(tmp_path)
    connectors = {"s2": connector(topics="b"), "s1": connector(topics="a")}
    found = build_flows(connectors, config)
    (flow,) = found.flows
    assert flow.source == "s1"
    assert "s1 is a MirrorSourceConnector from A to B, too" in found.refused["s2"][0].expected
    # Whoever comes later is refused, whatever its name.
    assert refusal({"s2": connector()}, "s1", connector(), config)
    assert not refusal({"s2": connector()}, "s2", connector(topics="x"), config)


def test_other_clusters_under_the_same_aliases_are_no_part_of_the_flow(tmp_path: Path) -> None:
    other = connector(CHECKPOINT, source__cluster__bootstrap__servers="x:1, y:2")
    found = build_flows({"s": connector(), "c": other}, worker(tmp_path))
    (flow,) = found.flows
    assert (flow.source, flow.checkpoint) == ("s", None)
    assert "expected one of the servers of s" in found.refused["c"][0].expected


def test_a_checkpoint_connector_with_a_wrong_value_leaves_the_records_alone(tmp_path: Path) -> None:
    found = build_flows(
        {"s": connector(), "c": connector(CHECKPOINT, groups="(")}, worker(tmp_path)
    )
    (flow,) = found.flows
    assert (flow.source, flow.checkpoint) == ("s", None)
    assert list(found.refused) == ["c"]


def test_a_refused_source_leaves_heartbeats(tmp_path: Path) -> None:
    found = build_flows({"s": connector(topics="("), "h": connector(HEARTBEAT)}, worker(tmp_path))
    (flow,) = found.flows
    assert (flow.source, flow.heartbeat) == (None, "h")


def test_a_posted_file_and_a_connector_of_the_same_flow(tmp_path: Path) -> None:
    config = worker(tmp_path)
    whole = posted("connect-bidirectional.json")["mm2-bidirectional-connector"]
    same = connector(source__cluster__alias="kafka-a", target__cluster__alias="kafka-b")
    assert list(build_flows({"a": whole, "z": same}, config).refused) == ["z"]
    found = build_flows({"a": same, "z": whole}, config)
    assert list(found.refused) == ["z"]
    assert [each.source for each in found.flows] == ["a"]


def test_a_circle_is_refused_once(tmp_path: Path) -> None:
    identity = {"replication.policy.class": "IdentityReplicationPolicy"}
    back = {
        "source.cluster.alias": "B",
        "target.cluster.alias": "A",
        "source.cluster.bootstrap.servers": "b:9092",
        "target.cluster.bootstrap.servers": "a:9092",
    }
    found = build_flows(
        {"x": connector() | identity, "y": connector() | identity | back}, worker(tmp_path)
    )
    assert [each.source for each in found.flows] == ["x"]
    assert "round and round" in found.refused["y"][0].expected


def test_the_workers_own_keys_hold_for_every_flow(tmp_path: Path) -> None:
    config = worker(tmp_path, "kmirror.slots = 3\nkmirror.commit.interval.ms = 50\n")
    flow = only(build_flows({"s": connector(kmirror__commit__interval__ms="70")}, config))
    assert flow.config is not None
    assert (flow.config.slots, flow.config.commit_interval_ms) == (3, 70)


def test_lines_of_a_posted_file_that_only_a_driver_reads(tmp_path: Path) -> None:
    whole = posted("connect-bidirectional.json")["mm2-bidirectional-connector"]
    assert not build_flows({"a": whole}, worker(tmp_path)).warnings.get("a")
    more = {
        "kafka-a.kmirror.alias.all": "payment-events, user-actions",
        "kmirror.console": "127.0.0.1:8080",
        "kmirror.nodes": "several",
        "kmirror.spark.ui.port": "4040",
    }
    found = build_flows({"a": whole | more}, worker(tmp_path))
    assert len(found.flows) == 2
    told = {each.key: each.expected for each in found.warnings["a"]}
    assert told == {
        "kafka-a.kmirror.alias.all": "has no effect in a connector: kmirror run keeps alias topics",
        "kmirror.console": "has no effect in a connector: write it into the worker's file",
        "kmirror.nodes": "has no effect in a connector: workers of one group share flows",
        "kmirror.spark.ui.port": "has no effect in a connector: write it into the worker's file",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("key.converter", "hunter2"),
        ("key.converter", "com.acme.hunter2"),
        ("source.cluster.bootstrap.servers", "a:9092, hunter2:1"),
    ],
)
def test_no_refusal_quotes_what_a_reference_brings(tmp_path: Path, name: str, text: str) -> None:
    config = worker(
        tmp_path,
        f"{ENV_PROVIDER}PW\nkmirror.connect.allowed.servers = *:9092\n",
        environ={"PW": text},
    )
    (refused,) = build_flows({"s": connector() | {name: "${env:PW}"}}, config).refused["s"]
    assert refused.key == name
    assert "hunter2" not in str(refused)
