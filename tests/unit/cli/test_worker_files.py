"""What a command takes a file for: the driver's, or that of a Connect worker of one kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from kmirror.cli.verbs import program
from kmirror.cli.worker_files import is_of_worker, worker_or_exit
from tests.support.connect_files import WORKER, connector

_STANDALONE = """\
bootstrap.servers = b:9092
offset.storage.file.filename = /tmp/kmirror-offsets
key.converter = org.apache.kafka.connect.converters.ByteArrayConverter
value.converter = org.apache.kafka.connect.converters.ByteArrayConverter
"""
_DRIVER = "clusters = A, B\nA->B.enabled = true\n"


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    """Write a file."""
    path = folder / "file.properties"
    path.write_text(text, encoding=encoding)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize("text", [WORKER, _STANDALONE])
def test_a_workers_file_in_javas_own_encoding(tmp_path: Path, text: str, encoding: str) -> None:
    """One comment that is not UTF-8 makes no other kind of file of it."""
    path = written(tmp_path, f"# für alle\n{text}", encoding)
    assert is_of_worker(path, None)
    assert worker_or_exit(path, ()).config.standalone == (text == _STANDALONE)
    assert not is_of_worker(written(tmp_path, f"# für alle\n{_DRIVER}", encoding), None)


def test_a_comment_makes_no_distributed_worker(tmp_path: Path) -> None:
    """Only a line tells where connectors are kept."""
    path = written(tmp_path, f"# set config.storage.topic only for many\n{_STANDALONE}")
    assert worker_or_exit(path, ()).config.standalone


def test_acls_of_a_worker_with_such_a_comment(tmp_path: Path) -> None:
    """Those of its topics, too; before, there were fewer and nothing said so."""
    posted = tmp_path / "connector.json"
    posted.write_text(json.dumps({"name": "s", "config": connector()}), encoding="utf-8")
    said = []
    for encoding in ("utf-8", "iso-8859-1"):
        path = written(tmp_path, f"# für alle\n{WORKER}", encoding)
        done = CliRunner().invoke(program(), ["acls", str(path), str(posted)])
        assert done.exit_code == 0, done.output
        said.append(done.output)
    assert said[0] == said[1]
    assert "connect-configs" in said[1]


def test_a_file_that_cannot_be_read_is_told_by_who_reads_it(tmp_path: Path) -> None:
    """Files of connectors behind it say that a worker's is meant."""
    nowhere = tmp_path / "nowhere.properties"
    assert not is_of_worker(nowhere, None)
    assert is_of_worker(nowhere, [tmp_path])
    with pytest.raises(typer.Exit) as ended:
        worker_or_exit(nowhere, ())
    assert ended.value.exit_code == 2
    with pytest.raises(typer.BadParameter):
        is_of_worker(written(tmp_path, _DRIVER), [tmp_path])
