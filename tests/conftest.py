"""What every test may use; the clusters come from `kmirror_lab.fixtures`."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from kmirror.pipeline.gateway import client_jvm
from tests.support import fault_table, seeds, two_testers
from tests.support.chromium import browser
from tests.support.driver import Driver, DriverFactory, start_driver
from tests.support.seeds import seed
from tests.support.two_testers import pytest_xdist_make_scheduler
from tests.support.warm import WarmDrivers

# A hook of xdist and fixtures, found here by their names.
__all__ = ["browser", "pytest_xdist_make_scheduler", "seed"]


def pytest_configure() -> None:
    """
    Brokers of tests live for seconds: compiling for hours to come takes half of their time.

    What a shell starts in the background ignores SIGINT, and so would all that tests start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("KAFKA_JVM_PERFORMANCE_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")


@contextmanager
def _ended(start: DriverFactory) -> Iterator[DriverFactory]:
    """Give *start*; drivers that still run at the end are killed."""
    with ExitStack() as running:

        def start_one(
            file: Path,
            *arguments: str,
            folder: Path | None = None,
            environ: Mapping[str, str] | None = None,
        ) -> Driver:
            driver = start(file, *arguments, folder=folder, environ=environ)
            running.callback(driver.kill)
            return driver

        yield start_one


@pytest.fixture(scope="session")
def jvm() -> Iterator[Any]:
    """Give a JVM with Kafka's own clients, without Spark."""
    with client_jvm() as started:
        yield started


@pytest.fixture
def run_driver() -> Iterator[DriverFactory]:
    """Give a function that starts drivers; those that still run after the test are killed."""
    with _ended(start_driver) as start:
        yield start


@pytest.fixture(scope="module")
def run_module_driver() -> Iterator[DriverFactory]:
    """Give the same for drivers that serve all tests of a module."""
    with _ended(start_driver) as start:
        yield start


@pytest.fixture(scope="session")
def _warm_drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmDrivers]:
    drivers = WarmDrivers(tmp_path_factory.mktemp("warm"))
    try:
        yield drivers
    finally:
        drivers.close()


@pytest.fixture
def warm_driver(_warm_drivers: WarmDrivers) -> Iterator[DriverFactory]:
    """Give a function that starts drivers where Spark runs already; see `warm`."""
    with _ended(_warm_drivers.start) as start:
        yield start


@pytest.fixture(scope="module")
def warm_module_driver(_warm_drivers: WarmDrivers) -> Iterator[DriverFactory]:
    """Give the same for drivers that serve all tests of a module."""
    with _ended(_warm_drivers.start) as start:
        yield start


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make outputs` and `make faults` ask for, and the seed of random tests."""
    seeds.pytest_addoption(parser)
    fault_table.pytest_addoption(parser)
    parser.addoption(
        "--quiet-minutes",
        default="1",
        help="How long tests/faults/test_no_gaps.py copies topics full of holes.",
    )
    parser.addoption(
        "--write-outputs", action="store_true", help="Write what came out into the documentation."
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what nobody asked for, and put the rest in its order."""
    fault_table.choose(config, items)
    two_testers.order(items)
