"""Whether the addresses that brokers advertise can be reached from this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from kmirror.plans.snapshot import Broker

_AT_ONCE_MAX = 16
_CONNECT_S_MAX = 5.0

Address = tuple[str, int]


def unreachable_brokers(brokers: Iterable[Broker]) -> Mapping[int, str]:
    """
    Connect to brokers where they say they are, and say why where no connection comes about.

    Args:
        brokers: As a cluster describes them.

    Returns:
        Why, by the broker's number.
    """
    addresses = {each.id: (each.host, each.port) for each in brokers}
    closed = unreachable(addresses.values(), timeout_s=_CONNECT_S_MAX)
    return {number: closed[address] for number, address in addresses.items() if address in closed}


def unreachable(addresses: Iterable[Address], *, timeout_s: float) -> Mapping[Address, str]:
    """
    Connect to addresses by TCP, and say why where no connection comes about.

    Args:
        addresses: Host and port.
        timeout_s: How long each may take, seconds; name resolution comes on top.
    """
    wanted = sorted(set(addresses))
    if not wanted:
        return {}
    with ThreadPoolExecutor(min(len(wanted), _AT_ONCE_MAX), "kmirror-connect") as pool:
        answers = pool.map(lambda address: _trouble(address, timeout_s), wanted)
        return {address: why for address, why in zip(wanted, answers, strict=True) if why}


def _trouble(address: Address, timeout_s: float) -> str:
    try:
        with socket.create_connection(address, timeout=timeout_s):
            return ""
    except TimeoutError:
        return f"no answer within {timeout_s:g} s"
    except OSError as error:
        return error.strerror or str(error)
