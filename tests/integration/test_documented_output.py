"""What the documentation shows is what comes out: its commands, on real clusters and real Spark."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka.admin import NewTopic
from kmirror_lab.cluster.clients import admin_client, producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.model import Flow, TopicPartition
from tests.support.documented import PAGES, blocks, rewritten, same
from tests.support.driver import Driver, DriverFactory
from tests.support.groups import commit, committed
from tests.support.mirror_file import example
from tests.support.records import numbered, record, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

ROOT = Path(__file__).parents[2]
_NAMES = [block.name for page in PAGES for block in blocks(page)]
_ANSWER_S_MAX = 120
_WAITING = "kmirror: waiting "
_FLOW = Flow("main", "standby")
_MOVED = {
    "billing": {("orders", 0): 4200, ("orders", 1): 5000, ("payments", 0): 1500},
    "shipping-eu": {("orders", 0): 3100, ("orders", 1): 3000},
}


class Shell:
    """
    Runs commands as somebody would who has read the page, and keeps what comes out.

    Args:
        folder: Where; files are named as on the pages.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outputs: dict[str, str] = {}

    def run(self, command: str, *, code: int | None = 0) -> str:
        """Run a `kmirror` command; its exit code has to be *code*, where that is given."""
        program, *arguments = shlex.split(command)
        done = subprocess.run(
            [Path(sys.executable).with_name(program), *arguments],
            cwd=self.folder,
            env=os.environ | {"COLUMNS": "160"},
            capture_output=True,
            text=True,
            timeout=_ANSWER_S_MAX,
            check=False,
        )
        # What a command waits for is said where that takes long: on a busy machine, not on a page.
        said = [line for line in done.stderr.split("\n") if not line.startswith(_WAITING)]
        text = (done.stdout + "\n".join(said)).strip("\n")
        assert code in {None, done.returncode}, f"{command} -> {done.returncode}\n{text}"
        return text

    def type_in(self, page: Path, begin: str) -> None:
        """Do what a page's block of shell commands says, the one that begins so."""
        (block,) = re.findall(rf"(?ms)^```sh\n({re.escape(begin)}.*?)^```$", page.read_text())
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        subprocess.run(
            ["/bin/sh", "-e", "-c", block],
            cwd=self.folder,
            env=os.environ | {"PATH": path},
            timeout=_ANSWER_S_MAX,
            check=True,
        )

    def show(self, name: str, command: str, *, code: int = 0, prompt: bool = True) -> None:
        """Run a command whose output is documented as *name*."""
        text = self.run(command, code=code)
        self.keep(name, f"$ {command}\n{text}" if prompt else text)

    def keep(self, name: str, text: str) -> None:
        """Keep an output, of this machine and no other."""
        assert name not in self.outputs
        lines = text.replace(socket.gethostname(), "mirror-1").split("\n")
        self.outputs[name] = "\n".join(line.rstrip() for line in lines).strip("\n")


@pytest.fixture(scope="module")
def outputs(
    request: pytest.FixtureRequest,
    own_pair: ClusterPair,
    run_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    """Give everything that came out; `--write-outputs` writes it into the pages."""
    one, two, three = (Shell(tmp_path_factory.mktemp("shell")) for _ in range(3))
    tuning(one)
    importing(one)
    getting_started(two, run_module_driver)
    disaster_recovery(three, own_pair, run_module_driver)
    found = one.outputs | two.outputs | three.outputs
    if request.config.getoption("--write-outputs"):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            page.write_text(rewritten(text, found), encoding="utf-8")
    return found


@pytest.mark.parametrize("name", _NAMES)
def test_it_is_what_comes_out(name: str, outputs: dict[str, str]) -> None:
    """Word for word, whatever the numbers are; `make outputs` writes the pages anew."""
    (block,) = (block for page in PAGES for block in blocks(page) if block.name == name)
    assert same(outputs[name], block.text), f"{block.page.name}: it is now\n{outputs[name]}"


def test_nothing_is_run_for_nothing(outputs: dict[str, str]) -> None:
    """Every output is on a page."""
    assert set(outputs) == set(_NAMES)


def tuning(shell: Shell) -> None:
    """Play docs/tuning.md: advice needs no cluster."""
    customer = ROOT / "tests" / "data" / "mm2" / "customer-mm2.properties"
    shutil.copy(customer, shell.folder / "mm2.properties")
    command = "kmirror tune mm2.properties --for mm2 --rtt 100ms --bandwidth 1mbit --partitions 4"
    # The first of its findings.
    text = shell.run(command, code=1)
    head, finding = text.split("\n\n")[0], re.split(r"\n\s*\n", text)[1]
    shell.keep("tune", f"$ {command}\n{head}\n\n{finding}")


def importing(shell: Shell) -> None:
    """Play docs/import.md: files are read, and no cluster is asked."""
    shutil.copy(ROOT / "examples" / "import" / "my-mirror-maker-2.yaml", shell.folder)
    shell.show("import", "kmirror import strimzi my-mirror-maker-2.yaml", code=5)


def getting_started(shell: Shell, run_driver: DriverFactory) -> None:
    """Play docs/getting-started.md to the letter, then docs/operations.md with its clusters."""
    folder = shell.folder / "lab"
    file = shell.folder / "mm2.properties"
    file.write_text(
        shell.run(f"kmirror lab up --folder {folder}")
        + "\nA->B.enabled = true\nreplication.factor = 1\noffset.storage.replication.factor = 1\n",
        encoding="utf-8",
    )
    try:
        shell.keep("lab-status", shell.run(f"kmirror lab status --folder {folder}"))
        a, b = re.findall(r"bootstrap.servers = (\S+)", file.read_text())
        shell.type_in(ROOT / "docs" / "getting-started.md", "python - ")
        driver = run_driver(file)
        _wait_copied(shell, driver, "orders")
        assert driver.stop() == 0
        lines = [line for line in driver.lines(r"^\d{4}-") if "INFO    waiting for" not in line]
        last = next(at for at, line in enumerate(lines) if "plan 1:" in line)
        shell.keep("run", "\n".join(lines[: last + 1]))
        # Whether the last heartbeat was copied before the end is chance: here it was not.
        if "behind" not in shell.run("kmirror verify mm2.properties", code=None):
            _write(a, "heartbeats", range(1))
        shell.show("verify", "kmirror verify mm2.properties", code=6, prompt=False)

        _create(a, "events", partitions=12, **{"message.timestamp.type": "LogAppendTime"})
        for partition in range(12):
            _write(a, "events", range(100), partition)
        assert run_driver(file, "--until-caught-up").wait_exit(timeout_s=_ANSWER_S_MAX) == 0
        _write(a, "events", range(1204), 7)
        _write(b, "A.orders", range(1), 2)
        shell.show("status", "kmirror status mm2.properties")
        problems = "kmirror verify mm2.properties --topics 'events|orders' --only-problems"
        shell.show("verify-problems", problems, code=1)
    finally:
        shell.run(f"kmirror lab down --folder {folder}")


def disaster_recovery(shell: Shell, pair: ClusterPair, run_driver: DriverFactory) -> None:
    """Play docs/disaster-recovery.md from the beginning to the end."""
    main, standby = pair
    _active_standby(shell.folder, pair)
    for cluster in pair:
        for topic in ("orders", "payments"):
            cluster.create_topic(topic, partitions=2)
    for (topic, partition), records in {
        ("orders", 0): 5000,
        ("orders", 1): 5000,
        ("payments", 0): 2000,
    }.items():
        write(main, topic, numbered(topic, range(records)), partition=partition)
    for group, places in _MOVED.items():
        commit(main, group, {TopicPartition(*place): at for place, at in places.items()})
    driver = run_driver(shell.folder / "mm2.properties")
    _wait_copied(shell, driver, "orders", "payments")
    driver.wait_until(lambda: _followed(standby), "the groups are there", 60)
    name = f"mm2.properties '{_FLOW}'"
    shell.show("dr-status", "kmirror status mm2.properties")
    shell.show("offsets-show", f"kmirror offsets show mm2.properties --flow '{_FLOW}'")
    shell.show("drill", f"kmirror failover {name} --drill")

    shell.show("promote", f"kmirror promote {name}")
    driver.wait_for_line("kept from copying")
    commit(standby, "shipping-eu", {TopicPartition("main.orders", 0): 3200})
    shell.show("failback", f"kmirror failback {name}")
    driver.wait_until(lambda: _drives(shell), "the driver goes on", 60)
    _wait_copied(shell, driver, "orders")
    moved = TopicPartition("orders", 0)
    commit(main, "shipping-eu", {moved: 100})
    shell.show("drill-backwards", f"kmirror promote {name} --drill", code=5)
    commit(main, "shipping-eu", {moved: 3200})
    assert driver.stop() == 0

    now_ms = SystemClock().wall_ms()
    late = [record(f"late-{n}".encode(), timestamp_ms=now_ms) for n in range(25)]
    write(main, "orders", late[:15])
    write(main, "payments", late[15:])
    commit(main, "billing", {TopicPartition("payments", 0): 2010})
    shell.show("refused", f"kmirror failover {name} --wait 3", code=5)
    shell.show("accepted", f"kmirror failover {name} --wait 3 --max-lag-records 100")
    shell.show("abort", f"kmirror failover {name} --abort")

    driver = run_driver(shell.folder / "mm2.properties")
    _wait_copied(shell, driver, "orders", "payments")
    main.kill()
    shell.show("failover", f"kmirror failover {name}")
    driver.kill()


def _active_standby(folder: Path, pair: ClusterPair) -> None:
    source = ROOT / "examples" / "active-standby" / "mm2.properties"
    text = source.read_text(encoding="utf-8")
    addresses = re.findall(r"^\w+\.bootstrap\.servers = (.*)$", text, re.MULTILINE)
    clusters = dict(zip(addresses, (each.bootstrap for each in pair), strict=True))
    example(source, folder, {**clusters, "replication.factor = 3": "replication.factor = 1"})
    with (folder / "mm2.properties").open("a") as file:
        file.write("offset.storage.replication.factor = 1\noffset.storage.partitions = 1\n")


def _followed(standby: Cluster) -> bool:
    return all(
        committed(standby, group, f"main.{topic}", partition) is not None
        for group, places in _MOVED.items()
        for topic, partition in places
    )


def _drives(shell: Shell) -> bool:
    first = shell.run("kmirror status mm2.properties").splitlines()[0]
    return "(driver" in first and str(_FLOW) in first


def _wait_copied(shell: Shell, driver: Driver, *topics: str) -> None:
    """Wait until all flows of the file have begun with these topics, and have no lag."""

    def copied() -> bool:
        flows = map(json.loads, shell.run("kmirror status mm2.properties --json").splitlines())
        return all(
            flow["lag_records"] == 0
            and {each["topic"] for each in flow["topics"] if each["positions"]}.issuperset(topics)
            for flow in flows
        )

    driver.wait_until(copied, f"{topics} are copied", _ANSWER_S_MAX)


def _create(bootstrap: str, topic: str, partitions: int, **configs: str) -> None:
    new = NewTopic(topic, partitions, 1, config=configs)
    client = admin_client(bootstrap)
    client.create_topics([new])[topic].result(_ANSWER_S_MAX)
    wait_until(
        lambda: len(client.list_topics(topic).topics[topic].partitions) == partitions,
        f"{topic} is there",
        timeout_s=30,
    )


def _write(bootstrap: str, topic: str, numbers: range, partition: int = 0) -> None:
    client = producer(bootstrap)
    for number in numbers:
        client.produce(topic, f"{topic} {number}".encode(), b"%d" % (number % 5), partition)
        client.poll(0)
    assert client.flush(_ANSWER_S_MAX) == 0
