"""`kmirror tune`: what it reads besides the file, without asking a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.cli.tune_mm1 import as_mm2_file
from kmirror.cli.verbs import program
from kmirror.config.load import load
from tests.support.imports import DATA

_FILE = """\
clusters = A, B
A.bootstrap.servers = localhost:1
B.bootstrap.servers = localhost:2
A->B.enabled = true
"""
_LINK = ("--rtt", "100ms", "--bandwidth", "1gbit")
_MM1 = (
    *("--consumer.config", str(DATA / "mm1" / "consumer.properties")),
    *("--producer.config", str(DATA / "mm1" / "producer.properties")),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give a file with one flow."""
    path = tmp_path / "mm2.properties"
    path.write_text(_FILE, encoding="utf-8")
    return path


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """Give a kernel with two settings."""
    folder = tmp_path / "sys"
    for name, text in {
        "net/ipv4/tcp_wmem": "4096 16384 4194304",
        "net/ipv4/tcp_slow_start_after_idle": "1",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n", encoding="ascii")
    return folder


def _tune(*arguments: object, code: int, given: str = "") -> str:
    answer = CliRunner().invoke(
        program(), ["tune", *map(str, arguments)], input=given, env={"COLUMNS": "160"}
    )
    assert answer.exit_code == code, answer.output
    return answer.output


def test_the_kernel_is_shown_and_written(file: Path, kernel: Path) -> None:
    """Lines for sysctl.conf are comments in what may be appended to the file."""
    said = _tune(file, *_LINK, "--kernel", kernel, code=0)
    assert "4096 16384 4194304" in said
    snippet = _tune(file, *_LINK, "--kernel", kernel, "--snippet", code=0)
    assert "# net.ipv4.tcp_wmem = 4096 65536 33554432\n" in snippet
    assert "# net.ipv4.tcp_slow_start_after_idle = 0\n" in snippet
    found = json.loads(_tune(file, *_LINK, "--kernel", kernel, "--json", code=0))
    lines = {each["name"]: each["line"] for each in found["kernel"]}
    assert lines["net.ipv4.tcp_slow_start_after_idle"] == "net.ipv4.tcp_slow_start_after_idle = 0"
    assert lines["net.core.rmem_max"] is None


def test_figures_from_a_file_and_from_standard_input(file: Path, tmp_path: Path) -> None:
    """As `curl` gave them."""
    scrape = 'kmirror_lane_seconds_total{flow="A->B",slot="0",activity="target"} 10\n'
    saved = tmp_path / "scrape"
    saved.write_text(scrape, encoding="utf-8")
    assert "lanes wait for B" in _tune(file, "--metrics", saved, code=0)
    assert "lanes wait for B" in _tune(file, "--metrics", "-", code=0, given=scrape)
    assert "no figures of its clients" in _tune(file, "--metrics", "-", code=0, given="up 1\n")
    assert "cannot be read" in _tune(file, "--metrics", tmp_path / "none", code=2)


def test_mirrormaker_1() -> None:
    """Its two files instead of one; lines to add are sorted by where they belong."""
    said = _tune(*_MM1, "--num.streams", 4, code=1)
    assert "producer.acks = 1" in said
    assert "hunter2" not in said
    snippet = _tune(*_MM1, "--abort.on.send.failure", "false", "--snippet", code=1)
    assert snippet.index("# the producer's file") < snippet.index("acks = all")
    assert snippet.index("# the command line") < snippet.index("--abort.on.send.failure true")
    found = json.loads(_tune(*_MM1, "--json", code=1))
    assert {each["key"] for each in found["settings"]} >= {"producer.acks", "producer.retries"}


def test_mirrormaker_1_is_measured_as_kmirror_would_copy(tmp_path: Path) -> None:
    """Its files become one that kmirror reads, with the topics of its command line."""
    consumer, producer = (DATA / "mm1" / f"{role}.properties" for role in ("consumer", "producer"))
    text = as_mm2_file(consumer, producer, "orders.*|it's")
    file = tmp_path / "mm2.properties"
    file.write_text(text, encoding="utf-8")
    (flow,) = load(file, environ={}).flows
    assert str(flow.flow) == "source->target"
    assert flow.topics == ("orders.*|it's",)


def test_mirrormaker_1_is_measured_in_its_files_encoding(tmp_path: Path) -> None:
    """ISO-8859-1 is read as Java reads it, here as everywhere."""
    consumer, producer = tmp_path / "c.properties", tmp_path / "p.properties"
    consumer.write_bytes(b"bootstrap.servers=A:9092\nclient.rack=caf\xe9\n")
    producer.write_bytes(b"bootstrap.servers=B:9092\n")
    assert "client.rack = café" in as_mm2_file(consumer, producer, "x")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "expected FILE"),
        (("--consumer.config", str(DATA / "mm1" / "consumer.properties")), "has two files"),
        ((*_MM1, "--metrics", "-"), "stand for FILE"),
        (("--consumer.config", "/nowhere", "--producer.config", "/nowhere"), "cannot be read"),
    ],
)
def test_what_does_not_go_together(arguments: tuple[str, ...], words: str) -> None:
    """It is said before anything is read."""
    assert words in " ".join(_tune(*arguments, code=2).split())
