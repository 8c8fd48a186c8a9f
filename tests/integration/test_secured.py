"""TLS, SCRAM and ACLs on both sides: the example file, real certificates, no right too many."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.model import TopicPartition
from tests.support.acls import Acl, grant, printed, revoke
from tests.support.bounded import run_to_end
from tests.support.certificates import STORE_PASSWORD, certificate_of, make_key, trust
from tests.support.commands import apply, plan, verify
from tests.support.driver import DriverFactory
from tests.support.groups import commit, committed
from tests.support.mirror_file import example
from tests.support.otlp_receiver import OtlpReceiver
from tests.support.records import numbered, read, topics_of, write
from tests.support.topic_settings import change_settings, own_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

EXAMPLE = Path(__file__).parents[2] / "examples" / "secured" / "mm2.properties"
TOPICS = ("orders", "payments")
OFFSET_MAP = "__kmirror-offsets-A-B"
_TOLD_S_MAX = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Secured:
    """Two clusters that ask who is there, and what a driver needs to answer."""

    pair: ClusterPair
    file: Path
    environ: dict[str, str]
    acls: tuple[Acl, ...]

    def named(self, name: str, *operations: str) -> list[Acl]:
        """Return what was granted on something, some operations or all."""
        return [
            acl
            for acl in self.acls
            if acl.name == name and (not operations or acl.operation in operations)
        ]


def secured_cluster(name: str, folder: Path, keystore: Path, password: str) -> Cluster:
    """Make a cluster with one more listener, where one user with that password may come in."""
    login = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    return Cluster(
        name,
        folder,
        listeners={"SECURE": "SASL_SSL"},
        config={
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(keystore),
            "ssl.keystore.password": STORE_PASSWORD,
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            # Whoever comes in without a password is the test.
            "super.users": "User:ANONYMOUS",
            "listener.name.secure.scram-sha-512.sasl.jaas.config": login,
        },
        format_arguments=("--add-scram", f"SCRAM-SHA-512=[name=mirror,password={password}]"),
    )


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """Start both clusters, and give the example with their addresses and certificates."""
    folder = tmp_path_factory.mktemp("secured")
    environ, clusters, replaced = {}, [], {"replication.factor = 3": "replication.factor = 1"}
    for name in "AB":
        environ[f"KAFKA_{name}_PASSWORD"] = password = secrets.token_hex(8)
        keystore = make_key(folder / f"{name}.p12", name, "-ext", "san=ip:127.0.0.1")
        trusted = certificate_of(keystore, name)
        if name == "B":
            # One side as the example has it, the other with Kafka's default, a JKS store.
            trusted = trust(folder / "trust.jks", trusted, kind="JKS")
            replaced["B.ssl.truststore.type = PEM"] = (
                f"B.ssl.truststore.password = {STORE_PASSWORD}"
            )
        clusters.append(secured_cluster(name, folder, keystore, password))
        address = clusters[-1].bootstrap_of("SECURE")
        replaced[f"kafka-1.{name.lower()}.example:9093"] = address
        replaced[f"/etc/kmirror/{name.lower()}-ca.pem"] = str(trusted)
    file = example(EXAMPLE, folder, replaced)
    granted = printed(file, environ=environ)
    with started(*clusters):
        for cluster, alias in zip(clusters, "AB", strict=True):
            grant(cluster, *(acl for acl in granted if acl.cluster == alias))
        for topic in TOPICS:
            clusters[0].create_topic(topic, partitions=2)
            write(clusters[0], topic, numbered(topic, range(100)), partition=1)
        yield Secured(pair=ClusterPair(*clusters), file=file, environ=environ, acls=granted)


def test_a_wrong_password_is_told_and_not_shown(
    secured: Secured, run_driver: DriverFactory
) -> None:
    """Which cluster refuses, and what to look at; nothing is created, no password is in the log."""
    wrong = secured.environ | {"KAFKA_B_PASSWORD": "not-the-password"}
    driver = run_driver(secured.file, environ=wrong)
    line = driver.wait_for_line(r"WARNING.*A->B: .*B .*uthentication", timeout_s=_TOLD_S_MAX)
    assert "sasl.jaas.config" in line
    assert driver.stop() == 0
    assert not any(password in driver.text for password in wrong.values())
    assert "A.orders" not in topics_of(secured.pair.b)


def test_records_arrive(secured: Secured, run_driver: DriverFactory) -> None:
    """Control plane and lanes log in on both sides, and need no right that is not documented."""
    commit(secured.pair.a, "billing-1", {TopicPartition("orders", 1): 40})
    with OtlpReceiver() as collector:
        file = secured.file.with_name("told.properties")
        told = f"\nkmirror.otlp.endpoint = {collector.endpoint}\n"
        file.write_text(secured.file.read_text(encoding="utf-8") + told, encoding="utf-8")
        driver = run_to_end(run_driver, file, "--until-caught-up", environ=secured.environ)
    shown = collector.received[-1].labels("kmirror_broker_certificate_expiry_timestamp_seconds")
    brokers = {each["cluster"]: each["broker"] for each in shown}
    assert brokers == {
        name: getattr(secured.pair, name.lower()).bootstrap_of("SECURE") for name in "AB"
    }
    assert not driver.lines("WARNING.*A->B"), driver.text
    assert committed(secured.pair.b, "billing-1", "A.orders", 1) == 40
    for topic in TOPICS:
        assert read(secured.pair.b, f"A.{topic}", 1) == numbered(topic, range(100))
    secret = (STORE_PASSWORD, *secured.environ.values())
    assert not any(password in driver.text for password in secret)


def test_verify_needs_no_more_rights(secured: Secured) -> None:
    """No group of its own, above all."""
    answer = verify(secured.file, environ=secured.environ)
    assert answer.code == 0, answer.text


def test_settings_need_a_right_that_is_named(secured: Secured) -> None:
    """A plan and an apply say which; with it they need no other."""
    a, b = secured.pair
    assert apply(secured.file, environ=secured.environ).code == 0
    (right,) = secured.named("A.orders", "AlterConfigs")
    grant(b, replace(right, operation="DescribeConfigs"))
    revoke(b, right)
    change_settings(a, "orders", {"retention.ms": "87654321"})
    for answer in (
        plan(secured.file, environ=secured.environ),
        apply(secured.file, environ=secured.environ),
    ):
        assert answer.code == 5, answer.text
        (line,) = [each for each in answer.text.splitlines() if "retention.ms" in each]
        assert line.startswith("cannot A.orders: retention.ms: cluster B"), answer.text
        assert line.endswith("(grant this principal AlterConfigs on the topic)"), answer.text
    grant(b, right)
    assert apply(secured.file, environ=secured.environ).code == 0
    assert own_settings(b, "A.orders") == {"retention.ms": "87654321"}


def test_without_the_offset_maps_topic(secured: Secured, run_driver: DriverFactory) -> None:
    """A driver that may not have it says so, and copies all the same."""
    a, b = secured.pair
    revoke(b, *secured.named(OFFSET_MAP))
    more = numbered("more", range(10))
    write(a, "orders", more, partition=0)
    driver = run_to_end(run_driver, secured.file, "--until-caught-up", environ=secured.environ)
    assert driver.lines(r"WARNING.*A->B: no exact offset map: .*__kmirror-offsets-A-B")
    assert read(b, "A.orders", 0) == more


def test_a_right_that_is_taken_away_parks_one_topic(
    secured: Secured, run_driver: DriverFactory
) -> None:
    """The lane names it; the other topic is copied on."""
    a, b = secured.pair
    driver = run_driver(secured.file, environ=secured.environ)
    driver.wait_running()
    wait_until(
        lambda: all(read(b, f"A.{topic}", 1) == numbered(topic, range(100)) for topic in TOPICS),
        "both topics are copied",
        timeout_s=_TOLD_S_MAX,
    )
    (read_payments,) = secured.named("payments", "Read")
    grant(a, replace(read_payments, operation="Describe"))
    revoke(a, read_payments)
    for topic in TOPICS:
        write(a, topic, numbered(topic, range(100, 200)), partition=1)
    driver.wait_for_line(
        r"ERROR.*(parked payments-1|payments: 2 partitions parked).*uthoriz", timeout_s=_TOLD_S_MAX
    )
    wait_until(
        lambda: read(b, "A.orders", 1) == numbered("orders", range(200)),
        "the other topic is copied on",
        timeout_s=_TOLD_S_MAX,
    )
    assert read(b, "A.payments", 1) == numbered("payments", range(100))
    assert driver.stop() == 0
