"""
A link in user space: a process with a TUN device in each of two namespaces.

It is for kernels that cannot delay packets by themselves. When it ends its devices are gone, so
nothing passes undelayed. Rates and losses are the kernel's; see `kmirror_lab.net.rules`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import select
import signal
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.net import settings_file
from kmirror_lab.net.delay_line import DelayLine
from kmirror_lab.net.rules import DEVICE, MTU_BYTES
from kmirror_lab.process.host import NAMESPACES, enter

_TUNSETIFF = 0x400454CA
_IFF_TUN_NO_PI = 0x1001
# Read at once before what is due is looked at again.
_READ_MAX = 64
_IDLE_S = 1.0
# Who delays packets by milliseconds must not wait for a processor that long.
_NICE = -15


@dataclass(slots=True)
class _Way:
    """One direction: where packets come from, and where they go."""

    arrives: int
    leaves: int
    line: DelayLine


class Wire:
    """
    The process's own work.

    Args:
        folder: Where the settings are; see `settings_file`.
        names: The namespaces of the first and the second side.
    """

    def __init__(self, folder: Path, names: tuple[str, str]) -> None:
        self._folder = folder
        first, second = (_open_device(name) for name in names)
        wanted = settings_file.load(folder)
        rng = random.Random()
        self._there = _Way(first, second, DelayLine(wanted.there, rng))
        self._back = _Way(second, first, DelayLine(wanted.back, rng))

    def obey(self) -> None:
        """Read the settings; packets that are on their way keep their times."""
        wanted = settings_file.load(self._folder)
        self._there.line.way = wanted.there
        self._back.line.way = wanted.back
        settings_file.acknowledge(self._folder, wanted)

    def carry(self) -> None:
        """Carry packets until the process is ended."""
        ways = (self._there, self._back)
        arrivals = [way.arrives for way in ways]
        while True:
            ready, _, _ = select.select(arrivals, (), (), self._pause_s())
            for way in ways:
                if way.arrives in ready:
                    _take_in(way)
            now_s = time.monotonic()
            for way in ways:
                _give_out(way, now_s)

    def _pause_s(self) -> float:
        times = [at for way in (self._there, self._back) if (at := way.line.next_s()) is not None]
        return max(0.0, min(times) - time.monotonic()) if times else _IDLE_S


def _take_in(way: _Way) -> None:
    now_s = time.monotonic()
    for _ in range(_READ_MAX):
        try:
            packet = os.read(way.arrives, MTU_BYTES)
        except BlockingIOError:
            return
        way.line.put(packet, now_s)


def _give_out(way: _Way, now_s: float) -> None:
    for packet in way.line.due(now_s):
        # The other side is not up yet, or its queue is full: the packet is lost, as on any link.
        with contextlib.suppress(OSError):
            os.write(way.leaves, packet)


def _open_device(namespace: str) -> int:
    there = os.open(NAMESPACES / namespace, os.O_RDONLY)
    try:
        enter(there)
    finally:
        os.close(there)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), _IFF_TUN_NO_PI))
    return device


def main() -> None:
    """Be the wire of `FOLDER FIRST SECOND` until ended; SIGHUP says that the settings changed."""
    folder, first, second = sys.argv[1:]
    # Some containers have a root that may not.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    wire = Wire(Path(folder), (first, second))
    signal.signal(signal.SIGHUP, lambda *_: wire.obey())
    wire.obey()
    wire.carry()


if __name__ == "__main__":
    main()
