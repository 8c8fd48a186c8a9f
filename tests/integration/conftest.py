"""What the functional tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import Copy, FlowCopier, copy_once
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file


@pytest.fixture(scope="module")
def own_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterPair]:
    """Give two clusters to one module: for flows that mirror every topic there is."""
    folder = tmp_path_factory.mktemp("own")
    pair = ClusterPair(Cluster("A", folder), Cluster("B", folder))
    with started(*pair):
        yield pair


@pytest.fixture(scope="module")
def copy_flow(
    warm_module_driver: DriverFactory, tmp_path_factory: pytest.TempPathFactory
) -> FlowCopier:
    """Give a function that copies topics from one cluster of a pair to the other."""

    def copy(pair: ClusterPair, flow: str, topics: str, *lines: str, code: int = 0) -> Copy:
        clusters = dict(zip(flow.split("->"), pair, strict=True))
        folder = tmp_path_factory.mktemp("copy")
        file = mirror_file(folder, clusters, *lines, *flow_lines(flow, topics))
        return Copy(file=file, driver=copy_once(warm_module_driver, file, code=code))

    return copy
