"""Certificates expire, authorities and passwords are replaced, under a driver that goes on."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka import IsolationLevel
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair

from tests.support.authorities import Authorities
from tests.support.copy_watch import ends_of
from tests.support.mirrored import MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_PARTITIONS = 2
_MORE = 500
_TOLD_S_MAX = 180.0
_RENEWED_S_MAX = 60.0
_UNTRUSTED = r"WARNING.*A->B: .*certificate"
_LOGIN = "org.apache.kafka.common.security.scram.ScramLoginModule required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A cluster that asks who is there, and what its clients know."""

    cluster: Cluster
    folder: Path
    authorities: Authorities

    @property
    def lines(self) -> list[str]:
        """What the file says of it."""
        password = f"${{file:{self.folder / 'secret'}:password}}"
        settings = {
            "bootstrap.servers": self.cluster.bootstrap_of("SECURE"),
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authorities.trusted_pem),
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": f'{_LOGIN} username="mirror" password="{password}";',
        }
        provider = "org.apache.kafka.common.config.provider.FileConfigProvider"
        return [
            "config.providers = file",
            f"config.providers.file.class = {provider}",
            f"config.providers.file.param.allowed.paths = {self.folder}",
            "config.action.reload = restart",
            *(f"{alias}.{key} = {settings[key]}" for alias in ("B", "RB") for key in settings),
        ]

    @property
    def heartbeats(self) -> int:
        """How many there are."""
        ends = ends_of(self.cluster.bootstrap, ["heartbeats"], IsolationLevel.READ_COMMITTED)
        return sum(ends.values())

    def let_in(self, password: str) -> None:
        """Change the password that the broker knows, at once."""
        known = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        login = UserScramCredentialUpsertion("mirror", known, password.encode())
        admin = self.cluster.admin()
        for done in admin.alter_user_scram_credentials([login]).values():
            done.result(30)

    def log_in_with(self, password: str) -> None:
        """Change the password that clients use."""
        (self.folder / "secret").write_text(f"password={password}\n")

    def restart(self) -> None:
        """
        End all connections: who is logged in stays so until then.

        Not in good order: the last broker of a cluster of Kafka 4.3 that is told to stop may
        forget to end a transaction that it has called committed (KAFKA-20734).
        """
        self.cluster.kill()
        self.cluster.start()


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    """Give a target with a certificate and a password."""
    authorities = Authorities(tmp_path)
    cluster = Cluster(
        "B",
        tmp_path,
        listeners={"SECURE": "SASL_SSL"},
        config={
            **authorities.broker,
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.secure.scram-sha-512.sasl.jaas.config": f"{_LOGIN};",
        },
    )
    authorities.certify("one")
    authorities.trust("one")
    with started(cluster):
        yield Guarded(cluster=cluster, folder=tmp_path, authorities=authorities)


@pytest.mark.long
def test_certificates_and_passwords_change(
    kafka_pair: ClusterPair,
    guarded: Guarded,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """The cause is told; with the new one in its files the same driver goes on."""
    password = secrets.token_hex(8)
    guarded.let_in(password)
    guarded.log_in_with(password)
    topic = new_topic(kafka_pair.a, "guarded", partitions=_PARTITIONS)
    flow = mirrored(kafka_pair.a, guarded.cluster, topic, extra_lines=guarded.lines)
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    flow.wait_copied(driver, topic, _MORE)

    guarded.authorities.certify("one", "-startdate", "-2d", "-validity", "1")
    guarded.restart()
    driver.wait_for_line(r"WARNING.*A->B: .*CertificateExpiredException", timeout_s=_TOLD_S_MAX)

    guarded.authorities.certify("other")
    guarded.restart()
    seen = len(driver.lines(_UNTRUSTED))
    driver.wait_for_line(_UNTRUSTED, timeout_s=_TOLD_S_MAX, count=seen + 1)
    beats = guarded.heartbeats
    guarded.authorities.trust("other")
    flow.wait_more(driver, topic, _MORE)
    driver.wait_until(lambda: guarded.heartbeats > beats, "heartbeats", _RENEWED_S_MAX)

    password = secrets.token_hex(8)
    guarded.let_in(password)
    guarded.restart()
    driver.wait_for_line(r"WARNING.*A->B: .*uthentication", timeout_s=_TOLD_S_MAX)
    guarded.log_in_with(password)
    flow.wait_more(driver, topic, _MORE)
    flow.finish(driver)
    assert password not in driver.text
