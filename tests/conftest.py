"""What every test may use; the clusters come from `kmirror.lab.fixtures`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from driver import Driver, DriverFactory, start_driver
from warm import WarmDrivers

_HEAVY = {"integration", "faults"}
# Of these, what waits most of the time.
_PATIENT = {"test_cluster_away", "test_old_brokers", "test_quotas"}


def pytest_configure() -> None:
    """Brokers of tests live for seconds: compiling for hours to come takes half of their time."""
    os.environ.setdefault("KAFKA_JVM_PERFORMANCE_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in a hook of this name
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Two testers: what needs the machine is done by one, one after another, faults last."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        for item in items:
            group = "alone" if _needs_the_machine(item) else "beside"
            item.add_marker(pytest.mark.xdist_group(group))
        items.sort(
            key=lambda item: (not _needs_the_machine(item), item.path.parent.name == "faults")
        )


def _needs_the_machine(item: pytest.Item) -> bool:
    return item.path.parent.name in _HEAVY and item.path.stem not in _PATIENT


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
