"""A verb of the laboratory, without the laboratory: the answer says what to install."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from kmirror.cli.app import LAB_VERBS, App


def _app_without_lab() -> App:
    app = App(name="kmirror")

    @app.command("run")
    def run() -> None:
        """Nothing."""

    inner = App()

    @inner.command("topics")
    def topics() -> None:
        """Nothing."""

    @inner.command("groups")
    def groups() -> None:
        """Nothing."""

    app.add_typer(inner, name="check")
    return app


@pytest.mark.parametrize("verb", sorted(LAB_VERBS))
def test_verb_of_the_lab_names_what_to_install(verb: str) -> None:
    ended = CliRunner().invoke(_app_without_lab(), [verb, "up"], env={"COLUMNS": "200"})
    assert ended.exit_code == 2
    assert "pip install 'kmirror[lab]'" in ended.output


@pytest.mark.parametrize("words", [["lba"], ["check", "lab"]])
def test_any_other_unknown_verb_does_not(words: list[str]) -> None:
    ended = CliRunner().invoke(_app_without_lab(), words, env={"COLUMNS": "200"})
    assert ended.exit_code == 2
    assert "kmirror[lab]" not in ended.output


def test_verb_that_the_lab_brought_runs() -> None:
    app = _app_without_lab()

    @app.command("lab")
    def lab() -> None:
        """Nothing."""

    assert CliRunner().invoke(app, ["lab"]).exit_code == 0
