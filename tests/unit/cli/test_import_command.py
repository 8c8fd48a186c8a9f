"""`kmirror import`: exit codes, the file that is written, and what is never shown."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.cli.verbs import program
from kmirror.config.load import load
from tests.support.documented import ROOT, blocks, same
from tests.support.imports import DATA

_EXAMPLE = ROOT / "examples" / "import" / "my-mirror-maker-2.yaml"
_CONNECT = [str(path) for path in sorted((DATA / "connect").iterdir())]


def _import(*arguments: str, code: int) -> str:
    answer = CliRunner().invoke(program(), ["import", *arguments], env={"COLUMNS": "160"})
    assert answer.exit_code == code, answer.output
    return answer.output


def test_the_page_shows_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comparison as for what needs clusters."""
    shutil.copy(_EXAMPLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    text = _import("strimzi", _EXAMPLE.name, code=5)
    (block,) = (each for each in blocks(ROOT / "docs" / "import.md") if each.name == "import")
    assert same(block.text, f"$ kmirror import strimzi {_EXAMPLE.name}\n{text}")


def test_the_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    """It has the passwords that the other system's file had, and what is shown has none."""
    file = tmp_path / "mm2.properties"
    said = _import("connect", *_CONNECT, "--output", str(file), code=0)
    assert "hunter2" not in said
    assert f"{file} is written" in said
    assert file.stat().st_mode & 0o777 == 0o600
    assert "hunter2" in file.read_text(encoding="utf-8")
    assert "hunter2" not in _import("connect", *_CONNECT, code=0)
    assert "hunter2" not in _import("connect", *_CONNECT, "--json", code=0)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A file that is there stays."""
    file = tmp_path / "mm2.properties"
    file.write_text("clusters = mine\n", encoding="utf-8")
    assert "does not overwrite" in _import("strimzi", str(_EXAMPLE), "--output", str(file), code=2)
    assert file.read_text(encoding="utf-8") == "clusters = mine\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """It is said, and no trace of Python."""
    tmp_path.chmod(0o500)
    said = _import("strimzi", str(_EXAMPLE), "--output", str(tmp_path / "x"), code=2)
    assert "cannot be written" in said


def test_as_json() -> None:
    """Everything of the report, for programs."""
    found = json.loads(_import("strimzi", str(_EXAMPLE), "--json", code=5))
    fates = {each["key"]: each["fate"] for each in found["settings"]}
    assert fates["transforms"] == "not supported"
    assert fates["tasks.max"] == "equal"
    lines = {each["key"]: each for each in found["lines"]}
    assert lines["main->dr.topics"]["value"] == ""
    assert lines["main->dr.transforms"]["refused"]
    assert found["problems"] == []


def test_a_complete_import_ends_with_0(tmp_path: Path) -> None:
    """And kmirror loads the file."""
    file = tmp_path / "mm2.properties"
    strimzi = DATA / "strimzi" / "v1-kafka-mirror-maker-2.yaml"
    _import("strimzi", str(strimzi), "--output", str(file), code=0)
    assert [str(each.flow) for each in load(file, environ={}).flows] == ["cluster-a->cluster-b"]


@pytest.mark.parametrize(
    ("system", "text", "words"),
    [
        ("strimzi", "a: [", "is no YAML"),
        ("mm2", "clusters = a, b\n", "No source->target replication flows"),
        ("nosuch", "", "Invalid value"),
    ],
)
def test_a_wrong_file_ends_with_2(tmp_path: Path, system: str, text: str, words: str) -> None:
    """With the place and what was expected."""
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    assert words in _import(system, str(file), code=2)


def test_from_standard_input() -> None:
    """As `curl` gives it."""
    text = (DATA / "connect" / "expand-info.json").read_text(encoding="utf-8")
    answer = CliRunner().invoke(program(), ["import", "connect", "-", "--json"], input=text)
    assert answer.exit_code == 0, answer.output
    (first, *_) = json.loads(answer.output)["settings"]
    assert first["where"] == "standard input $['mm2-msc'].info.config.name"


def test_a_file_that_is_not_there() -> None:
    """It is named."""
    assert "/nowhere/x cannot be read" in _import("mm2", "/nowhere/x", code=2)
