"""The network lab on real namespaces: it does what is set, and leaves nothing behind."""

from __future__ import annotations

import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer
from kmirror_lab.cluster.clients import producer
from kmirror_lab.net import Kind, NetLab, NetPlan, net_lab
from kmirror_lab.net.measure import Stretch, has_iperf3, ping, transfer
from kmirror_lab.net.namespace import exists, processes
from kmirror_lab.net.rules import DEVICE
from kmirror_lab.net.traffic import Traffic
from kmirror_lab.process import process
from kmirror_lab.process.waiting import wait_until

from kmirror.errors import EnvironmentProblem
from tests.support.namespaces import needs_namespaces

pytestmark = [
    pytest.mark.kafka,
    needs_namespaces,
]

_COMMAND = "from kmirror_lab.cli.lab import app; app(prog_name='kmirror lab')"
# A lab without brokers that says so and then waits for its end, or makes one with brokers.
_OWNER = """
import sys
from pathlib import Path
from kmirror_lab.net import NetPlan, net_lab
with net_lab(Path(sys.argv[1]), NetPlan(names=(sys.argv[2], sys.argv[3]), brokers=0)) as net:
    print("ready", flush=True)
    sys.stdin.read()
"""


def lab(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `kmirror lab net` with *arguments*."""
    command = [sys.executable, "-c", _COMMAND, "net", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def new_names() -> tuple[str, str]:
    """Give two names that no other lab of this machine has."""
    token = secrets.token_hex(3)
    return f"east-{token}", f"west-{token}"


@pytest.fixture(scope="module")
def _net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetLab]:
    plan = NetPlan(names=new_names(), brokers=0)
    with net_lab(tmp_path_factory.mktemp("net"), plan) as made:
        yield made


@pytest.fixture
def net(_net: NetLab) -> Iterator[NetLab]:
    """Give a link without clusters that does nothing to packets; cleared after every test."""
    yield _net
    _net.clear()


@pytest.mark.parametrize("iperf3", [False, True], ids=["own-transfer", "iperf3"])
def test_rate_and_delay_are_what_was_set(net: NetLab, iperf3: bool) -> None:
    """`ping` sees the delays of both directions, and a transfer the rate of its own."""
    if iperf3 and not has_iperf3():
        pytest.skip("iperf3 is not installed")
    net.set(rate="1mbit", delay="40ms")
    net.set(rate="2mbit", leaving=net.names[1])
    proof = net.prove(seconds=1, iperf3=iperf3)
    assert proof.holds, proof.lines
    assert proof.ping is not None
    assert proof.ping.rtt_s == pytest.approx(0.08, abs=0.02)
    assert proof.there.rate_bit_s == pytest.approx(1_000_000, rel=0.25)
    assert proof.back.rate_bit_s == pytest.approx(2_000_000, rel=0.25)


def test_without_settings_the_link_is_quick(net: NetLab) -> None:
    """Also after some were set: nothing of them is left."""
    net.set(rate="64kbit", delay="300ms", loss="50%")
    net.clear()
    proof = net.prove(seconds=0.5, iperf3=False)
    assert proof.holds, proof.lines
    assert proof.there.rate_bit_s is not None
    assert proof.there.rate_bit_s > 50_000_000


def test_losses_and_a_one_way_cut_are_what_was_set(net: NetLab) -> None:
    """One direction loses a tenth, at random or in rows; of the other nothing arrives."""
    first, second = net.names
    for burst in ("1", "20"):
        net.set(loss="10%", burst=burst, leaving=first)
        net.cut(leaving=second)
        proof = net.prove()
        assert proof.holds, proof.lines
        assert 1 - proof.there.received / proof.there.sent == pytest.approx(0.1, abs=0.04)
        assert proof.back.received == 0
    net.heal()
    assert not net.settings.cut
    assert net.settings.there.loss == 0.1


def test_jitter_and_reordering_are_what_was_set(net: NetLab) -> None:
    """Jitter alone keeps the order."""
    net.set(delay="50ms", jitter="20ms", leaving=net.names[0])
    net.set(delay="50ms", reorder="20%", leaving=net.names[1])
    proof = net.prove(seconds=0.5, iperf3=False)
    assert proof.holds, proof.lines
    assert proof.there.overtaken == 0
    assert proof.back.overtaken > 0


def test_a_bucket_lets_so_much_pass_at_once(net: NetLab) -> None:
    """A megabyte, which would take seven seconds without."""
    net.set(rate="1mbit", bucket="1MB", leaving=net.names[0])
    near, far = (net.state.host(name) for name in net.names)
    with far.inside(), socket.create_server((far.address, 0)) as server:
        with near.inside():
            client = socket.create_connection(server.getsockname(), timeout=10)
        accepted, _ = server.accept()
        with client, accepted:
            accepted.settimeout(10)
            begin_s, left = time.monotonic(), 850_000
            sending = threading.Thread(target=client.sendall, args=(bytes(left),), daemon=True)
            sending.start()
            while left:
                left -= len(accepted.recv(65_536))
            assert time.monotonic() - begin_s < 3
            sending.join(10)


def test_traffic_of_others_takes_its_share_of_the_line(net: NetLab, tmp_path: Path) -> None:
    """Also of the connections that were reset; nothing of it is left when it ends."""
    net.set(rate="8mbit", delay="5ms")
    near, far = (net.host(name) for name in net.names)
    stretch = Stretch(source=near, target=far)
    before = [processes(side.inode) for side in net.state.sides]
    traffic = Traffic(near, far, tmp_path)
    try:
        traffic.flow(9)
        net.reset()
        left_bit_s = transfer(stretch, seconds=1)
        assert left_bit_s is not None
        assert 100_000 < left_bit_s < 2_500_000
        found = ping(near, far, net.settings)
        assert found.rtt_s is not None
        # The rest waits in sockets, not in the queue; unless netem counts packets as sent before.
        assert found.rtt_s < 0.2 or net.state.kind is Kind.NETEM
        traffic.check()
        traffic.flow(0)
        assert [processes(side.inode) for side in net.state.sides] == before
        alone_bit_s = transfer(stretch, seconds=1)
        assert alone_bit_s is not None
        assert alone_bit_s > 5_000_000
    finally:
        traffic.end()


def test_traffic_that_cannot_flow_is_told(net: NetLab, tmp_path: Path) -> None:
    """Its end says why."""
    near, far = (net.host(name) for name in net.names)
    traffic = Traffic(near, replace(far, address="192.0.2.1"), tmp_path)
    try:
        with pytest.raises(EnvironmentProblem, match="the traffic of others ended:"):
            traffic.flow(1)
    finally:
        traffic.end()


def test_connections_across_the_link_are_reset(net: NetLab) -> None:
    """Both ends are told, although neither was sending."""
    near, far = (net.state.host(name) for name in net.names)
    with far.inside(), socket.create_server((far.address, 0)) as server:
        with near.inside():
            client = socket.create_connection(server.getsockname(), timeout=10)
        accepted, _ = server.accept()
        with client, accepted:
            net.reset()
            for end in (client, accepted):
                end.settimeout(10)
                with pytest.raises(OSError, match=r"reset|abort"):
                    end.recv(1)


def test_a_side_has_its_link_and_nothing_else(net: NetLab) -> None:
    """No way out of it, not even to this machine; and this machine has no end of the link."""
    devices = {name for _, name in socket.if_nameindex()}
    assert DEVICE not in devices
    for name in net.names:
        with socket.create_server(("127.0.0.1", 0)) as ours, net.host(name).inside():
            assert {name for _, name in socket.if_nameindex()} == {"lo", DEVICE}
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(ours.getsockname(), timeout=1)
            with pytest.raises(OSError, match="unreachable"):
                socket.create_connection(("192.0.2.1", 9), timeout=1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_its_owner(tmp_path: Path, number: signal.Signals) -> None:
    """However it ends: no namespace, no process, no file."""
    names = new_names()
    command = [sys.executable, "-c", _OWNER, str(tmp_path), *names]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        found = NetLab.at(tmp_path)
        inodes = [side.inode for side in found.state.sides]
        inside = found.host(names[0]).command(["/bin/sleep", "600"])
        process.start(inside, log=tmp_path / "foreign.log", outlive=True)
        assert any(processes(inode) for inode in inodes)
        owner.send_signal(number)
        owner.wait(30)
    wait_until(lambda: not any(map(exists, names)), "no namespaces", timeout_s=20)
    wait_until(lambda: not any(map(processes, inodes)), "no processes", timeout_s=20)
    wait_until(
        lambda: [path.name for path in tmp_path.iterdir()] == ["foreign.log"],
        "no files",
        timeout_s=20,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_up_that_is_ended_half_way_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """While brokers start."""
    names = new_names()
    command = [sys.executable, "-c", _COMMAND, "net", "up", "--folder", str(tmp_path)]
    with subprocess.Popen(
        [*command, "--clusters", ",".join(names)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as up:
        log = tmp_path / names[1] / "broker-1" / "server.log"
        wait_until(log.exists, "a broker was launched", timeout_s=60)
        up.send_signal(number)
        up.communicate(timeout=60)
        assert up.returncode != 0
    wait_until(lambda: not list(tmp_path.iterdir()), "nothing is left", timeout_s=20)
    assert not any(map(exists, names))


def test_brokers_are_reached_across_the_link(tmp_path: Path) -> None:
    """`up` to `down` by commands; a record waits while answers are cut, and is there then."""
    names = new_names()
    up = lab("up", "--folder", tmp_path, "--clusters", ",".join(names))
    try:
        assert up.returncode == 0, up.stderr
        assert f"{names[1]}.bootstrap.servers = 10.77.0.2:9092\n" in up.stdout
        again = lab("up", "--folder", tmp_path, "--clusters", ",".join(names))
        assert again.returncode == 1
        assert "already" in again.stderr
        net = NetLab.at(tmp_path)
        assert set(lab("show", "--folder", tmp_path).stdout.splitlines()) == set(
            up.stdout.splitlines()
        )
        with net.host(names[0]).inside():
            writer = producer(net.bootstrap(names[1]), topic_metadata_refresh_interval_ms="500")
        assert list(writer.list_topics(timeout=20).brokers) == [1]
        cut = lab("cut", "--from", names[1], "--no-proof", "--folder", tmp_path)
        assert cut.returncode == 0, cut.stderr
        assert f"{names[1]} -> {names[0]}: cut" in cut.stdout
        assert not _answers(writer)
        assert lab("heal", "--no-proof", "--folder", tmp_path).returncode == 0
        wait_until(lambda: _answers(writer), "the broker answers again", timeout_s=30)
        side = lab("exec", names[0], "--folder", tmp_path, "--", "ip", "-4", "address")
        assert "10.77.0.1/32" in side.stdout
        inodes = [side.inode for side in net.state.sides]
    finally:
        down = lab("down", "--folder", tmp_path)
    assert down.returncode == 0, down.stderr
    assert not any(map(exists, names))
    assert not any(map(processes, inodes))
    assert list(tmp_path.iterdir()) == []


def _answers(client: Producer) -> bool:
    try:
        return list(client.list_topics(timeout=2).brokers) == [1]
    except KafkaException:
        return False
