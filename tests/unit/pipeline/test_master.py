"""What a master's URL says, and what follows for the driver."""

from __future__ import annotations

import socket

import pytest

from kmirror.errors import EnvironmentProblem
from kmirror.pipeline.master import Master, driver_host, require_listener, unprotected

_LOOPBACK = "127.0.0.1"


@pytest.mark.parametrize("url", ["local", "local[*]", "local[4]", "local-cluster[2,2,1024]"])
def test_on_this_machine(url: str) -> None:
    """Nobody else has to find the driver."""
    master = Master(url)
    assert master.is_local
    assert master.is_one_process is (url != "local-cluster[2,2,1024]")
    assert not master.addresses
    require_listener(master)
    assert driver_host(master) is None


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("spark://a.example:7077", ["a.example:7077"]),
        ("spark://a:7077,b:7078", ["a:7077", "b:7078"]),
        ("spark://[::1]:7077", ["::1:7077"]),
        ("k8s://https://a:6443", ["a:6443"]),
        ("k8s://a", ["a:443"]),
        ("k8s://http://a/path", ["a:80"]),
        ("yarn", []),
    ],
)
def test_elsewhere(url: str, addresses: list[str]) -> None:
    """One master, or several of which one leads; YARN's is in Hadoop's own files."""
    master = Master(url)
    assert not master.is_local
    assert [str(address) for address in master.addresses] == addresses


@pytest.mark.parametrize("url", ["spark://a", "spark://a:7077,", "spark://", "spark://a:x"])
def test_no_address(url: str) -> None:
    with pytest.raises(EnvironmentProblem, match="is no address"):
        require_listener(Master(url))


def test_one_that_listens_is_enough() -> None:
    """And one that does not is named with the reason."""
    with socket.create_server((_LOOPBACK, 0)) as server:
        there = f"{_LOOPBACK}:{server.getsockname()[1]}"
        require_listener(Master(f"spark://{_LOOPBACK}:1,{there}"))
    with pytest.raises(EnvironmentProblem, match=rf"reached: {there}: Connection refused"):
        require_listener(Master(f"spark://{there}"))


def test_the_driver_s_address_is_the_one_on_the_way() -> None:
    """Nobody has to listen there."""
    assert driver_host(Master(f"spark://{_LOOPBACK}:1")) == _LOOPBACK
    with pytest.raises(EnvironmentProblem, match=r"no way to .*: 255\.255\.255\.255:1: "):
        driver_host(Master("spark://255.255.255.255:1"))


@pytest.mark.parametrize(
    ("settings", "off"),
    [
        ({}, ("spark.authenticate", "spark.network.crypto.enabled")),
        ({"spark.authenticate": "true"}, ("spark.network.crypto.enabled",)),
        ({"spark.authenticate": "true", "spark.network.crypto.enabled": "True"}, ()),
        ({"spark.authenticate": "true", "spark.ssl.rpc.enabled": "true"}, ()),
        ({"spark.network.crypto.enabled": "true"}, ("spark.authenticate",)),
    ],
)
def test_unprotected(settings: dict[str, str], off: tuple[str, ...]) -> None:
    """Passwords travel to executors inside tasks."""
    assert unprotected(settings) == off
