"""`kmirror run` before it has a driver."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pytest

from kmirror.cli import run
from kmirror.cli.exits import Exit
from kmirror.config.metrics import NO_METRICS
from kmirror.runtime.host_options import DriverOptions
from tests.support.mirror_files import Load


def _told_to_end(_options: object) -> NoReturn:
    run.give_up(0)


@pytest.mark.parametrize(("until_caught_up", "code"), [(False, Exit.OK), (True, Exit.INCOMPLETE)])
def test_a_signal_while_the_jvm_is_launched(
    until_caught_up: bool, code: Exit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy that had to end before it began is none; anybody else was told to stop, and has."""
    monkeypatch.setattr(run, "on_signal", lambda _: None)
    monkeypatch.setattr(run, "HostLaunch", _told_to_end)
    config = Load(tmp_path)("kmirror.slots = 1")
    unused: Any = None
    options = DriverOptions(until_caught_up=until_caught_up)
    ended = run._drive(
        config, (), options, unused, NO_METRICS, begun=unused, record=None, live=False
    )
    assert ended == code
