"""
The TCP proxy that is the link where there are no network namespaces: a process of its own.

A direction's rate is shared by all its connections. What is cut is held, as TCP would send it
again, and goes on when the cut is healed.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kmirror_lab.net import settings_file, state
from kmirror_lab.net.settings import LinkSettings, OneWay
from kmirror_lab.net.state import Route
from kmirror_lab.process.ports import LOOPBACK

_CHUNK_BYTES = 16_384
# With few bytes of rate a chunk is as long as this, so that connections take turns.
_CHUNK_S = 0.05
# What one connection may have on its way: chunks, each of `_CHUNK_BYTES` at most.
_UNDERWAY_MAX = 2_000
# Small, or a sender would see the kernel's buffers instead of the link.
_BUFFER_BYTES = 32_768


class Way:
    """
    One direction, shared by all connections.

    Args:
        settings: What happens to bytes from now on.
    """

    def __init__(self, settings: OneWay) -> None:
        self.settings = settings
        self.open = asyncio.Event()
        self._free_s = 0.0
        self.obey(settings)

    def obey(self, settings: OneWay) -> None:
        """Change what happens."""
        self.settings = settings
        if settings.cut:
            self.open.clear()
        else:
            self.open.set()

    @property
    def chunk_bytes(self) -> int:
        """How much goes at once."""
        rate = self.settings.rate_bit_s
        return max(256, min(_CHUNK_BYTES, int(rate / 8 * _CHUNK_S))) if rate else _CHUNK_BYTES

    async def pass_on(self, size_bytes: int) -> None:
        """Wait until the rate has room for so many bytes."""
        rate = self.settings.rate_bit_s
        if not rate:
            return
        now_s = asyncio.get_running_loop().time()
        self._free_s = max(self._free_s, now_s) + size_bytes * 8 / rate
        await asyncio.sleep(self._free_s - now_s)

    def due_s(self, now_s: float) -> float:
        """Say when what leaves now arrives."""
        way = self.settings
        return now_s + way.delay_s + random.uniform(-way.jitter_s, way.jitter_s)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A connection through the proxy: from the client, and to the broker."""

    client: asyncio.StreamWriter
    broker: asyncio.StreamWriter


class Proxy:
    """
    The process's own work.

    Args:
        folder: The lab's, with its routes and settings.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        wanted = settings_file.load(folder)
        self._there, self._back = Way(wanted.there), Way(wanted.back)
        self._pairs: set[_Pair] = set()

    def obey(self) -> None:
        """Read the settings again."""
        wanted: LinkSettings = settings_file.load(self._folder)
        self._there.obey(wanted.there)
        self._back.obey(wanted.back)
        settings_file.acknowledge(self._folder, wanted)

    def reset(self) -> None:
        """End every connection by RST."""
        for pair in self._pairs:
            _abort(pair.client)
            _abort(pair.broker)

    async def serve(self) -> None:
        """Carry bytes until the process is ended."""
        found = state.load(self._folder)
        assert found is not None, "the state is written before the proxy starts"
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, self.obey)
        loop.add_signal_handler(signal.SIGUSR1, self.reset)
        first, second = found.sides
        ways = ((second, self._there, self._back), (first, self._back, self._there))
        for side, towards, answers in ways:
            for route in side.routes:
                carry = partial(self._carry, route, towards, answers)
                await asyncio.start_server(carry, sock=_listener(route), limit=_CHUNK_BYTES)
        self.obey()
        await asyncio.Event().wait()

    async def _carry(
        self,
        route: Route,
        towards: Way,
        answers: Way,
        from_client: asyncio.StreamReader,
        to_client: asyncio.StreamWriter,
    ) -> None:
        try:
            from_broker, to_broker = await _connect(route)
        except OSError:
            _abort(to_client)
            return
        pair = _Pair(to_client, to_broker)
        self._pairs.add(pair)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pump(from_client, to_broker, towards))
                both.create_task(_pump(from_broker, to_client, answers))
        except* OSError:
            # An end that was reset, or went away, ends the other one.
            _abort(to_client)
            _abort(to_broker)
        finally:
            self._pairs.discard(pair)
            to_client.close()
            to_broker.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, way: Way) -> None:
    """Carry one direction of one connection until its end arrives."""
    underway: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_UNDERWAY_MAX)
    async with asyncio.TaskGroup() as both:
        both.create_task(_send(source, underway, way))
        both.create_task(_arrive(underway, target, way))


async def _send(
    source: asyncio.StreamReader, underway: asyncio.Queue[tuple[float, bytes]], way: Way
) -> None:
    now_s: Callable[[], float] = asyncio.get_running_loop().time
    while True:
        chunk = await source.read(way.chunk_bytes)
        await way.pass_on(len(chunk))
        await underway.put((way.due_s(now_s()), chunk))
        if not chunk:
            return


async def _arrive(
    underway: asyncio.Queue[tuple[float, bytes]], target: asyncio.StreamWriter, way: Way
) -> None:
    now_s: Callable[[], float] = asyncio.get_running_loop().time
    while True:
        due_s, chunk = await underway.get()
        await asyncio.sleep(max(0.0, due_s - now_s()))
        await way.open.wait()
        if not chunk:
            target.write_eof()
            return
        target.write(chunk)
        await target.drain()


async def _connect(route: Route) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    under = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    under.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
    under.setblocking(False)
    try:
        await asyncio.get_running_loop().sock_connect(under, (LOOPBACK, route.exit))
    except OSError:
        under.close()
        raise
    return await asyncio.open_connection(sock=under, limit=_CHUNK_BYTES)


def _listener(route: Route) -> socket.socket:
    server = socket.create_server((LOOPBACK, route.entrance))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
    return server


def _abort(writer: asyncio.StreamWriter) -> None:
    under = writer.get_extra_info("socket")
    if under is not None:
        # A close that does not linger is a reset.
        with contextlib.suppress(OSError):
            under.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def main() -> None:
    """Be the proxy of the lab in `FOLDER` until ended."""
    asyncio.run(Proxy(Path(sys.argv[1])).serve())


if __name__ == "__main__":
    main()
