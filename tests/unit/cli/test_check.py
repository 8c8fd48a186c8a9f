"""`kmirror check`: a file, or a word for one kind of check."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.admin.listeners import unreachable
from kmirror.cli.verbs import program
from tests.support.connect_files import HEARTBEAT, WORKER, connector


@pytest.mark.parametrize(
    "words",
    [
        ["check", "FILE"],
        ["check", "--json", "FILE"],
        ["check", "FILE", "--json"],
        ["check", "file", "FILE"],
        ["check", "stretch", "FILE"],
        ["explain", "FILE", "A->B", "orders"],
    ],
    ids=" ".join,
)
def test_a_wrong_file_is_told(words: list[str], tmp_path: Path) -> None:
    """All of them read the file first, whatever stands before it."""
    file = tmp_path / "mm2.properties"
    file.write_text("clusters = A\n", encoding="utf-8")
    done = CliRunner().invoke(program(), [str(file) if word == "FILE" else word for word in words])
    assert done.exit_code == 2, done.output
    assert "A.bootstrap.servers" in done.output


def test_a_flow_that_is_not_there(tmp_path: Path) -> None:
    """It is named before any cluster is asked."""
    file = tmp_path / "mm2.properties"
    file.write_text(
        "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "A->B.enabled = true\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(program(), ["explain", str(file), "B->A", "orders"])
    assert done.exit_code == 2
    assert "there is no enabled flow B->A" in done.output


def test_addresses_that_nobody_listens_at() -> None:
    """Each is told with its own reason; those that answer are not."""
    with closing(socket.create_server(("127.0.0.1", 0))) as open_one:
        with closing(socket.create_server(("127.0.0.1", 0))) as another:
            closed = another.getsockname()
        answers = unreachable([open_one.getsockname(), closed], timeout_s=5)
    assert answers == {closed: "Connection refused"}
    assert not unreachable([], timeout_s=5)


@pytest.mark.parametrize("command", ["check", "acls"])
def test_what_is_wrong_with_connectors_has_its_line(tmp_path: Path, command: str) -> None:
    """All of all files at once, before any cluster is asked."""
    worker, source, beats = (tmp_path / name for name in ("w.properties", "s.json", "h.properties"))
    worker.write_text(f"{WORKER}connector.client.config.override.policy = None\n")
    posted = connector(refresh__topics__interval__seconds="soon", producer__override__acks="1")
    source.write_text(json.dumps({"name": "s", "config": posted}, indent=1))
    lines = {"name": "h", **connector(HEARTBEAT), "key.converter": "JsonConverter"}
    beats.write_text("".join(f"{key} = {text}\n" for key, text in lines.items()))
    done = CliRunner().invoke(program(), [command, str(worker), str(source), str(beats)])
    assert done.exit_code == 2, done.output
    assert "3 problems" in done.output
    for place, words in (
        (f"{source}:9: refresh.topics.interval.seconds = soon", "whole number"),
        (f"{source}:10: producer.override.acks = 1", "The 'None' policy does not allow"),
        (f"{beats}:7: key.converter = JsonConverter", "expected org.apache.kafka"),
    ):
        (line,) = (each for each in done.output.splitlines() if place in each)
        assert words in line


def test_connectors_go_with_a_workers_file(tmp_path: Path) -> None:
    """Not with MirrorMaker 2's."""
    file = tmp_path / "mm2.properties"
    file.write_text("clusters = A, B\n")
    done = CliRunner().invoke(program(), ["check", str(file), str(file)])
    assert done.exit_code == 2
    assert "go with a Connect worker's file" in done.output


def test_a_file_of_users_that_is_not_there(tmp_path: Path) -> None:
    """The server would not begin."""
    file = tmp_path / "worker.properties"
    file.write_text(f"{WORKER}kmirror.rest.users.file = {tmp_path / 'nobody'}\n")
    done = CliRunner().invoke(program(), ["check", str(file)])
    assert done.exit_code == 2
    assert "nobody" in done.output


def test_a_worker_without_a_group_is_known_by_the_connectors_behind_it(tmp_path: Path) -> None:
    """Its own file need not say more than where its cluster is."""
    worker, source = tmp_path / "worker.properties", tmp_path / "source.json"
    worker.write_text("bootstrap.servers = b:9092\n")
    source.write_text(json.dumps({"name": "s", "config": connector(tasks__max="many")}))
    done = CliRunner().invoke(program(), ["check", str(worker), str(source)])
    assert done.exit_code == 2
    assert f"{source}:1: tasks.max = many" in done.output
