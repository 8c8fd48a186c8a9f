"""The address that a broker tells its clients does not answer, from the start or from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.ports import LOOPBACK

from tests.support.mirrored import MirroredFactory
from tests.support.names import with_names
from tests.support.namespaces import needs_machines

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault, needs_machines]

_NAME = "kafka.test"
_NOBODY = "127.0.0.9"
_PARTITIONS = 2
_MORE = 500
_TOLD_S_MAX = 90.0


@pytest.fixture
def named(tmp_path: Path) -> Iterator[Cluster]:
    """Give a cluster with a listener whose clients are told a name, and its own port."""
    listeners, names = {"NAMED": "PLAINTEXT"}, {"NAMED": _NAME}
    cluster = Cluster("named", tmp_path, listeners=listeners, names=names)
    with started(cluster):
        yield cluster


@pytest.mark.long
@pytest.mark.parametrize("end", ["source", "target"])
def test_an_address_does_not_answer(  # noqa: PLR0917 - the case, and fixtures
    kafka_pair: ClusterPair,
    named: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    tmp_path: Path,
    end: str,
) -> None:
    """It is told with broker and address; when the name means another one, the copy goes on."""
    hosts = tmp_path / "hosts"

    def means(address: str) -> None:
        hosts.write_text(f"{LOOPBACK} localhost\n{address} {_NAME}\n")

    source, target = (named, kafka_pair.b) if end == "source" else (kafka_pair.a, named)
    aliases = ("A", "RA") if end == "source" else ("B", "RB")
    address = named.bootstrap_of("NAMED")
    lines = [f"{alias}.bootstrap.servers = {address}" for alias in aliases]
    topic = new_topic(source, "named", partitions=_PARTITIONS)
    flow = mirrored(source, target, topic, extra_lines=lines)
    means(_NOBODY)
    driver = with_names(hosts, flow.start)
    told = rf"WARNING.* A->B: .*{_NAME}"
    driver.wait_for_line(told, timeout_s=_TOLD_S_MAX)
    means(LOOPBACK)
    flow.write(topic, partitions=_PARTITIONS)
    flow.wait_copied(driver, topic, _MORE)
    seen = len(driver.lines(told))
    # Connections end, and are made anew.
    named.stop()
    means(_NOBODY)
    named.start()
    driver.wait_for_line(told, timeout_s=_TOLD_S_MAX, count=seen + 1)
    means(LOOPBACK)
    flow.wait_more(driver, topic, _MORE)
    flow.finish(driver)
    assert not flow.errors(driver), driver.text
