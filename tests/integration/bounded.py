"""Runs that end by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from driver import Driver, DriverFactory

# Ten seconds on a free machine.
_END_S_MAX = 300.0


def run_to_end(
    start: DriverFactory,
    file: Path,
    *arguments: str,
    code: int = 0,
    environ: Mapping[str, str] | None = None,
) -> Driver:
    """Start `kmirror run FILE`, wait until it has ended, and expect its exit code."""
    driver = start(file, *arguments, environ=environ)
    assert driver.wait_exit(timeout_s=_END_S_MAX) == code, driver.text
    return driver


def copy_once(start: DriverFactory, file: Path, *arguments: str, code: int = 0) -> Driver:
    """Run until everything that is there has been copied."""
    return run_to_end(start, file, "--until-caught-up", *arguments, code=code)
