"""What every test may use; the clusters come from `kmirror.lab.fixtures`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from driver import Driver, DriverFactory


@contextmanager
def _drivers() -> Iterator[DriverFactory]:
    with ExitStack() as running:

        def start(
            file: Path,
            *arguments: str,
            folder: Path | None = None,
            environ: Mapping[str, str] | None = None,
        ) -> Driver:
            driver = Driver(file, folder or file.parent, arguments=arguments, environ=environ)
            running.callback(driver.kill)
            return driver

        yield start


@pytest.fixture
def run_driver() -> Iterator[DriverFactory]:
    """Give a function that starts drivers; those that still run after the test are killed."""
    with _drivers() as start:
        yield start


@pytest.fixture(scope="module")
def run_module_driver() -> Iterator[DriverFactory]:
    """Give the same for drivers that serve all tests of a module."""
    with _drivers() as start:
        yield start
