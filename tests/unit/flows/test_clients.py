"""The clients of a flow keep to the file's limits."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kmirror.clock import SystemClock
from kmirror.config.load import load
from kmirror.ends.clients import open_clients
from kmirror.errors import ClusterUnavailable


@pytest.fixture
def silent() -> Iterator[str]:
    """Give an address that takes connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.parametrize(("given", "least_s", "most_s"), [("500", 0.4, 5), ("11000", 10.5, 20)])
def test_a_cluster_that_does_not_answer(
    silent: str, tmp_path: Path, given: str, least_s: float, most_s: float
) -> None:
    """`admin.timeout.ms` is how long it is waited for, be it more or less than without it."""
    file = tmp_path / "mm2.properties"
    file.write_text(
        f"clusters = A, B\nA.bootstrap.servers = {silent}\nB.bootstrap.servers = {silent}\n"
        f"A->B.enabled = true\nadmin.timeout.ms = {given}\n"
    )
    clients = open_clients(load(file, environ={}).flows[0], SystemClock())
    try:
        begun_s = time.monotonic()
        with pytest.raises(ClusterUnavailable):
            clients.source.topics()
        assert least_s < time.monotonic() - begun_s < most_s
    finally:
        clients.close()
