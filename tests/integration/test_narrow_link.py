"""A link needs half a minute for a backlog, and time-outs are shorter: it arrives all the same."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from bounded import copy_once
from driver import DriverFactory
from mirror_file import flow_lines, mirror_file
from records import read

from kmirror.lab.fill import fill
from kmirror.lab.net import NetLab, NetPlan, net_lab

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_NEAR, _FAR = "near", "far"
_RATE = "1mbit"
# 32 seconds of it.
_RECORDS, _RECORD_BYTES = 20_000, 200


class _Case(NamedTuple):
    source: str
    batch_bytes: int
    lines: tuple[str, ...]


_WRITTEN_OVER_IT = _Case(
    source=_NEAR,
    # Six seconds.
    batch_bytes=800_000,
    lines=(
        "A->B.producer.override.transaction.timeout.ms = 8000",
        "A->B.producer.override.request.timeout.ms = 10000",
    ),
)
_READ_OVER_IT = _Case(
    source=_FAR, batch_bytes=16_384, lines=("A.consumer.request.timeout.ms = 5000",)
)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetLab]:
    """Give two clusters; each reaches the other through a proxy."""
    plan = NetPlan(names=(_NEAR, _FAR), heap_mb=256, proxy=True)
    with net_lab(tmp_path_factory.mktemp("narrow"), plan) as made:
        made.set(rate=_RATE)
        yield made


@pytest.mark.parametrize("case", [_WRITTEN_OVER_IT, _READ_OVER_IT], ids=["written", "read"])
def test_a_backlog(net: NetLab, warm_driver: DriverFactory, tmp_path: Path, case: _Case) -> None:
    """Neither transactions nor requests hold more than the link carries in their time."""
    name = f"backlog-{secrets.token_hex(4)}"
    source = net.clusters[case.source]
    target = net.clusters[_FAR if case.source == _NEAR else _NEAR]
    source.create_topic(name)
    fill(
        source.bootstrap,
        name,
        records=_RECORDS,
        size_bytes=_RECORD_BYTES,
        batch_bytes=case.batch_bytes,
    )
    # The mirror is on the near side.
    addresses = {
        alias: net.bootstrap(cluster.name, seen_from=_NEAR)
        for alias, cluster in (("A", source), ("B", target))
    }
    file = mirror_file(tmp_path, addresses, *flow_lines("A->B", name), *case.lines)
    copy_once(warm_driver, file)
    assert read(target, f"A.{name}") == read(source, name)
