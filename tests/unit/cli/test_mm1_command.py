"""`kmirror mm1` as far as it goes without Spark: what is missing, wrong or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kmirror.cli.exits import Exit
from kmirror.cli.verbs import program


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """Give the options that name two files."""
    reads, writes = tmp_path / "consumer.properties", tmp_path / "producer.properties"
    reads.write_text("bootstrap.servers=main:9092\ngroup.id=mirror\n", encoding="utf-8")
    writes.write_text("bootstrap.servers=dr:9092\n", encoding="utf-8")
    return ("--consumer.config", str(reads), "--producer.config", str(writes))


def _run(*words: str) -> Result:
    return CliRunner().invoke(program(), ["mm1", *words])


def test_the_words_of_mirror_maker_1(files: tuple[str, ...]) -> None:
    """Scripts that look for them find them, and the exit code that it had."""
    done = _run("--whitelist", "orders")
    assert done.exit_code == Exit.DIFFERENT
    assert 'Missing required argument "[consumer.config]"' in done.output
    done = _run(*files)
    assert done.exit_code == Exit.DIFFERENT
    assert "whitelist must be specified" in done.output


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("--message.handler", "loads no Java classes of others"),
        ("--rebalance.listener", "loads no Java classes of others"),
        ("--consumer.rebalance.listener", "loads no Java classes of others"),
        ("--blacklist", "New consumer only supports whitelist"),
        ("--abort.on.send.failure", "expected true or false"),
    ],
)
def test_what_is_refused(files: tuple[str, ...], option: str, reason: str) -> None:
    """With its reason, before anything starts."""
    done = _run(*files, "--include", "orders", "--new.consumer", option, "com.example.Own")
    assert done.exit_code == Exit.CONFIG
    assert f"{option} = com.example.Own" in done.output
    assert reason in done.output


def test_files_of_a_daemon_are_for_one(files: tuple[str, ...]) -> None:
    """In the foreground nobody would look for them."""
    done = _run(*files, "--include", "orders", "--pid-file", "mm1.pid")
    assert done.exit_code == Exit.CONFIG
    assert "are for --daemon" in done.output
