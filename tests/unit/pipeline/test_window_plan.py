"""What the tasks of an audit are told to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kmirror.config.client_properties import ClientProperties
from kmirror.model import TopicPartition
from kmirror.pipeline.window_plan import WindowRange, WindowSide, write_window_plan

SIDE = WindowSide(
    name="A->B source",
    consumer=ClientProperties({"bootstrap.servers": "a:1"}),
    windows=tuple(
        WindowRange(number=n, partition=TopicPartition("t", 0), start=10 * n, end=10 * n + 10)
        for n in range(5)
    ),
)


@pytest.mark.parametrize(("rate", "each"), [(0, 0), (100, 33), (2, 1)])
def test_a_rate_is_shared_and_never_becomes_none(tmp_path: Path, rate: int, each: int) -> None:
    path = tmp_path / "plan" / "windows.json"
    write_window_plan(SIDE, path, tasks=3, bytes_per_second=rate, timeout_s=1.5)
    plan = json.loads(path.read_text(encoding="utf-8"))
    assert (plan["bytes_per_second"], plan["timeout_ms"]) == (each, 1500)
    assert [[window["number"] for window in task] for task in plan["tasks"]] == [
        [0, 1],
        [2, 3],
        [4],
    ]
