"""From MirrorMaker 2 as a connector of a Connect cluster to kmirror, and back: nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.bounded import copy_once
from tests.support.connect_cluster import ConnectCluster
from tests.support.connect_process import start_worker
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.relay import RelayTopic

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

ROUND = 50
CONNECTOR = "a->b, records"
BEATS = "beats"


class Relay(RelayTopic):
    """One that a connector and kmirror copy in turn."""

    def __init__(self, pair: ClusterPair, folder: Path) -> None:
        self.connect = ConnectCluster(pair, folder / "connect")
        alias = self.connect.name
        super().__init__(pair, alias, partitions=2, records=ROUND)
        own = {"offsets.storage.topic": f"{alias}-own"}
        aliases = {"sourceClusterAlias": alias, "targetClusterAlias": "B"}
        # What a heartbeat connector's offsets are, and what Connect has said last.
        self.beats = {"offsets": [{"partition": aliases, "offset": {"offset": 0}}]}
        self.told: Any = None
        self.config = self.connect.connector("Source", topics=self.topic, **own)
        # Under a Connect worker of kmirror's these lines come from the connector itself.
        self.file = mirror_file(
            folder,
            {alias: pair.a, "B": pair.b},
            *flow_lines(f"{alias}->B", self.topic),
            f"{alias}->B.name = {CONNECTOR}",
            f"B.offset.storage.topic = {alias}-offset",
            "sync.topic.acls.enabled = false",
            *(f"{alias}->B.{name} = {text}" for name, text in own.items()),
        )

    def let_connect_copy(self, *, beats: bool = False) -> None:
        """
        Let the worker copy what is there, and end it in order.

        Args:
            beats: There is a heartbeat connector, too, which is paused.
        """
        wanted = {CONNECTOR: self.config}
        if beats:
            wanted[BEATS] = self.connect.connector("Heartbeat")
        with self.connect.running():
            there = self.connect.ask("GET", "/connectors")
            for name, config in wanted.items():
                if name not in there:
                    self.connect.ask("POST", "/connectors", {"name": name, "config": config})
            if beats and BEATS not in there:
                self.connect.ask("PUT", f"/connectors/{BEATS}/pause")
            wait_until(self.has_copied, "Connect has copied", timeout_s=90, pause_s=0.3)
            if beats:
                wait_until(self._beats_are_paused, "heartbeats are paused", timeout_s=60)
                self.told = self.connect.ask("GET", f"/connectors/{BEATS}/offsets")

    def _beats_are_paused(self) -> bool:
        status = self.connect.ask("GET", f"/connectors/{BEATS}/status")
        return bool(status["connector"]["state"] == "PAUSED")


def test_a_connector_and_kmirror_take_turns(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """
    Connect, kmirror, Connect, kmirror: each goes on where the other ended.

    The connector has a topic of positions of its own, which counts before the workers'.
    """
    relay = Relay(kafka_pair, tmp_path)
    relay.write()
    relay.let_connect_copy()
    relay.check()

    relay.write()
    driver = copy_once(warm_driver, relay.file)
    assert driver.lines("takes over from MirrorMaker 2 at offset")
    relay.check()

    relay.write()
    relay.let_connect_copy()
    relay.check()

    relay.write()
    driver = copy_once(warm_driver, relay.file)
    assert driver.lines("MirrorMaker 2 ran after kmirror")
    relay.check()


def test_a_connect_cluster_goes_over_and_back(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """
    Connect's worker ends, kmirror's begins with the same file, and the other way round.

    Connectors are there, what is paused stays paused, and no record is lost or copied twice.
    """
    relay = Relay(kafka_pair, tmp_path)
    connect = relay.connect
    relay.write()
    relay.let_connect_copy(beats=True)
    relay.check()

    lines = [f"{name} = {text}" for name, text in connect.settings.items()]
    worker = start_worker(tmp_path / "kmirror", lines)
    try:
        worker.wait_until_ready()
        assert set(worker.get("/connectors")) == {CONNECTOR, BEATS}
        relay.write()
        worker.wait(relay.has_copied, "kmirror has copied", 90)
        worker.wait_for_states(BEATS, "PAUSED", "PAUSED")
        worker.do("PUT", f"/connectors/{BEATS}/resume", 202)
        worker.wait(
            lambda: worker.get(f"/connectors/{BEATS}/offsets") == relay.beats, "beats have offset 0"
        )
        worker.do("PUT", f"/connectors/{BEATS}/pause", 202)
        worker.wait_for_states(BEATS, "PAUSED", "PAUSED")
        places = worker.get(f"/connectors/{quote(CONNECTOR)}/offsets")["offsets"]
        assert [each["offset"]["offset"] for each in places] == [relay.written - 1] * 2
        worker.driver.stop()
    finally:
        worker.driver.kill()
    relay.check()

    relay.write()
    relay.let_connect_copy(beats=True)
    relay.check()
    assert relay.told == relay.beats, "Connect finds what kmirror has written"
