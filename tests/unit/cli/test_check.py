"""`kmirror check`: a file, or a word for one kind of check."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kmirror.admin.listeners import unreachable
from kmirror.cli.main import app


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
    done = CliRunner().invoke(app, [str(file) if word == "FILE" else word for word in words])
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
    done = CliRunner().invoke(app, ["explain", str(file), "B->A", "orders"])
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
