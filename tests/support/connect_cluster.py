"""A Connect cluster of Kafka's own worker, which runs MirrorMaker 2's connectors."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
from kmirror_lab.cluster.connect_worker import connect_settings, connect_worker, start_and_wait
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.ports import LOOPBACK, free_ports
from kmirror_lab.process.waiting import wait_until

from kmirror.config.worker import StorageTopic
from kmirror.connect.store_topics import StoreTopics

_MM2 = "org.apache.kafka.connect.mirror."
_S_MAX = 60.0


class ConnectCluster:
    """A Connect cluster of one worker, beside the target."""

    def __init__(self, pair: ClusterPair, folder: Path) -> None:
        self.pair = pair
        self.name = f"connect-{secrets.token_hex(4)}"
        (self._port,) = free_ports(1)
        self._url = f"http://{LOOPBACK}:{self._port}"
        topics = {f"{kind}.storage.topic": f"{self.name}-{kind}" for kind in _KINDS}
        more = {"exactly.once.source.support": "enabled", "offset.flush.interval.ms": "1000"}
        self.settings = connect_settings(pair.b.bootstrap, group=self.name) | topics | more
        self._worker = connect_worker(self.settings, folder, port=self._port)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the worker, and end it in order."""
        with self._worker as worker:
            start_and_wait(worker, port=self._port)
            yield
            worker.stop()

    def ask(self, verb: str, path: str, body: Any = None) -> Any:
        """Ask the worker, and again while it finds out who has what."""
        answers: list[requests.Response] = []

        def answered() -> bool:
            answer = requests.request(verb, f"{self._url}{path}", json=body, timeout=_S_MAX)
            answers.append(answer)
            return answer.status_code not in {404, 409, 500}

        wait_until(answered, f"{verb} {path}", timeout_s=_S_MAX, pause_s=0.3)
        return answers[-1].json() if answers[-1].content else None

    def topics(self) -> StoreTopics:
        """Return its topics, as its file names them."""
        config, offset, status = (
            StorageTopic(
                name=f"{self.name}-{kind}", partitions=count, replication_factor=1, settings=()
            )
            for kind, count in zip(_KINDS, (1, 25, 5), strict=True)
        )
        return StoreTopics(config=config, offset=offset, status=status)

    def connector(self, kind: str, **more: str) -> dict[str, str]:
        """Return the settings of one of MirrorMaker 2's connectors."""
        one = {
            f"{name}.topic.replication.factor": "1"
            for name in ("offset-syncs", "checkpoints", "heartbeats")
        }
        return {
            "connector.class": f"{_MM2}Mirror{kind}Connector",
            "source.cluster.alias": self.name,
            "target.cluster.alias": "B",
            "source.cluster.bootstrap.servers": self.pair.a.bootstrap,
            "target.cluster.bootstrap.servers": self.pair.b.bootstrap,
            "replication.factor": "1",
            **one,
            **more,
        }


_KINDS = ("config", "offset", "status")
