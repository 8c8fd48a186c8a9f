"""Files that are named on a command line and cannot be used: said before any cluster is asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.cli.exits import Exit
from kmirror.cli.verbs import program
from tests.support.mirror_files import BASE


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give a driver's file whose clusters nobody can ask."""
    path = tmp_path / "mm2.properties"
    path.write_text(BASE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "offsets.csv cannot be read: No such file or directory"),
        (b"orders,3,1200\n\xff\n", "offsets.csv: expected lines of topic,partition,offset"),
        (b"orders,3," + b"1" * 200_000, "offsets.csv: expected lines of topic,partition,offset"),
    ],
)
def test_offsets(file: Path, content: bytes | None, words: str) -> None:
    offsets = file.with_name("offsets.csv")
    if content is not None:
        offsets.write_bytes(content)
    words_of = ["offsets", "translate", str(file), "--offsets-file", str(offsets)]
    done = CliRunner().invoke(program(), words_of)
    assert done.exit_code == Exit.CONFIG, done.output
    assert words in done.output.replace("\n", " ")


def test_a_line_of_offsets_that_is_none(file: Path) -> None:
    offsets = file.with_name("offsets.csv")
    offsets.write_text("# topic,partition,offset\norders,3\n", encoding="utf-8")
    words_of = ["offsets", "translate", str(file), "--offsets-file", str(offsets)]
    done = CliRunner().invoke(program(), words_of)
    assert done.exit_code == Exit.CONFIG, done.output
    # A long path is broken into lines of a frame.
    assert "offsets.csv:2" in re.sub(r"[\s│]", "", done.output)


def test_the_folder_of_a_dead_letter(file: Path) -> None:
    raw = file.with_name("nowhere") / "value"
    done = CliRunner().invoke(program(), ["dlq", "show", str(file), "A->B", "1", "--raw", str(raw)])
    assert done.exit_code == Exit.START_FAILED, done.output
    assert "there is no folder" in done.output
