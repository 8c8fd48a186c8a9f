"""Free TCP ports on loopback."""

from __future__ import annotations

import random
import socket
import threading

LOOPBACK = "127.0.0.1"
# Below Linux's ephemeral range (32768 up): an outgoing connection of somebody else must not
# take the port of a broker that is just being restarted.
_FIRST, _LAST = 10_000, 32_000
_TRIES_MAX = 1000
# A port is free until its broker listens: it must not be given away twice before.
_given: set[int] = set()
_given_lock = threading.Lock()


def is_free(port: int) -> bool:
    """Return whether a server could listen on *port* now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_ports(count: int, *, rng: random.Random | None = None) -> tuple[int, ...]:
    """
    Return *count* free ports that were not given before in this process.

    Args:
        count: How many.
        rng: Where the guesses come from; by default the system's, so that two processes that
            look at the same moment hardly meet.

    Raises:
        OSError: The range has too few free ports.
    """
    rng = rng or random.SystemRandom()
    found: list[int] = []
    with _given_lock:
        for _ in range(_TRIES_MAX):
            if len(found) == count:
                return tuple(found)
            port = rng.randint(_FIRST, _LAST)
            if port not in _given and is_free(port):
                _given.add(port)
                found.append(port)
    raise OSError(f"fewer than {count} free ports between {_FIRST} and {_LAST}")
