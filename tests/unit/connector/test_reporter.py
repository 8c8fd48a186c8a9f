"""What lanes tell the driver, over a line that loses messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("LostReports.java")


@pytest.mark.parametrize(("seed", "lost_percent"), [(1, 0), (2, 30), (3, 95)])
def test_lost_reports_are_reported_again(seed: int, lost_percent: int) -> None:
    """However many are lost: in the end positions, parked partitions and runs are known."""
    *texts, told = run_java(
        _PROGRAM, str(seed), str(lost_percent), jars=connector_path()
    ).splitlines()
    words = told.split()
    expected = list(zip(map(int, words[::2]), words[1::2], strict=True))
    known: dict[int, dict[str, Any]] = {}
    copied_up_to = dict.fromkeys(range(len(expected)), 0)
    for text in texts:
        for entry in json.loads(text)["partitions"]:
            number = entry["partition"]
            known[number] = entry
            if "runs" in entry:
                start, end = entry["runs"][:2]
                assert start <= copied_up_to[number], "a gap in what is told"
                copied_up_to[number] = max(end, copied_up_to[number])
    found = [(known[n]["position"], known[n].get("parked", "-")) for n in range(len(expected))]
    assert found == expected
    assert [copied_up_to[n] for n in range(len(expected))] == [at for at, _ in expected]
