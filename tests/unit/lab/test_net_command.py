"""`kmirror lab net set` before there is a link."""

from __future__ import annotations

from pathlib import Path

from kmirror_lab.cli.lab import app
from typer.testing import CliRunner


def test_a_round_trip_has_no_side(tmp_path: Path) -> None:
    """It is of both directions; what one side's packets take is a delay."""
    words = ["net", "set", "--rtt", "200ms", "--from", "near", "--folder", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code != 0
    assert "a round trip has both directions: --from goes with --delay" in done.stderr
