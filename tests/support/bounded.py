"""Runs that end by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kmirror_lab.fixtures import ClusterPair

from tests.support.driver import Driver, DriverFactory

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A copy that has ended: its file, and the driver that made it."""

    file: Path
    driver: Driver


class FlowCopier(Protocol):
    """Copies topics once, with a file of its own."""

    def __call__(
        self, pair: ClusterPair, flow: str, topics: str, *lines: str, code: int = 0
    ) -> Copy:
        """
        Copy what is there.

        Args:
            pair: Source and target; the flow's aliases are names for them.
            flow: `S->T`.
            topics: The value of the flow's `topics`.
            lines: More of the file.
            code: The exit code that is expected.
        """
        ...
