"""What the fault tests share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster

from tests.support.driver import DriverFactory
from tests.support.mirrored import Mirrored, MirroredFactory


@pytest.fixture
def mirrored(
    request: pytest.FixtureRequest, tmp_path: Path, run_driver: DriverFactory
) -> Iterator[MirroredFactory]:
    """
    Give a function that makes flows whose drivers and producers end with the test.

    One for each granularity, in one driver: batches that travel whole, and records. A test may ask
    for one of them at a time.
    """
    granularities = getattr(request, "param", ["auto", "record"])
    numbers = itertools.count()
    with ExitStack() as running:

        def make(
            source: Cluster, target: Cluster, *topics: str, extra_lines: Sequence[str] = ()
        ) -> Mirrored:
            flow = Mirrored(
                source,
                target,
                tmp_path / str(next(numbers)),
                run_driver,
                *topics,
                granularities=granularities,
                extra_lines=extra_lines,
            )
            running.callback(flow.close)
            return flow

        yield make


@pytest.fixture
def new_topic(topic_name: Callable[[str], str]) -> Callable[..., str]:
    """Give a function that creates a topic nobody else uses."""

    def create(cluster: Cluster, label: str, *, partitions: int = 2) -> str:
        return cluster.create_topic(topic_name(label), partitions=partitions)

    return create
