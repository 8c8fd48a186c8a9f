"""
The lab without root: a TCP proxy between two sides that share the loopback.

Each broker has a listener for its own side, and one for the other side whose advertised address
is the proxy's: so the other side finds no way past the proxy.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.net import measure, settings_file
from kmirror_lab.net.link import log_of
from kmirror_lab.net.measure import Stretch
from kmirror_lab.net.proof import Proof
from kmirror_lab.net.settings import QUEUE_S_USUAL, LinkSettings
from kmirror_lab.net.state import Kind, NetState, Route, SideState
from kmirror_lab.process import process
from kmirror_lab.process.ports import free_ports
from kmirror_lab.process.process import ProcessId

LISTENER = "LINK"
CANNOT = (
    "a TCP proxy imitates rates, delays, jitter, cuts and resets; "
    "it cannot lose or reorder packets, bound the queue, fill a bucket, or have TCP feel any of it"
)
_HINT = "namespaces need root, and no --proxy"


def planned(names: tuple[str, str], brokers: int) -> NetState:
    """Choose the proxy's ports: one for each broker, and one for the proof, on each side."""
    first, second = (
        SideState(
            name=name,
            routes=tuple(Route(entrance=port, exit=0) for port in free_ports(brokers + 1)),
        )
        for name in names
    )
    return NetState(kind=Kind.PROXY, congestion="", sides=(first, second))


def clusters(
    folder: Path, state: NetState, brokers: int, *, heap_mb: int, config: Mapping[str, str]
) -> tuple[list[Cluster], NetState]:
    """Describe the clusters, and the routes that lead to them."""
    made = []
    sides = []
    for side in state.sides:
        entrances = [route.entrance for route in side.routes]
        exits = list(free_ports(1))
        if brokers:
            cluster = Cluster(
                side.name,
                folder,
                brokers=brokers,
                listeners={LISTENER: "PLAINTEXT"},
                advertised={LISTENER: entrances[:-1]},
                config=config,
                heap_mb=heap_mb,
                outlive=True,
            )
            made.append(cluster)
            addresses = cluster.bootstrap_of(LISTENER).split(",")
            exits = [int(address.rpartition(":")[2]) for address in addresses] + exits
        pairs = zip(entrances, exits, strict=True)
        routes = tuple(Route(entrance=entrance, exit=leads) for entrance, leads in pairs)
        sides.append(replace(side, routes=routes))
    return made, replace(state, sides=(sides[0], sides[1]))


def start(folder: Path) -> ProcessId:
    """
    Start the proxy for the routes that are written down.

    Raises:
        EnvironmentProblem: It ended at once.
    """
    command = [sys.executable, "-m", "kmirror_lab.net.proxy", str(folder)]
    started = process.start(command, log=log_of(folder), outlive=True)
    try:
        # Before it listens, a signal would end it.
        settings_file.wait_taken(folder, started, log_of(folder))
    except BaseException:
        process.kill(started)
        raise
    return started


def reset(state: NetState) -> None:
    """Have the proxy end its connections by RST."""
    assert state.link is not None, "the proxy was started"
    process.send(state.link, signal.SIGUSR1)


def check(settings: LinkSettings) -> None:
    """
    Make sure that a proxy can do it.

    Raises:
        EnvironmentProblem: It cannot; nothing was changed.
    """
    for way in (settings.there, settings.back):
        if way.loss or way.reorder or way.bucket_bytes or way.queue_s != QUEUE_S_USUAL:
            raise EnvironmentProblem(f"not without network namespaces: {CANNOT}", hint=_HINT)


def prove(state: NetState, settings: LinkSettings, *, seconds: float) -> Proof:
    """Measure what the proxy does, by messages and transfers through it."""
    first, second = state.sides
    found = []
    for target, way in ((second, settings.there), (first, settings.back)):
        route = target.routes[-1]
        host = state.host(target.name)
        stretch = Stretch(source=host, target=host, entrance=route.entrance, exit=route.exit)
        measured = measure.messages(stretch, way)
        if not settings.cut:
            rate = measure.transfer(stretch, seconds=seconds)
            measured = measure.with_rate(measured, rate)
        found.append(measured)
    there, back = found
    return Proof(
        names=state.names,
        settings=settings,
        ping=None,
        there=there,
        back=back,
        transfer=measure.OWN,
    )
