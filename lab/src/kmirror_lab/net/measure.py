"""What a link really does: `ping`, timed packets, and a TCP transfer."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import select
import shutil
import socket
import statistics
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kmirror.errors import EnvironmentProblem
from kmirror_lab.net.proof import Measured, Ping
from kmirror_lab.net.settings import LinkSettings, OneWay
from kmirror_lab.process.host import Host, tool

_PINGS = 20
_PING_EVERY_S = 0.02
# Sequence number and time of departure; both ends share the machine's clock.
_PROBE = struct.Struct("!Id")
_PROBE_BITS = (_PROBE.size + 28) * 8
_PROBES_FEW, _PROBES_MANY = 50, 1500
_PROBE_EVERY_S = 0.001
# Few take half a second: a moment in which the machine is busy does not delay most of them.
_FEW_EVERY_S = 0.01
# The share of a link's rate that probes may take.
_PROBE_SHARE = 0.25
_PROBING_S = 2.0
_MESSAGING_S = 0.5
_STRAGGLERS_S = 0.3
_CONNECT_S_MAX = 10.0
# What comes before is TCP finding its pace.
_OMIT_S = 1.0
_CHUNK = b"\0" * 65_536
_IPERF3_PORT = 5201


OWN = "kmirror's own transfer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """
    A way that connections take.

    Args:
        source: Where they begin.
        target: Where they end.
        entrance: The port that they are made to, when it is not the server's own.
        exit: The server's port; a free one by default.
    """

    source: Host
    target: Host
    entrance: int = 0
    exit: int = 0


@dataclass(frozen=True, slots=True)
class _Probes:
    """How many packets are sent, and how long after each other."""

    count: int
    every_s: float


def ping(source: Host, target: Host, settings: LinkSettings) -> Ping:
    """
    Ping *target* from *source*.

    Raises:
        EnvironmentProblem: `ping` is missing, or did not say what it found.
    """
    wait_s = settings.rtt_s + settings.there.jitter_s + settings.back.jitter_s + 1
    words = ["-n", "-c", str(_PINGS), "-i", str(_PING_EVERY_S), "-W", f"{wait_s:.3f}"]
    done = subprocess.run(
        source.command([tool("ping", package="iputils-ping"), *words, target.address]),
        capture_output=True,
        text=True,
        timeout=_PINGS * _PING_EVERY_S + 2 * wait_s + 10,
        check=False,
    )
    return read_ping(done.stdout, trouble=done.stderr)


def read_ping(text: str, *, trouble: str = "") -> Ping:
    """
    Read what `ping` wrote.

    Raises:
        EnvironmentProblem: It counted nothing; *trouble* is quoted.
    """
    counts = re.search(r"(\d+) packets transmitted, (\d+) received", text)
    if counts is None:
        raise EnvironmentProblem(f"ping failed: {text}{trouble}")
    times_ms = [float(time) for time in re.findall(r" time=([\d.]+) ms", text)]
    return Ping(
        sent=int(counts[1]),
        received=int(counts[2]),
        rtt_s=statistics.median(times_ms) / 1000 if times_ms else None,
    )


def probe(source: Host, target: Host, way: OneWay) -> Measured:
    """Send timed packets from *source* to *target*, and see which arrive, and when."""
    plan = probes_for(way)
    delays: dict[int, float] = {}
    order: list[int] = []
    with _socket(source, socket.SOCK_DGRAM) as sender, _socket(target, socket.SOCK_DGRAM) as there:
        begin_s = time.monotonic()
        sent = 0
        longest_s = way.delay_s + way.jitter_s + _STRAGGLERS_S
        while True:
            now_s = time.monotonic()
            if sent < plan.count and now_s >= begin_s + sent * plan.every_s:
                sender.sendto(_PROBE.pack(sent, now_s), there.getsockname())
                sent += 1
                last_s = now_s
            elif sent == plan.count and (now_s > last_s + longest_s or len(order) == sent):
                break
            next_s = begin_s + sent * plan.every_s if sent < plan.count else last_s + longest_s
            if select.select([there], (), (), max(0.0, next_s - now_s))[0]:
                number, departed_s = _PROBE.unpack(there.recv(_PROBE.size))
                delays[number] = time.monotonic() - departed_s
                order.append(number)
    return Measured(
        sent=sent,
        received=len(order),
        delay_s=statistics.median(delays.values()) if delays else None,
        overtaken=sum(one > after for one, after in itertools.pairwise(order)),
    )


def probes_for(way: OneWay) -> _Probes:
    """Choose how many packets tell what *way* does without filling it."""
    many = bool(way.loss or way.reorder)
    every_s = _PROBE_EVERY_S if many else _FEW_EVERY_S
    if way.rate_bit_s:
        every_s = max(every_s, _PROBE_BITS / (way.rate_bit_s * _PROBE_SHARE))
    wanted = _PROBES_MANY if many else _PROBES_FEW
    return _Probes(count=max(_PROBES_FEW, min(wanted, int(_PROBING_S / every_s))), every_s=every_s)


def messages(stretch: Stretch, way: OneWay) -> Measured:
    """Send timed messages through one connection, where packets cannot be seen."""
    delays: list[float] = []
    with _connection(stretch) as ends:
        if ends is None:
            return Measured(sent=_PROBES_FEW, received=0)
        sender, receiver = ends
        longest_s = way.delay_s + way.jitter_s + _STRAGGLERS_S
        for number in range(_PROBES_FEW):
            sender.sendall(_PROBE.pack(number, time.monotonic()))
            receiver.settimeout(longest_s)
            # Cut into pieces by nobody: they are small, and each is alone on its way.
            try:
                _, departed_s = _PROBE.unpack(receiver.recv(_PROBE.size, socket.MSG_WAITALL))
            except TimeoutError:
                break
            delays.append(time.monotonic() - departed_s)
            if len(delays) * way.delay_s > _MESSAGING_S:
                break
    return Measured(
        sent=len(delays) or _PROBES_FEW,
        received=len(delays),
        delay_s=statistics.median(delays) if delays else None,
    )


def transfer(stretch: Stretch, *, seconds: float) -> float | None:
    """
    Send as much as goes by TCP, and give the bits a second that arrived.

    Returns:
        `None` when there was no connection.
    """
    with _connection(stretch) as ends:
        return None if ends is None else _pump(*ends, seconds)


@contextlib.contextmanager
def _connection(stretch: Stretch) -> Iterator[tuple[socket.socket, socket.socket] | None]:
    """Connect, and give sender and receiver; `None` when that is not possible."""
    with (
        _socket(stretch.target, socket.SOCK_STREAM, stretch.exit) as server,
        _socket(stretch.source, socket.SOCK_STREAM) as sender,
    ):
        server.listen(1)
        server.settimeout(_CONNECT_S_MAX)
        sender.settimeout(_CONNECT_S_MAX)
        address, port = server.getsockname()
        try:
            sender.connect((address, stretch.entrance or port))
            receiver, _ = server.accept()
        except OSError:
            yield None
            return
        with receiver:
            # What is still waiting when the time is over is not sent any more.
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            yield sender, receiver


def _pump(sender: socket.socket, receiver: socket.socket, seconds: float) -> float:
    sender.setblocking(False)
    receiver.setblocking(False)
    begin_s = time.monotonic() + _OMIT_S
    end_s = begin_s + seconds
    received_bytes = 0
    while (now_s := time.monotonic()) < end_s:
        ready, free, _ = select.select([receiver], [sender], (), end_s - now_s)
        with contextlib.suppress(BlockingIOError):
            if free:
                sender.send(_CHUNK)
        if ready:
            taken = len(receiver.recv(len(_CHUNK)))
            received_bytes += taken if now_s >= begin_s else 0
    return received_bytes * 8 / seconds


def has_iperf3() -> bool:
    """Return whether `iperf3` is installed."""
    return shutil.which("iperf3") is not None


def iperf3(source: Host, target: Host, *, seconds: float, rtt_s: float) -> float | None:
    """Do what `transfer` does, with `iperf3`."""
    path = tool("iperf3", package="iperf3")
    server = subprocess.Popen(
        target.command([path, "--server", "--port", str(_IPERF3_PORT), "--forceflush"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert server.stdout is not None, "it was asked for"
        select.select([server.stdout], (), (), _CONNECT_S_MAX)
        timing = ["--time", f"{seconds:.0f}", "--omit", f"{_OMIT_S:.0f}"]
        timing += ["--connect-timeout", f"{_CONNECT_S_MAX * 1000:.0f}"]
        address = ["--client", target.address, "--port", str(_IPERF3_PORT)]
        done = subprocess.run(
            source.command([path, *address, *timing, "--json"]),
            capture_output=True,
            text=True,
            # Its own control connection needs some round trips, too.
            timeout=seconds + _OMIT_S + _CONNECT_S_MAX + 10 * rtt_s,
            check=False,
        )
        return read_iperf3(done.stdout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        server.kill()
        server.communicate()


def read_iperf3(text: str) -> float | None:
    """Read what `iperf3 --json` wrote; `None` when it did not get through."""
    try:
        return float(json.loads(text)["end"]["sum_received"]["bits_per_second"])
    except (KeyError, ValueError):
        return None


def with_rate(found: Measured, rate_bit_s: float | None) -> Measured:
    """Return *found* with what a transfer reached."""
    return replace(found, rate_bit_s=rate_bit_s)


@contextlib.contextmanager
def _socket(host: Host, kind: socket.SocketKind, port: int = 0) -> Iterator[socket.socket]:
    with host.inside():
        made = socket.socket(socket.AF_INET, kind)
    with made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.address, port))
        yield made
