"""Figures that the clusters tell, when they do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.console import asked
from kmirror.console.asked import AskedFigures
from kmirror.errors import ClusterUnavailable, MirrorError
from kmirror.server.console.headline import headline
from tests.support.console_server import file_of


def test_what_nobody_foresaw_ends_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, and the clusters are asked again."""
    errors: Iterator[Exception] = iter((RuntimeError("odd"), ClusterUnavailable("away")))

    def fail(*_: object) -> NoReturn:
        raise next(errors, ClusterUnavailable("still away"))

    monkeypatch.setattr(asked, "LOOK_S", 0.01)
    monkeypatch.setattr(asked, "with_readable_generations", fail)
    config = file_of(tmp_path)
    figures = AskedFigures(config.flows[:1], dict, SystemClock())
    figures.start()
    try:
        wait_until(lambda: figures.flows()[0].error == "still away", "asked again", timeout_s=60)
    finally:
        figures.close()


def test_a_store_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is looked at again: it was \"being asked\" for ever."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise MirrorError("no key store")

    monkeypatch.setattr(asked, "open_clients", refuse)
    figures = AskedFigures(file_of(tmp_path).flows, dict, SystemClock())
    figures.start()
    try:
        wait_until(
            lambda: all(each.error == "no key store" for each in figures.flows()),
            "said of both",
            timeout_s=60,
        )
        flows = figures.flows()
        assert {(each.verdict, each.verdict_words) for each in flows} == {
            ("UNKNOWN", "no key store")
        }
        assert headline(flows).tone == "none"
        assert all(each.verdict_since_ms is not None for each in flows)
    finally:
        figures.close()
