"""Ports for brokers."""

from __future__ import annotations

import random
import socket

from kmirror_lab.process.ports import free_ports, is_free


def test_ports_are_free_and_given_once() -> None:
    """Two clusters made at the same moment never share a port."""
    first, second = free_ports(20, rng=random.Random(1)), free_ports(20, rng=random.Random(1))
    assert len({*first, *second}) == 40
    assert all(is_free(port) for port in first + second)


def test_outgoing_connections_do_not_take_them() -> None:
    """They lie below the range Linux takes outgoing ports from."""
    assert max(free_ports(50)) < 32_768


def test_a_taken_port_is_not_free() -> None:
    """Somebody listens there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert not is_free(server.getsockname()[1])
