"""`kmirror lab` as a person uses it: one process per command."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from kmirror_lab.cluster.clients import admin_client
from kmirror_lab.cluster.state import ClusterState, LabState, NodeState, load, save
from kmirror_lab.process.ports import free_ports, is_free
from kmirror_lab.process.process import ProcessId, alive, kill

pytestmark = pytest.mark.kafka

_COMMAND = "from kmirror_lab.cli.lab import app; app(prog_name='kmirror lab')"


def lab(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `kmirror lab` with *arguments*."""
    command = [sys.executable, "-c", _COMMAND, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_up_status_down(tmp_path: Path) -> None:
    """Clusters outlive `up`, `status` finds them, `down` removes them and nothing else."""
    foreign = tmp_path / "foreign"
    foreign.write_text("stays")
    ports = free_ports(2)
    up = lab("up", "--folder", tmp_path, "--ports", f"{ports[0]},{ports[1]}")
    try:
        assert up.returncode == 0, up.stderr
        assert f"A.bootstrap.servers = 127.0.0.1:{ports[0]}\n" in up.stdout
        assert f"B.bootstrap.servers = 127.0.0.1:{ports[1]}\n" in up.stdout
        assert list(admin_client(f"127.0.0.1:{ports[1]}").list_topics(timeout=30).brokers) == [1]
        again = lab("up", "--folder", tmp_path)
        assert again.returncode == 1
        assert "already" in again.stderr
        status = lab("status", "--folder", tmp_path)
        assert status.returncode == 0
        assert status.stdout == up.stdout
        state = load(tmp_path)
        assert state is not None
        nodes = [node for cluster in state.clusters for node in cluster.nodes]
        assert all(alive(node.process) for node in nodes)
    finally:
        down = lab("down", "--folder", tmp_path)
    assert down.returncode == 0, down.stderr
    assert nodes
    assert not any(alive(node.process) for node in nodes)
    assert all(is_free(port) for port in ports)
    assert list(tmp_path.iterdir()) == [foreign]


def test_a_dead_node_is_told(tmp_path: Path) -> None:
    """`status` fails when a node died; `down` still cleans up."""
    assert lab("up", "--clusters", "1", "--folder", tmp_path).returncode == 0
    state = load(tmp_path)
    assert state is not None
    kill(state.clusters[0].nodes[0].process)
    status = lab("status", "--folder", tmp_path)
    assert status.returncode == 1
    assert "is dead" in status.stdout
    assert lab("down", "--folder", tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_wrong_ports_and_no_lab_are_told(tmp_path: Path) -> None:
    """One sentence, exit status 1, nothing started."""
    wrong = lab("up", "--folder", tmp_path, "--ports", "9097")
    assert wrong.returncode == 1
    assert "2 numbers are needed" in wrong.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        busy = lab("up", "--clusters", "1", "--folder", tmp_path, "--ports", str(port))
    assert busy.returncode == 1
    assert f"{port} is in use" in busy.stderr
    assert not list(tmp_path.iterdir())
    absent = lab("down", "--folder", tmp_path)
    assert absent.returncode == 1
    assert "no lab" in absent.stderr


def test_a_state_file_never_kills_a_stranger(tmp_path: Path) -> None:
    """A number that another process has by now is left alone."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        node = NodeState(node_id=1, process=ProcessId(pid=stranger.pid, started=1))
        state = LabState(clusters=(ClusterState(name="A", bootstrap="", nodes=(node,)),))
        save(tmp_path, state)
        assert load(tmp_path) == state
        assert lab("status", "--folder", tmp_path).returncode == 1
        assert lab("down", "--folder", tmp_path).returncode == 0
        assert stranger.poll() is None
        stranger.communicate(b"\n", timeout=30)
