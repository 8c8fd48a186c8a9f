"""The network lab without root: a TCP proxy between two real clusters, and client quotas."""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer
from kmirror_lab.cluster.clients import producer
from kmirror_lab.net import NetLab, NetPlan, net_lab
from kmirror_lab.process import process
from kmirror_lab.process.jvm_command import kafka_command, run_tool
from kmirror_lab.process.waiting import wait_until

from kmirror.errors import EnvironmentProblem

pytestmark = pytest.mark.kafka

_COMMAND = "from kmirror_lab.cli.lab import app; app(prog_name='kmirror lab')"


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetLab]:
    """Give two clusters with a proxy between them."""
    folder = tmp_path_factory.mktemp("proxied")
    with net_lab(folder, NetPlan(names=("near", "far"), heap_mb=256, proxy=True)) as made:
        yield made
    assert list(folder.iterdir()) == []


def lab(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `kmirror lab` with *arguments*."""
    command = [sys.executable, "-c", _COMMAND, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def answers(client: Producer) -> bool:
    """Tell whether the cluster answers within two seconds."""
    try:
        return list(client.list_topics(timeout=2).brokers) == [1]
    except KafkaException:
        return False


def test_the_other_side_goes_through_the_proxy(net: NetLab) -> None:
    """It is told the proxy's address only, waits while that is cut, and goes on afterwards."""
    own, seen = net.bootstrap("far"), net.bootstrap("far", seen_from="near")
    assert own != seen
    writer = producer(seen)
    broker = writer.list_topics(timeout=20).brokers[1]
    assert f"{broker.host}:{broker.port}" == seen
    net.cut(leaving="far")
    assert not answers(writer)
    assert answers(producer(own))
    net.heal()
    wait_until(lambda: answers(writer), "the broker answers again", timeout_s=30)
    net.reset()
    wait_until(lambda: answers(writer), "the broker answers once more", timeout_s=30)


def test_the_proxy_does_what_was_set(net: NetLab) -> None:
    """Rate and delay, for each direction; not what only packets can do."""
    net.set(rate="4mbit", delay="30ms", jitter="5ms")
    net.set(rate="8mbit", leaving="far")
    proof = net.prove(seconds=1)
    assert proof.holds, proof.lines
    assert proof.there.rate_bit_s == pytest.approx(4_000_000, rel=0.25)
    assert proof.back.rate_bit_s == pytest.approx(8_000_000, rel=0.25)
    with pytest.raises(EnvironmentProblem, match="cannot lose or reorder"):
        net.set(loss="5%")
    assert not net.settings.there.loss
    with pytest.raises(EnvironmentProblem, match="no place to run things"):
        net.host("near")
    net.clear()
    proof = net.prove(seconds=0.5)
    assert proof.holds, proof.lines


def test_a_quota_is_set_and_removed_by_command(net: NetLab) -> None:
    """As the broker's own tool shows it; to remove nothing is no mistake."""
    client = f"mirror-{secrets.token_hex(3)}"
    describe = kafka_command(
        "kafka.admin.ConfigCommand",
        *("--bootstrap-server", net.bootstrap("far"), "--describe"),
        *("--entity-type", "clients", "--entity-name", client),
        folder=net.folder,
    )
    words = ("quota", "far", client, "--folder", net.folder)
    done = lab(*words, "--produce", "1MB", "--fetch", "60kB")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"far, {client}: produce 1MB/s, fetch 60kB/s\n"
    told = run_tool(describe, "not described")
    assert "producer_byte_rate=1000000.0" in told
    assert "consumer_byte_rate=60000.0" in told
    for _ in range(2):
        done = lab(*words, "--remove")
        assert done.returncode == 0, done.stderr
    assert "byte_rate" not in run_tool(describe, "not described")


def test_a_wrong_quota_is_told(tmp_path: Path) -> None:
    """One sentence, and nothing is asked of any cluster."""
    for arguments, expected in (
        (("X", "me"), "give --produce"),
        (("X", "me", "--produce", "1mbit"), "bytes a second"),
        (("X", "me", "--produce", "1MB"), "no such cluster"),
    ):
        done = lab("quota", *arguments, "--folder", tmp_path)
        assert done.returncode == 1
        assert expected in done.stderr


def test_a_killed_owner_leaves_no_process(tmp_path: Path) -> None:
    """The proxy ends with it."""
    program = (
        "import sys; from pathlib import Path; from kmirror_lab.net import NetPlan, net_lab\n"
        "with net_lab(Path(sys.argv[1]), NetPlan(brokers=0, proxy=True)):\n"
        "    print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        link = NetLab.at(tmp_path).state.link
        assert link is not None
        assert process.alive(link)
        owner.kill()
    wait_until(lambda: not list(tmp_path.iterdir()), "nothing is left", timeout_s=20)
    assert not process.alive(link)
