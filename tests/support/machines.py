"""Machines of a test's own: network namespaces on one switch, each with an address of its own."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.net import namespace
from kmirror_lab.process.host import Host, tool

_DEVICE, _SWITCH = "eth0", "br0"
_END_S_MAX = 5.0
_ALL_PROTOCOLS = 3
_PACKET_BYTES_MAX = 1 << 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """
    Machines that reach each other and nobody else.

    Args:
        hosts: They; the n-th one is at port n of the switch.
        switch: What joins them.
    """

    hosts: tuple[Host, ...]
    switch: Host

    @contextmanager
    def watched(self, host: Host, word: bytes) -> Iterator[threading.Event]:
        """Give an event that is set when *word* comes to *host*, or leaves it, for all to see."""
        seen, done = threading.Event(), threading.Event()
        with self.switch.inside():
            # Bound when it is made, or it would see packets of other devices first.
            packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            packets.bind((_port(self.hosts.index(host)), _ALL_PROTOCOLS))
        packets.settimeout(0.1)

        def watch() -> None:
            while not done.is_set():
                try:
                    packet = packets.recv(_PACKET_BYTES_MAX)
                except TimeoutError:
                    continue
                if word in packet:
                    seen.set()

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield seen
        finally:
            done.set()
            watcher.join()
            packets.close()

    @contextmanager
    def unplugged(self, host: Host) -> Iterator[None]:
        """Cut the link of *host*, for both directions, while the context lasts."""
        port = _port(self.hosts.index(host))
        namespace.run(["ip", "link", "set", port, "down"], host=self.switch)
        try:
            yield
        finally:
            namespace.run(["ip", "link", "set", port, "up"], host=self.switch)


@contextmanager
def machines(count: int) -> Iterator[Machines]:
    """Make machines; what runs on them ends with them."""
    token = secrets.token_hex(3)
    with ExitStack() as made:

        def create(name: str, address: str) -> Host:
            space = namespace.create(f"{name}-{token}")
            made.callback(namespace.remove, space, grace_s=_END_S_MAX)
            host = Host(address=address, namespace=space.name)
            namespace.run(["ip", "link", "set", "lo", "up"], host=host)
            return host

        switch = create("switch", "")
        namespace.run(["ip", "link", "add", _SWITCH, "type", "bridge"], host=switch)
        namespace.run(["ip", "link", "set", _SWITCH, "up"], host=switch)
        hosts = [create(f"machine{at}", f"10.78.0.{at + 1}") for at in range(count)]
        for at, host in enumerate(hosts):
            ends = [_DEVICE, "netns", host.namespace, "type", "veth", "peer", "name", _port(at)]
            namespace.run(["ip", "link", "add", *ends, "netns", switch.namespace])
            namespace.run(["ip", "link", "set", _port(at), "master", _SWITCH, "up"], host=switch)
            namespace.run(["ip", "addr", "add", f"{host.address}/24", "dev", _DEVICE], host=host)
            namespace.run(["ip", "link", "set", _DEVICE, "up"], host=host)
        yield Machines(hosts=tuple(hosts), switch=switch)


def without(folders: Sequence[Path], command: Sequence[str]) -> list[str]:
    """Write *command* so that it does not see what is in *folders*: they are another machine's."""
    if not folders:
        return list(command)
    hide = 'while [ "$1" != -- ]; do mount -t tmpfs tmpfs "$1" || exit 1; shift; done; shift'
    words = [tool("unshare", package="util-linux"), "--mount", "sh", "-c", f'{hide}; exec "$@"']
    return [*words, "sh", *map(str, folders), "--", *command]


def _port(at: int) -> str:
    return f"port{at}"
