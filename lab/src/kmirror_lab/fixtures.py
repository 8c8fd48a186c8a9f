"""
pytest fixtures with real clusters; installed with kmirror, so other projects have them too.

Session fixtures start with the first test that asks. What they start dies with the test run,
even when that is killed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from kmirror_lab.cluster.cluster import Cluster, started


class ClusterPair(NamedTuple):
    """Two clusters to mirror between."""

    a: Cluster
    b: Cluster


class ClusterFactory(Protocol):
    """Makes and starts a cluster that lives as long as the test."""

    def __call__(self, name: str, *, brokers: int = 1, **options: object) -> Cluster:
        """Start a cluster; *options* are `Cluster`'s."""
        ...


@pytest.fixture(scope="session")
def lab_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the clusters that live as long as the test run."""
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def kafka_pair(lab_folder: Path) -> Iterator[ClusterPair]:
    """Yield two clusters of one broker each, `A` and `B`, for the whole run: do not harm them."""
    pair = ClusterPair(Cluster("A", lab_folder), Cluster("B", lab_folder))
    with started(*pair):
        yield pair


@pytest.fixture(scope="session")
def _three_brokers(lab_folder: Path) -> Iterator[Cluster]:
    cluster = Cluster("three", lab_folder, brokers=3, heap_mb=320)
    try:
        yield cluster.start()
    finally:
        cluster.kill()


@pytest.fixture
def three_brokers(_three_brokers: Cluster) -> Iterator[Cluster]:
    """Yield a cluster of three brokers to kill and freeze; it is healed after every test."""
    yield _three_brokers
    _three_brokers.heal()


@pytest.fixture
def start_cluster(tmp_path: Path) -> Iterator[ClusterFactory]:
    """Yield a function that starts clusters of one's own, for one test."""
    with ExitStack() as running:

        def start(name: str, *, brokers: int = 1, **options: object) -> Cluster:
            cluster = Cluster(name, tmp_path, brokers=brokers, **options)  # type: ignore[arg-type]  # `Cluster` checks them
            running.callback(cluster.kill)
            return cluster.start()

        yield start


@pytest.fixture
def topic_name() -> Callable[[str], str]:
    """Return a function that makes a topic name nobody else uses out of a readable one."""
    return lambda label: f"{label}-{secrets.token_hex(4)}"
