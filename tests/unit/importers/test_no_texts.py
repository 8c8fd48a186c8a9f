"""A list or a mapping where a text belongs: it is refused, and nothing else is copied instead."""

from __future__ import annotations

import json

import pytest

from kmirror.importers.outcome import Fate, Imported
from tests.support.imports import import_of, lines_of, outcome_of, text_files

_STRIMZI = """\
kind: KafkaMirrorMaker2
spec:
  target: {alias: b, bootstrapServers: "b:9092"}
  mirrors:
    - source: {alias: a, bootstrapServers: "a:9092"}
      sourceConnector:
        tasksMax: [1, 2]
        config:
          topics: [orders, payments]
          sync.topic.acls.enabled: {no: way}
"""
_SERVERS = {"source": "a:9092", "target": "b:9092"}


def _refused(found: Imported, *keys: str) -> None:
    for key in keys:
        outcome = outcome_of(found, key)
        assert outcome.fate is Fate.UNSUPPORTED, key
        assert outcome.says.startswith("expected a text, not a "), outcome.says
        assert not outcome.lines


def test_strimzi() -> None:
    """Kubernetes takes any YAML below `config`."""
    found = import_of("strimzi", text_files(_STRIMZI))
    assert not found.complete
    _refused(found, "topics", "tasks.max", "sync.topic.acls.enabled")
    lines = lines_of(found)
    assert lines["a->b.topics"] == ""
    assert not any("…" in text for text in lines.values())
    small = _STRIMZI.replace("topics: [orders, payments]", "topics: orders")
    assert lines_of(import_of("strimzi", text_files(small)))["a->b.topics"] == "orders"
    pattern = f"{small}      topicsPattern: [orders]\n"
    found = import_of("strimzi", text_files(pattern))
    _refused(found, "topicsPattern")
    assert lines_of(found)["a->b.topics"] == ""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("topics", ["a"]),
        ("topics.exclude", {}),
        ("replication.policy.separator", ["-"]),
        ("transforms", ["r"]),
    ],
)
def test_connect(key: str, value: object) -> None:
    """What decides what is copied holds the flow."""
    config = {
        "connector.class": "MirrorSourceConnector",
        "source.cluster.alias": "a",
        "target.cluster.alias": "b",
        **{f"{end}.cluster.bootstrap.servers": text for end, text in _SERVERS.items()},
        "topics": "orders",
    }
    found = import_of("connect", text_files(json.dumps({"name": "s", "config": config})))
    assert lines_of(found)["a->b.topics"] == "orders"
    body = {"name": "s", "config": {**config, key: value}}
    found = import_of("connect", text_files(json.dumps(body)))
    _refused(found, key)
    assert lines_of(found)["a->b.topics"] == ""


@pytest.mark.parametrize("key", ["topic.whitelist", "topic.regex", "topic.rename.format"])
def test_replicator(key: str) -> None:
    """Lists of topics are texts there, too."""
    config = {
        "connector.class": "io.confluent.connect.replicator.ReplicatorSourceConnector",
        "src.kafka.bootstrap.servers": "a:9092",
        "dest.kafka.bootstrap.servers": "b:9092",
        "topic.whitelist": "orders",
        key: ["x"],
    }
    found = import_of("replicator", text_files(json.dumps({"name": "r", "config": config})))
    _refused(found, key)
    assert lines_of(found)["source->target.topics"] == ""


def test_brooklin() -> None:
    """Metadata of a datastream is texts."""
    stream = {
        "name": "s",
        "source": {"connectionString": "kafka://a:9092/t"},
        "metadata": {
            "system.destination.KafkaBrokers": "b:9092",
            "system.destination.destinationTopicPrefix": ["p."],
        },
    }
    metadata = json.dumps(stream["metadata"])
    command = f"brooklin-rest-client.sh -o CREATE -n s -s kafka://a:9092/t -m '{metadata}'"
    for text in (json.dumps(stream), command):
        found = import_of("brooklin", text_files(text))
        _refused(found, "system.destination.destinationTopicPrefix")
        assert lines_of(found)["source->target.topics"] == ""
