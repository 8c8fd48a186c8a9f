"""The command line as a whole: its version, and what the help texts show."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from kmirror import __version__
from kmirror.cli.verbs import program


def verbs(command: TyperGroup, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the words of every command and group."""
    yield before
    for name, each in command.commands.items():
        if isinstance(each, TyperGroup):
            yield from verbs(each, (*before, name))
        else:
            assert isinstance(each, TyperCommand)
            yield (*before, name)


def all_verbs() -> list[tuple[str, ...]]:
    """Give every command of `kmirror`."""
    root = get_command(program())
    assert isinstance(root, TyperGroup)
    return list(verbs(root))


def test_version() -> None:
    """It is the installed package's."""
    done = CliRunner().invoke(program(), ["--version"])
    assert done.exit_code == 0
    assert done.output == f"kmirror {__version__}\n"
    assert version("kmirror") == __version__


@pytest.mark.parametrize("words", all_verbs(), ids=" ".join)
def test_a_flag_has_no_type(words: tuple[str, ...]) -> None:
    """Flags take no value, so the help names none; other options have theirs."""
    done = CliRunner().invoke(program(), [*words, "--help"], env={"COLUMNS": "120"})
    assert done.exit_code == 0, done.output
    assert "bool" not in done.output
    assert "--help" in done.output


def test_an_option_with_a_value_has_its_type() -> None:
    """The mending takes nothing else away."""
    done = CliRunner().invoke(program(), ["verify", "--help"], env={"COLUMNS": "120"})
    assert "<str>" in done.output
