"""
Traffic of others on a link: TCP connections that send as fast as the link lets them.

As a program it is one of their two ends: `listen ADDRESS` throws away what comes, `send ADDRESS
PORT STREAMS` sends until it is ended. Each writes a line when it is ready.
"""

from __future__ import annotations

import contextlib
import re
import select
import socket
import struct
import sys
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.process import process
from kmirror_lab.process.host import Host
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until

STREAMS_MAX = 100
_READY = "ready"
_READY_LINE = re.compile(rf"^{_READY} (\d+)$", re.MULTILINE)
_READY_S_MAX = 60.0
_CHUNK = bytes(65_536)
# What waits in a socket when it ends is not sent any more.
_AT_ONCE = struct.pack("ii", 1, 0)


class Traffic:
    """
    Traffic of others from one side to the other.

    Args:
        source: Where it comes from.
        target: Where it goes.
        folder: For the logs of its two processes.
    """

    def __init__(self, source: Host, target: Host, folder: Path) -> None:
        self._source = source
        self._target = target
        self._folder = folder
        self._running: dict[Path, ProcessId] = {}

    def flow(self, streams: int) -> None:
        """
        Have so many connections send from now on, instead of those before; 0 ends all.

        Raises:
            EnvironmentProblem: One of its ends did not begin.
            ClusterUnavailable: The link let no connection through for a minute.
        """
        self.end()
        if not streams:
            return
        port = self._start(self._target, "listener", "listen", self._target.address)
        self._start(self._source, "sender", "send", self._target.address, port, str(streams))

    def check(self) -> None:
        """
        Make sure that what was begun still flows.

        Raises:
            EnvironmentProblem: One of its ends has ended by itself.
        """
        for log, end in self._running.items():
            if not process.alive(end):
                raise EnvironmentProblem(f"the traffic of others ended:\n{_end_of(log)}")

    def end(self) -> None:
        """End it; what is in the queue of the link still arrives there."""
        for each in reversed(self._running.values()):
            process.kill(each)
        self._running.clear()

    def _start(self, host: Host, name: str, *words: str) -> str:
        """Start one end, and give the number that it writes when it is ready."""
        log = self._folder / f"traffic-{name}.log"
        log.unlink(missing_ok=True)
        command = host.command([sys.executable, "-m", __name__, *words])
        self._running[log] = process.start(command, log=log)

        def ready() -> bool:
            self.check()
            return _READY_LINE.search(log.read_text(errors="replace")) is not None

        wait_until(ready, f"the {name} of the traffic of others begins", timeout_s=_READY_S_MAX)
        found = _READY_LINE.search(log.read_text(errors="replace"))
        assert found is not None, "it was there"
        return found[1]


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-1000:]


def _tell_ready(number: int) -> None:
    sys.stdout.write(f"{_READY} {number}\n")
    sys.stdout.flush()


def _listen(address: str) -> None:
    """Throw away what comes, until ended."""
    server = socket.create_server((address, 0), backlog=STREAMS_MAX)
    _tell_ready(server.getsockname()[1])
    opened = [server]
    while True:
        for ready in select.select(opened, [], [])[0]:
            if ready is server:
                opened.append(server.accept()[0])
                continue
            with contextlib.suppress(OSError):
                if ready.recv(len(_CHUNK)):
                    continue
            ready.close()
            opened.remove(ready)


def _send(address: str, port: int, streams: int) -> None:
    """Send on all connections, until ended; one that breaks is made again."""
    waiting = {_connecting(address, port) for _ in range(streams)}
    sending: set[socket.socket] = set()
    told = False
    while True:
        for free in select.select([], [*waiting, *sending], [])[1]:
            try:
                free.send(_CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                free.close()
                waiting.discard(free)
                sending.discard(free)
                waiting.add(_connecting(address, port))
                continue
            waiting.discard(free)
            sending.add(free)
        if not waiting and not told:
            told = True
            _tell_ready(streams)


def _connecting(address: str, port: int) -> socket.socket:
    """Begin a connection; who sends on it learns whether there is one."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
    made.setblocking(False)
    made.connect_ex((address, port))
    return made


def main() -> None:
    """Be one end, until ended."""
    match sys.argv[1:]:
        case ["listen", address]:
            _listen(address)
        case ["send", address, port, streams]:
            _send(address, int(port), int(streams))
        case _:
            raise SystemExit("listen ADDRESS, or send ADDRESS PORT STREAMS")


if __name__ == "__main__":
    main()
