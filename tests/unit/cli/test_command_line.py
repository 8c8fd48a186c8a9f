"""What the command line says before it asks any cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from kmirror.cli.app import LAB_VERBS
from kmirror.cli.verbs import program

FILE = """\
clusters = main, standby
main.bootstrap.servers = localhost:1
standby.bootstrap.servers = localhost:2
main->standby.enabled = true
standby->main.enabled = true
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give a file with flows both ways."""
    path = tmp_path / "mm2.properties"
    path.write_text(FILE)
    return path


def said(*arguments: object, code: int) -> str:
    """Give what a command says; nobody answers at the file's addresses."""
    answer = CliRunner().invoke(program(), [str(each) for each in arguments])
    assert answer.exit_code == code, answer.output
    return " ".join(answer.output.split())


WITH_OPTION = (
    ("status",),
    ("verify",),
    ("offsets", "show"),
    ("offsets", "export"),
    ("offsets", "reset"),
    ("offsets", "translate"),
)
WITH_ARGUMENT = ("promote", "failover", "failback")


@pytest.mark.parametrize(
    ("flow", "instead"),
    [
        ("main->stand-by", "did you mean main->standby? there are: main->standby, standby->main"),
        ("x->y", "there are: main->standby, standby->main"),
        ("main-", "there are: main->standby, standby->main (quote the name: the shell treats >"),
    ],
)
def test_an_unknown_flow(file: Path, flow: str, instead: str) -> None:
    """The same words in every verb."""
    words = f"{file}: there is no enabled flow {flow}; {instead}"
    for verb in WITH_OPTION:
        places = ["orders-0:1"] if "translate" in verb else []
        assert words in said(*verb, file, *places, "--flow", flow, code=2)
    for verb in WITH_ARGUMENT:
        assert words in said(verb, file, flow, code=2)
    assert words in said("failover", file, flow, "--abort", code=2)


def test_which_flow(file: Path) -> None:
    """With several in the file one has to be named."""
    words = f"{file}: name one of its flows: main->standby, standby->main"
    assert words in said("offsets", "show", file, code=2)


@pytest.mark.parametrize(
    ("verb", "flags"),
    [
        ("failover", ("--drill", "--dry-run")),
        ("promote", ("--drill", "--dry-run")),
        ("failback", ("--drill", "--dry-run")),
        ("failover", ("--drill", "--abort")),
        ("promote", ("--dry-run", "--abort")),
    ],
)
def test_one_thing_at_a_time(file: Path, verb: str, flags: tuple[str, str]) -> None:
    """A drill that was also to be a dry run, or an end of the hold, is neither."""
    words = said(verb, file, "main->standby", *flags, code=2)
    assert all(flag in words for flag in flags)
    assert "give one" in words


def test_what_draws_is_loaded_where_somebody_draws() -> None:
    """No other command waits for it, and least of all a driver's start."""
    script = (
        "import sys; from kmirror.cli.verbs import program; program(); "
        "drawing = {'textual', 'jinja2', 'matplotlib', 'kmirror.server.console', "
        "'kmirror.console.console', 'kmirror.api.client'}; "
        "print(*sorted(drawing & sys.modules.keys()))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not found.stdout.strip()


def test_only_the_verb_that_is_typed_is_loaded() -> None:
    """An order is given as soon as possible; to load all verbs takes longer than to obey one."""
    script = (
        "import sys; from kmirror.cli.verbs import program; program(['pause', 'run']); "
        "print(*sorted({'kmirror.cli.control', 'kmirror.cli.run', 'kmirror.cli.audit', "
        "'kmirror_lab', 'pyspark'} & sys.modules.keys()))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["kmirror.cli.control"]


def test_a_verb_alone_is_what_it_is_among_all() -> None:
    whole: Any = get_command(program())
    for verb in whole.commands.keys() - LAB_VERBS:
        alone: Any = get_command(program([verb, "--help"]))
        assert list(alone.commands) == [verb]
        assert alone.commands[verb].help == whole.commands[verb].help
