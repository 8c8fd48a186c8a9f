"""Files of other systems, imported: they run, and go on where the other system stopped."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.jvm_command import kafka_command, run_tool

from kmirror.model import TopicPartition
from tests.support.bounded import copy_once
from tests.support.commands import check, import_files, plan
from tests.support.documented import ROOT
from tests.support.driver import DriverFactory
from tests.support.groups import commit
from tests.support.imports import DATA
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_GROUPS_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
_SHELL_S_MAX = 120
_COPIED, _MORE = 30, 20


def _import(system: str, folder: Path, files: dict[str, str], *options: str) -> Path:
    """Import files with these texts; everything is supported."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    output = folder / "mm2.properties"
    paths = [folder / name for name in files]
    answer = import_files(system, *paths, *options, "--output", output)
    assert answer.code == 0, answer.text
    return output


def _seek_as_documented(pair: ClusterPair, folder: Path, group: str, flow: str) -> None:
    """Do what the page says: what Kafka's own tool prints of the group becomes orders."""
    page = (ROOT / "docs" / "from-mirrormaker1.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"(?ms)^ *```sh\n( *kafka-consumer-groups\.sh.*?)^ *```$", page)
    words = ("--bootstrap-server", pair.a.bootstrap, "--describe", "--group", group)
    described = run_tool(kafka_command(_GROUPS_TOOL, *words, folder=folder), "the group")
    (folder / "described").write_text(described, encoding="utf-8")
    tool = folder / "kafka-consumer-groups.sh"
    tool.write_text(f"#!/bin/sh\ncat {folder / 'described'}\n", encoding="utf-8")
    tool.chmod(0o700)
    script = block.replace("mirror-main", group).replace("main->dr", flow)
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(
        ["/bin/sh", "-e", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path},
        timeout=_SHELL_S_MAX,
        check=True,
    )


def test_from_mirrormaker_1(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Its copies lie in other partitions; its group's offsets say where to go on."""
    topic = kafka_pair.a.create_topic(f"{tmp_path.name}-mm1", partitions=2)
    kafka_pair.b.create_topic(topic, partitions=2)
    group, flow = f"{topic}-group", f"{topic}-a->{topic}-b"
    before = {p: numbered(f"before-{p}", range(_COPIED)) for p in range(2)}
    after = {p: numbered(f"after-{p}", range(_MORE)) for p in range(2)}
    for p in range(2):
        write(kafka_pair.a, topic, before[p], partition=p)
        write(kafka_pair.b, topic, before[p], partition=0)
    commit(kafka_pair.a, group, {TopicPartition(topic, p): _COPIED for p in range(2)})
    for p in range(2):
        write(kafka_pair.a, topic, after[p], partition=p)

    file = _import(
        "mm1",
        tmp_path,
        {
            "start.sh": "kafka-mirror-maker.sh --consumer.config c.properties "
            f"--producer.config p.properties --num.streams 2 --whitelist '{topic}'\n",
            "c.properties": f"bootstrap.servers={kafka_pair.a.bootstrap}\ngroup.id={group}\n",
            "p.properties": f"bootstrap.servers={kafka_pair.b.bootstrap}\nacks=1\n",
        },
        *("--source", f"{topic}-a", "--target", f"{topic}-b"),
    )
    assert check(file).code in {0, 1}
    assert plan(file).code in {0, 1}
    _seek_as_documented(kafka_pair, tmp_path, group, flow)
    copy_once(warm_driver, file)
    assert read(kafka_pair.b, topic, 0) == [*before[0], *before[1], *after[0]]
    assert read(kafka_pair.b, topic, 1) == after[1]


def test_from_replicator(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Its copies have their source's partitions and say themselves where they end."""
    topic = kafka_pair.a.create_topic(f"{tmp_path.name}-rep", partitions=2)
    copy = kafka_pair.b.create_topic(f"{topic}.replica", partitions=2)
    records = {p: numbered(f"{p}", range(_COPIED + _MORE)) for p in range(2)}
    for p in range(2):
        write(kafka_pair.a, topic, records[p], partition=p)
        write(kafka_pair.b, copy, records[p][: _COPIED + p], partition=p)
    connector = {
        "name": "replicator",
        "connector.class": "io.confluent.connect.replicator.ReplicatorSourceConnector",
        "topic.whitelist": topic,
        "topic.rename.format": "${topic}.replica",
        "src.kafka.bootstrap.servers": kafka_pair.a.bootstrap,
        "dest.kafka.bootstrap.servers": kafka_pair.b.bootstrap,
    }
    file = _import(
        "replicator",
        tmp_path,
        {"connector.json": json.dumps(connector)},
        *("--source", f"{topic}-a", "--target", f"{topic}-b"),
    )
    copy_once(warm_driver, file)
    for p in range(2):
        assert read(kafka_pair.b, copy, p) == records[p]


def test_from_strimzi(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """An example of the project's, with other addresses: what it would make is planned."""
    text = (DATA / "strimzi" / "v1-kafka-mirror-maker-2.yaml").read_text(encoding="utf-8")
    addresses = {
        "cluster-a-kafka-bootstrap:9092": kafka_pair.a.bootstrap,
        "cluster-b-kafka-bootstrap:9092": kafka_pair.b.bootstrap,
    }
    for old, new in addresses.items():
        assert old in text
        text = text.replace(old, new)
    topic = kafka_pair.a.create_topic(f"{tmp_path.name}-strimzi", partitions=3)
    text = text.replace('topicsPattern: ".*"', f'topicsPattern: "{topic}"')
    file = _import("strimzi", tmp_path, {"mirror.yaml": text})
    answer = plan(file)
    assert answer.code in {0, 1}, answer.text
    assert f"cluster-a.{topic}" in answer.text
    assert check(file).code in {0, 1}
