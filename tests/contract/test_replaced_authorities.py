"""Clients that live as long as their process, while a cluster's authority is replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.log_follower import LogFollower
from kmirror.admin.reader import StoredRecord
from kmirror.clock import SystemClock
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import MirrorError, NotAuthorized
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.model import TopicPartition
from tests.support.authorities import Authorities
from tests.support.certificates import STORE_PASSWORD

_TIMEOUT_S = 5.0
_RENEWED_S_MAX = 90.0
_LOG = TopicPartition("log", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A cluster, and who certifies it."""

    cluster: Cluster
    authorities: Authorities

    @property
    def client(self) -> ClientProperties:
        """Tell a client whom to trust."""
        return ClientProperties(
            {
                "bootstrap.servers": self.cluster.bootstrap_of("SECURE"),
                "security.protocol": "SSL",
                "ssl.truststore.type": "PKCS12",
                "ssl.truststore.location": str(self.authorities.trusted_store),
                "ssl.truststore.password": STORE_PASSWORD,
            }
        )


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    """Give a cluster whose broker shows a certificate."""
    authorities = Authorities(tmp_path)
    authorities.certify("one")
    authorities.trust("one")
    cluster = Cluster("B", tmp_path, listeners={"SECURE": "SSL"}, config=authorities.broker)
    with started(cluster):
        cluster.create_topic(_LOG.topic, partitions=1)
        yield Guarded(cluster=cluster, authorities=authorities)


class Clients:
    """One of each that are opened once."""

    def __init__(self, client: ClientProperties) -> None:
        self.seen: list[bytes | None] = []
        settings, clock = librdkafka_settings(client), SystemClock()
        self.admin = KafkaAdmin("B", settings, timeout_s=_TIMEOUT_S, clock=clock)
        self.writer = InternalWriter(settings, cluster="B", timeout_s=_TIMEOUT_S, clock=clock)
        self.follower = LogFollower(settings, cluster="B", take=self._take, clock=clock)
        self.follower.start([_LOG])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.follower.close()
        self.writer.close()
        self.admin.close()

    def _take(self, _: TopicPartition, stored: StoredRecord) -> None:
        self.seen.append(stored.value)

    def write(self, value: bytes) -> None:
        """Write a record."""
        self.writer.write(_LOG.topic, [InternalRecord(key=b"k", value=value)])


@pytest.mark.kafka
def test_they_go_on_with_the_authority_of_today(guarded: Guarded) -> None:
    """The library keeps what it has read when a client is opened: they are opened anew."""
    with Clients(guarded.client) as clients:
        clients.write(b"before")
        _wait_for(lambda: clients.seen == [b"before"])
        assert clients.admin.describe().brokers

        guarded.authorities.certify("other")
        guarded.cluster.stop()
        guarded.cluster.start()
        _wait_for(lambda: _is_refused(clients.admin.describe))
        _wait_for(lambda: _is_refused(lambda: clients.write(b"refused")))

        guarded.authorities.trust("other")
        _wait_for(lambda: _succeeds(clients.admin.describe))
        assert clients.admin.outage().renewals >= 1
        _wait_for(lambda: _succeeds(lambda: clients.write(b"after")))
        _wait_for(lambda: clients.seen[-1:] == [b"after"])
        assert clients.seen[0] == b"before"
        assert clients.seen.count(b"before") == 1, "it goes on where it was"


def _is_refused(call: Callable[[], object]) -> bool:
    """Whether the cause is told: at first a connection has only ended."""
    try:
        call()
    except NotAuthorized as error:
        return "certificate" in str(error)
    except MirrorError:
        return False
    return False


def _succeeds(call: Callable[[], object]) -> bool:
    with suppress(MirrorError):
        call()
        return True
    return False


def _wait_for(condition: Callable[[], bool]) -> None:
    wait_until(condition, "clients see the change", timeout_s=_RENEWED_S_MAX)
