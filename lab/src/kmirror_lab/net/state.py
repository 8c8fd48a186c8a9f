"""A lab of two sides and a link, written down so that other commands find it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

from kmirror_lab.cluster.state import ClusterState, cluster_from_json
from kmirror_lab.net.namespace import Namespace
from kmirror_lab.process.host import Host
from kmirror_lab.process.ports import LOOPBACK
from kmirror_lab.process.process import ProcessId

_FILE = "net.json"


class Kind(Enum):
    """What the link is made of."""

    NETEM = "netem"
    WIRE = "wire"
    PROXY = "proxy"

    def __str__(self) -> str:
        return {
            Kind.NETEM: "namespaces; the kernel delays packets (netem)",
            Kind.WIRE: "namespaces; a process delays packets (TUN), this kernel has no netem",
            Kind.PROXY: "no namespaces: a TCP proxy on loopback",
        }[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """
    How the other side reaches a broker through the proxy.

    Args:
        entrance: The port that the proxy listens at.
        exit: The port that it connects to.
    """

    entrance: int
    exit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SideState:
    """
    One side.

    Args:
        name: What people call it; the namespace's and the cluster's name.
        address: Where its servers listen.
        inode: The namespace's; 0 while it is being made, and without one.
        cluster: What runs there; `None` before it was started.
        routes: Through the proxy, to the brokers and last to where the proof listens.
    """

    name: str
    address: str = LOOPBACK
    inode: int = 0
    cluster: ClusterState | None = None
    routes: tuple[Route, ...] = ()

    @property
    def namespace(self) -> Namespace:
        """Its namespace; the proxy has none."""
        return Namespace(name=self.name, inode=self.inode)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetState:
    """
    The lab of one folder.

    Args:
        kind: What the link is made of.
        congestion: The congestion control of TCP between the sides.
        sides: The first and the second.
        link: The process that is the link, where one is.
    """

    kind: Kind
    congestion: str
    sides: tuple[SideState, SideState]
    link: ProcessId | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The sides' names."""
        return self.sides[0].name, self.sides[1].name

    def host(self, name: str) -> Host:
        """Return the place of a side's processes."""
        side = next(side for side in self.sides if side.name == name)
        namespace = "" if self.kind is Kind.PROXY else side.name
        return Host(address=side.address, namespace=namespace)

    def properties(self, seen_from: str) -> str:
        """Write the clusters as a side sees them, as the first lines of an `mm2.properties`."""
        lines = [f"clusters = {', '.join(self.names)}"]
        for side in self.sides:
            if side.cluster is None:
                continue
            address = side.cluster.bootstrap
            if side.routes and side.name != seen_from:
                ports = [route.entrance for route in side.routes[:-1]]
                address = ",".join(f"{side.address}:{port}" for port in ports)
            lines.append(f"{side.name}.bootstrap.servers = {address}")
        return "".join(f"{line}\n" for line in lines)


def save(folder: Path, state: NetState) -> None:
    """Write *state* into *folder*, completely or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{_FILE}"
    draft.write_text(json.dumps(asdict(state) | {"kind": state.kind.value}, indent=2) + "\n")
    draft.rename(folder / _FILE)


def load(folder: Path) -> NetState | None:
    """Read the state of *folder*; `None` when there is no lab."""
    try:
        found = json.loads((folder / _FILE).read_text())
    except FileNotFoundError:
        return None
    first, second = (
        SideState(
            name=side["name"],
            address=side["address"],
            inode=side["inode"],
            cluster=side["cluster"] and cluster_from_json(side["cluster"]),
            routes=tuple(Route(**route) for route in side["routes"]),
        )
        for side in found["sides"]
    )
    return NetState(
        kind=Kind(found["kind"]),
        congestion=found["congestion"],
        sides=(first, second),
        link=found["link"] and ProcessId(**found["link"]),
    )


def forget(folder: Path) -> None:
    """Remove the file."""
    (folder / _FILE).unlink(missing_ok=True)
