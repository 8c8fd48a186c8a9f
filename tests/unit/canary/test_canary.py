"""The thread of a canary, without any cluster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from kmirror_lab.process.waiting import wait_until

from kmirror.canary.canary import Canary
from kmirror.clock import SystemClock
from kmirror.state.canary_figures import CanaryFigures
from tests.support.fake_flow import flow_config


def test_an_error_that_nobody_foresaw_is_told(tmp_path: Path) -> None:
    """A canary that is silently gone would look like one that is well."""
    config = replace(flow_config(tmp_path), source_admin=cast("Any", None))
    figures = CanaryFigures(overdue_s=30)
    canary = Canary(config, figures, SystemClock())
    canary.start()
    try:
        wait_until(
            lambda: figures.trouble.startswith("unexpected: "), "its trouble is told", timeout_s=30
        )
        assert canary.is_alive
    finally:
        canary.close(10)
    assert not canary.is_alive
