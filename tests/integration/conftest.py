"""What the functional tests share."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from kmirror.lab.cluster import Cluster
from kmirror.lab.fixtures import ClusterPair


@pytest.fixture(scope="module")
def own_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterPair]:
    """Give two clusters to one module: for flows that mirror every topic there is."""
    folder = tmp_path_factory.mktemp("own")
    pair = ClusterPair(Cluster("A", folder), Cluster("B", folder))
    with ThreadPoolExecutor(max_workers=2) as pool, ExitStack() as running:
        for cluster in pair:
            running.callback(cluster.kill)
        list(pool.map(Cluster.start, pair))
        yield pair
