"""Key stores of Java, read for the control plane: a broker that asks for a client's certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started

from kmirror.admin.client import KafkaAdmin
from kmirror.config.load import MirrorConfig, load
from kmirror.errors import ClusterUnavailable, ConfigError
from kmirror.jvm.key_stores import check_key_stores, librdkafka_settings
from tests.support.certificates import (
    STORE_PASSWORD,
    certificate_of,
    keytool,
    make_key,
    sign,
    trust,
)

KEY_PASSWORD = "key-changeit"
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What a client may show and whom it may trust, and the broker that asks for both."""

    folder: Path
    bootstrap: str

    def lines(self, trusted: str, own: str | None, *more: str) -> tuple[str, ...]:
        """Give the lines of a file that name them."""
        lines = [
            "security.protocol = SSL",
            f"ssl.truststore.location = {self.folder / trusted}",
            f"ssl.truststore.password = {STORE_PASSWORD}",
        ]
        if own is not None:
            lines += [
                f"ssl.keystore.location = {self.folder / own}",
                f"ssl.keystore.password = {STORE_PASSWORD}",
            ]
        return (*lines, *more)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Start a broker that trusts a root, and make a client's key, two signatures away from it."""
    folder = tmp_path_factory.mktemp("stores")
    authority = ("-ext", "bc=ca:true")
    root = make_key(folder / "root.p12", "root", *authority)
    between = make_key(folder / "between.p12", "between", *authority)
    sign((root, "root"), (between, "between"), *authority)
    broker = make_key(folder / "broker.p12", "broker")
    sign((root, "root"), (broker, "broker"), "-ext", "san=ip:127.0.0.1")
    for kind in ("JKS", "PKCS12"):
        own = make_key(folder / f"own.{kind}", "client", kind=kind)
        sign((between, "between"), (own, "client"))
        trust(folder / f"trust.{kind}", certificate_of(root, "root"), kind=kind)
    (folder / "locked.JKS").write_bytes((folder / "own.JKS").read_bytes())
    keytool("keypasswd", folder / "locked.JKS", "-alias", "client", "-new", KEY_PASSWORD)
    cluster = Cluster(
        "secured",
        folder,
        listeners={"SECURE": "SSL"},
        config={
            "listener.name.secure.ssl.client.auth": "required",
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(broker),
            "ssl.keystore.password": STORE_PASSWORD,
            "ssl.truststore.type": "PKCS12",
            "ssl.truststore.location": str(folder / "trust.PKCS12"),
            "ssl.truststore.password": STORE_PASSWORD,
        },
    )
    with started(cluster):
        yield Stores(folder=folder, bootstrap=cluster.bootstrap_of("SECURE"))


@pytest.fixture
def config_of(stores: Stores, tmp_path: Path) -> Callable[[tuple[str, ...]], MirrorConfig]:
    """Load a file whose cluster A has these lines."""

    def load_lines(lines: tuple[str, ...]) -> MirrorConfig:
        file = tmp_path / "mm2.properties"
        servers = [f"{alias}.bootstrap.servers = {stores.bootstrap}" for alias in "AB"]
        own = [f"A.{line}" for line in lines]
        file.write_text("\n".join(["clusters = A, B", "A->B.enabled = true", *servers, *own]))
        return load(file, environ={})

    return load_lines


def topics(config: MirrorConfig) -> object:
    """Ask cluster A for its topics."""
    settings = librdkafka_settings(config.flows[0].source_admin)
    with KafkaAdmin("A", settings, timeout_s=TIMEOUT_S) as admin:
        return admin.topics()


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("trusted", "own", "more"),
    [
        # Without a type it is JKS for Kafka, and Java tells the two apart by itself.
        ("trust.JKS", "own.JKS", ()),
        ("trust.PKCS12", "own.PKCS12", ()),
        ("trust.JKS", "own.PKCS12", ("ssl.truststore.type = JKS", "ssl.keystore.type = PKCS12")),
        ("trust.JKS", "locked.JKS", (f"ssl.key.password = {KEY_PASSWORD}",)),
    ],
)
def test_the_broker_lets_us_in(
    stores: Stores,
    config_of: Callable[[tuple[str, ...]], MirrorConfig],
    trusted: str,
    own: str,
    more: tuple[str, ...],
) -> None:
    """It sees the key and every signature up to the root that it trusts."""
    config = config_of(stores.lines(trusted, own, *more))
    check_key_stores(config)
    assert isinstance(topics(config), dict)


@pytest.mark.kafka
def test_a_client_without_a_key_stays_outside(
    stores: Stores, config_of: Callable[[tuple[str, ...]], MirrorConfig]
) -> None:
    """So the tests above have been let in for what was in their stores."""
    config = config_of(stores.lines("trust.JKS", None))
    settings = librdkafka_settings(config.flows[0].source_admin)
    with (
        KafkaAdmin("A", settings, timeout_s=3.0) as admin,
        pytest.raises(ClusterUnavailable),
    ):
        admin.topics()


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("lines", "name", "why"),
    [
        (("trust.none", "own.JKS"), "truststore", "there is no such file"),
        (("client.csr", "own.JKS"), "truststore", "Invalid keystore format"),
        (("trust.JKS", "trust.JKS"), "keystore", "expected one private key in it, found 0"),
        (("trust.JKS", "locked.JKS"), "keystore", "its key has another password"),
        (
            ("trust.JKS", "own.JKS", "ssl.keystore.password = some-other"),
            "keystore",
            "it has another password",
        ),
        (("trust.JKS", "own.JKS", "ssl.keystore.type = BCFKS"), "keystore", "BCFKS not found"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    stores: Stores,
    config_of: Callable[[tuple[str, ...]], MirrorConfig],
    lines: tuple[str, ...],
    name: str,
    why: str,
) -> None:
    """And no password is in it."""
    config = config_of(stores.lines(*lines))
    with pytest.raises(ConfigError) as caught:
        check_key_stores(config)
    (problem,) = caught.value.problems
    assert problem.key == f"A.ssl.{name}.location"
    assert problem.where.startswith(f"{config.path}:")
    assert why in problem.expected
    assert not any(
        word in str(caught.value) for word in (STORE_PASSWORD, KEY_PASSWORD, "some-other")
    )


@pytest.mark.kafka
def test_all_that_cannot_be_read_is_told_at_once(
    stores: Stores, config_of: Callable[[tuple[str, ...]], MirrorConfig]
) -> None:
    """Like everything else that is wrong in a file, and once for all clients that have it."""
    config = config_of(stores.lines("none.JKS", "trust.JKS"))
    with pytest.raises(ConfigError) as caught:
        check_key_stores(config)
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["A.ssl.truststore.location", "A.ssl.keystore.location"]
