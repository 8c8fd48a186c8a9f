"""Two clusters in network namespaces, and a link between them that can be made bad."""

from kmirror_lab.net.netlab import NetLab
from kmirror_lab.net.proof import Proof
from kmirror_lab.net.settings import Change, Direction, LinkSettings, OneWay, read_change
from kmirror_lab.net.state import Kind
from kmirror_lab.net.up import NetPlan, bring_up, kind_here, net_lab

__all__ = [
    "Change",
    "Direction",
    "Kind",
    "LinkSettings",
    "NetLab",
    "NetPlan",
    "OneWay",
    "Proof",
    "bring_up",
    "kind_here",
    "net_lab",
    "read_change",
]
