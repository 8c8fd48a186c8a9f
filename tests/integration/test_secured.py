"""TLS and SCRAM on both sides: the example file, real certificates, a wrong password."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from bounded import run_to_end
from driver import DriverFactory
from records import numbered, read, topics_of, write

from kmirror.jvm import find_java
from kmirror.lab.cluster import Cluster
from kmirror.lab.fixtures import ClusterPair

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

EXAMPLE = Path(__file__).parents[2] / "examples" / "secured" / "mm2.properties"
TOPICS = ("orders", "payments")
_TOLD_S_MAX = 60
_STORE_PASSWORD = "changeit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secured:
    """Two clusters that ask who is there, and what a driver needs to answer."""

    pair: ClusterPair
    file: Path
    environ: dict[str, str]


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a key with its own certificate: the broker's keystore, and what clients trust."""
    keytool = find_java().path.resolve().with_name("keytool")
    keystore, trusted = folder / f"{name}.p12", folder / f"{name}.pem"
    store = ("-keystore", str(keystore), "-storepass", _STORE_PASSWORD, "-alias", name)
    made = ("-genkeypair", "-keyalg", "EC", "-dname", f"CN={name}", "-ext", "san=ip:127.0.0.1")
    for action in ((*made, "-storetype", "PKCS12"), ("-exportcert", "-rfc", "-file", str(trusted))):
        subprocess.run([keytool, *action, *store], check=True, capture_output=True, timeout=60)
    return keystore, trusted


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
            "ssl.keystore.password": _STORE_PASSWORD,
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.secure.scram-sha-512.sasl.jaas.config": login,
        },
        format_arguments=("--add-scram", f"SCRAM-SHA-512=[name=mirror,password={password}]"),
    )


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """Start both clusters, and give the example with their addresses and certificates."""
    folder = tmp_path_factory.mktemp("secured")
    text = EXAMPLE.read_text(encoding="utf-8").replace("factor = 3", "factor = 1")
    environ, clusters = {}, []
    for name in "AB":
        environ[f"KAFKA_{name}_PASSWORD"] = password = secrets.token_hex(8)
        keystore, trusted = certificate(folder, name)
        clusters.append(secured_cluster(name, folder, keystore, password))
        for old, new in (
            (f"kafka-1.{name.lower()}.example:9093", clusters[-1].bootstrap_of("SECURE")),
            (f"/etc/kmirror/{name.lower()}-ca.pem", str(trusted)),
        ):
            assert old in text
            text = text.replace(old, new)
    file = folder / "mm2.properties"
    file.write_text(text, encoding="utf-8")
    with ThreadPoolExecutor(max_workers=2) as pool, ExitStack() as running:
        for cluster in clusters:
            running.callback(cluster.kill)
        list(pool.map(Cluster.start, clusters))
        for topic in TOPICS:
            clusters[0].create_topic(topic, partitions=2)
            write(clusters[0], topic, numbered(topic, range(100)), partition=1)
        yield Secured(pair=ClusterPair(*clusters), file=file, environ=environ)


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
    """Control plane and lanes log in on both sides."""
    driver = run_to_end(run_driver, secured.file, "--until-caught-up", environ=secured.environ)
    for topic in TOPICS:
        assert read(secured.pair.b, f"A.{topic}", 1) == numbered(topic, range(100))
    assert not any(password in driver.text for password in secured.environ.values())
