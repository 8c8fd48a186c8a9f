"""Files of Kafka Connect in the place of `mm2.properties`: what the reader is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kmirror.config.load import load, read_lines
from kmirror.config.properties import write
from kmirror.errors import ConfigError, Problem
from kmirror.model import Flow

PACKAGE = "org.apache.kafka.connect.mirror."
SOURCE = {
    "connector.class": f"{PACKAGE}MirrorSourceConnector",
    "source.cluster.alias": "A",
    "target.cluster.alias": "B",
    "source.cluster.bootstrap.servers": "a:9092",
    "target.cluster.bootstrap.servers": "b:9092",
    "source.cluster.ssl.keystore.password": "s3cr3t",
    "source.consumer.max.poll.records": 100,
    "topics": r"orders\..*",
    "replication.policy.separator": "_",
    "sync.topic.acls.enabled": False,
}
WORKER = """\
# of a Connect cluster
bootstrap.servers=b:9092
group.id=connect-cluster
key.converter=org.apache.kafka.connect.converters.ByteArrayConverter
config.storage.topic=connect-configs
offset.storage.topic=connect-offsets
producer.linger.ms=20
sasl.jaas.config=s3cr3t
"""


def told(path: Path, content: str) -> Problem:
    """Give the only problem, which every command has."""
    path.write_text(content, encoding="utf-8")
    problems = []
    for read in (load, read_lines):
        with pytest.raises(ConfigError) as caught:
            read(path, environ={})
        problems += caught.value.problems
    assert len(problems) == 2
    assert problems[0] == problems[1]
    return problems[0]


def lines_of(problem: Problem) -> list[str]:
    """Give the lines that are to be written instead."""
    return [line.strip() for line in problem.expected.splitlines()[1:]]


@pytest.mark.parametrize("posted", [True, False])
def test_a_source_connector(tmp_path: Path, posted: bool) -> None:
    """It is known again with and without what it is posted in; the lines it is told are a file."""
    content = {"name": "my-mirror", "config": SOURCE} if posted else {"name": "my-mirror"} | SOURCE
    problem = told(tmp_path / "source.json", "\ufeff" + json.dumps(content, indent=2))
    assert problem.where == f"{tmp_path / 'source.json'}:1"
    assert "is a MirrorSourceConnector for Kafka Connect" in problem.expected
    assert "s3cr3t" not in problem.expected
    lines = lines_of(problem)
    assert "A.ssl.keystore.password = [hidden]" in lines
    (storage,) = (line for line in lines if line.startswith("B.offset.storage.topic = …"))
    lines.remove(storage)
    file = tmp_path / "mm2.properties"
    file.write_text("\n".join(lines))
    config = load(file, environ={})
    (flow,) = config.flows
    assert flow.flow == Flow("A", "B")
    assert flow.topics == (r"orders\..*",)
    assert flow.connector_name == "my-mirror"
    assert flow.policy.format_remote_topic("A", "x") == "A_x"
    assert flow.source_consumer["max.poll.records"] == "100"
    assert flow.target_admin["bootstrap.servers"] == "b:9092"
    assert not config.warnings


@pytest.mark.parametrize("kind", ["MirrorCheckpointConnector", "MirrorHeartbeatConnector"])
def test_another_connector_of_mirror_maker(tmp_path: Path, kind: str) -> None:
    """Its name says nothing about where the records were copied to."""
    content = {"name": "other", "config": SOURCE | {"connector.class": PACKAGE + kind}}
    lines = lines_of(told(tmp_path / "other.json", json.dumps(content)))
    assert lines[:2] == ["clusters = A, B", "A->B.enabled = true"]
    assert not any("name" in line or "offset.storage" in line for line in lines)


def test_a_connector_as_a_properties_file(tmp_path: Path) -> None:
    """As `connect-standalone.sh` takes it."""
    content = write([("name", "my-mirror"), *((name, str(text)) for name, text in SOURCE.items())])
    problem = told(tmp_path / "source.properties", content)
    assert problem.where.endswith(":2")
    assert "A->B.name = my-mirror" in lines_of(problem)


def test_a_drivers_file_as_a_connector(tmp_path: Path) -> None:
    """A tutorial posts it so; it is taken apart into the file that it was."""
    config = {
        "connector.class": f"{PACKAGE}MirrorSourceConnector",
        "clusters": "A, B",
        "A.bootstrap.servers": "a:9092",
        "B.bootstrap.servers": "b:9092",
        "A->B.enabled": "true",
        "B->A.enabled": "true",
        "tasks.max": 4,
    }
    lines = lines_of(told(tmp_path / "both.json", json.dumps({"name": "both", "config": config})))
    file = tmp_path / "mm2.properties"
    file.write_text("\n".join(lines))
    assert [flow.flow for flow in load(file, environ={}).flows] == [Flow("A", "B"), Flow("B", "A")]


def test_a_workers_file(tmp_path: Path) -> None:
    """What a driver's file says of it, and nothing of what only workers need."""
    problem = told(tmp_path / "connect-distributed.properties", WORKER)
    assert problem.where.endswith(":5")
    assert "is the file of a Kafka Connect worker" in problem.expected
    assert lines_of(problem) == [
        "T.bootstrap.servers = b:9092",
        "T.offset.storage.topic = connect-offsets",
        "T.producer.linger.ms = 20",
        "T.sasl.jaas.config = [hidden]",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            '{"connector.class": "io.example.FileSource"}',
            "none of MirrorMaker 2's: io.example.File",
        ),
        ('{"clusters": "A, B"}', "is JSON; expected"),
        ('{"clusters": "A, B",}', "is JSON; expected"),
        ('{"config": ' * 9999, "is JSON; expected"),
        ("connector.class=io.example.FileSource\n", "none of MirrorMaker 2's"),
        ("offset.storage.file.filename=/tmp/offsets\n", "Kafka Connect worker"),
    ],
)
def test_what_else_it_is(tmp_path: Path, content: str, words: str) -> None:
    assert words in told(tmp_path / "other", content).expected


def test_a_drivers_file_may_have_all_of_it(tmp_path: Path) -> None:
    """Keys of workers and connectors stand in it, too."""
    file = tmp_path / "mm2.properties"
    file.write_text(
        "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "A->B.enabled = true\nA->B.connector.class = MirrorSourceConnector\n"
        "offset.storage.topic = connect-offsets\nconfig.storage.topic = connect-configs\n"
    )
    assert load(file, environ={}).flows[0].offset_storage_topic == "connect-offsets"
