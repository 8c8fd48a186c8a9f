"""What is written down of a lab, and what its sides see."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.cluster.state import ClusterState, NodeState
from kmirror_lab.net import NetLab, NetPlan, bring_up
from kmirror_lab.net import state as net_state
from kmirror_lab.net.namespace import check_name
from kmirror_lab.net.state import Kind, NetState, Route, SideState
from kmirror_lab.process.process import ProcessId

from kmirror.errors import EnvironmentProblem

_NODE = NodeState(node_id=1, process=ProcessId(pid=1, started=2))


def _side(name: str, bootstrap: str, *routes: Route) -> SideState:
    cluster = ClusterState(name=name, bootstrap=bootstrap, nodes=(_NODE,))
    return SideState(name=name, cluster=cluster, routes=routes)


_PROXIED = NetState(
    kind=Kind.PROXY,
    congestion="",
    sides=(
        _side("a", "127.0.0.1:1", Route(entrance=11, exit=12), Route(entrance=13, exit=14)),
        _side("b", "127.0.0.1:2", Route(entrance=21, exit=22), Route(entrance=23, exit=24)),
    ),
    link=ProcessId(pid=3, started=4),
)
_SPACES = NetState(
    kind=Kind.WIRE,
    congestion="cubic",
    sides=(
        replace(_side("a", "10.77.0.1:9092"), address="10.77.0.1", inode=5),
        SideState(name="b", address="10.77.0.2"),
    ),
)


@pytest.mark.parametrize("state", [_PROXIED, _SPACES])
def test_a_state_is_read_as_it_was_written(tmp_path: Path, state: NetState) -> None:
    """Also one of a lab that is being made."""
    net_state.save(tmp_path, state)
    assert net_state.load(tmp_path) == state
    net_state.forget(tmp_path)
    assert net_state.load(tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_each_side_sees_the_other_through_the_proxy() -> None:
    """And itself directly; the last route is the proof's."""
    assert _PROXIED.properties("a").splitlines() == [
        "clusters = a, b",
        "a.bootstrap.servers = 127.0.0.1:1",
        "b.bootstrap.servers = 127.0.0.1:21",
    ]
    net = NetLab(Path(), _PROXIED)
    assert net.bootstrap("a") == "127.0.0.1:1"
    assert net.bootstrap("a", seen_from="b") == "127.0.0.1:11"


def test_sides_are_places(tmp_path: Path) -> None:
    """Programs run there; a name that no side has is refused."""
    net = NetLab(tmp_path, _SPACES)
    assert net.host("a").command(["true"])[1:] == ["netns", "exec", "a", "true"]
    with pytest.raises(ValueError, match="c: the sides are a and b"):
        net.host("c")
    with pytest.raises(EnvironmentProblem, match="no place to run things"):
        NetLab(tmp_path, _PROXIED).host("a")


def test_what_is_in_the_way_is_told(tmp_path: Path) -> None:
    """Before anything is made."""
    with pytest.raises(EnvironmentProblem, match="there is no network lab"):
        NetLab.at(tmp_path)
    net_state.save(tmp_path, _PROXIED)
    with pytest.raises(EnvironmentProblem, match="already"):
        bring_up(tmp_path, NetPlan(proxy=True))
    net_state.forget(tmp_path)
    (tmp_path / "us-east-1").mkdir()
    with pytest.raises(EnvironmentProblem, match="in the way"):
        bring_up(tmp_path, NetPlan(proxy=True))
    with pytest.raises(ValueError, match="both sides are called x"):
        bring_up(tmp_path, NetPlan(names=("x", "x"), proxy=True))
    assert [path.name for path in tmp_path.iterdir()] == ["us-east-1"]


@pytest.mark.parametrize("name", ["", ".", "../up", "a/b", "-x", "a b", "x" * 64])
def test_a_name_is_a_plain_word(name: str) -> None:
    """It becomes a namespace, a folder and a key in a properties file."""
    with pytest.raises(ValueError, match="letters, digits"):
        check_name(name)
