"""Sockets that listen."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import replace

from kmirror.config.server import Listener
from kmirror.errors import EnvironmentProblem

_BACKLOG = 128


def listening(listeners: Iterable[Listener]) -> tuple[socket.socket, ...]:
    """
    Listen at every one of *listeners*.

    Raises:
        EnvironmentProblem: That is not possible at one of them; then at none.
    """
    opened: list[socket.socket] = []
    try:
        for listener in listeners:
            opened.append(_listen(listener))
    except OSError as error:
        for each in opened:
            each.close()
        raise EnvironmentProblem(
            f"cannot listen at {listener}: {error.strerror or error}",
            hint="another process may listen there; listeners names another port",
        ) from error
    return tuple(opened)


def bound(listener: Listener, opened: socket.socket) -> Listener:
    """Return *listener*, at which a socket is open, with the port that was free."""
    return replace(listener, port=opened.getsockname()[1])


def _listen(listener: Listener) -> socket.socket:
    if not listener.host:
        return _everywhere(listener.port)
    found = socket.getaddrinfo(
        listener.host, listener.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    # `localhost` is both; Java's server takes the first that it finds, usually the shorter one.
    found.sort(key=lambda each: each[0] != socket.AF_INET)
    family, _, _, _, address = found[0]
    return _opened(family, address)


def _everywhere(port: int) -> socket.socket:
    if not socket.has_dualstack_ipv6():
        return _opened(socket.AF_INET, ("0.0.0.0", port))
    return socket.create_server(
        ("::", port), family=socket.AF_INET6, backlog=_BACKLOG, dualstack_ipv6=True
    )


def _opened(family: int, address: tuple[object, ...]) -> socket.socket:
    return socket.create_server(address[:2], family=family, backlog=_BACKLOG)


def own_address() -> str:
    """Return this machine's address as Java's `InetAddress.getLocalHost` does, or else its name."""
    name = socket.gethostname()
    try:
        return socket.gethostbyname(name)
    except OSError:
        return name
