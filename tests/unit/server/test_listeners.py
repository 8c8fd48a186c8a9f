"""Where the server listens: several addresses, TLS, certificates, and how it ends."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.config.librdkafka import KeyStore
from kmirror.config.secret import Secret
from kmirror.config.server import Listener, ServerConfig
from kmirror.config.server_tls import PemStore, TlsConfig
from kmirror.config.worker import load_worker
from kmirror.connect.model import WorkerInfo
from kmirror.errors import ConfigError, EnvironmentProblem
from kmirror.events.emit import Occurrence, subscribed
from kmirror.policy.principal_names import read_principal_rules
from kmirror.server import protocol
from kmirror.server.service import RestServer
from kmirror.server.tls import subject_of
from kmirror.server.users import token_digest
from tests.support.certificates import STORE_PASSWORD, certificate_of, make_key
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving

HTTP = Listener(scheme="http", host="127.0.0.1", port=0)
HTTPS = Listener(scheme="https", host="localhost", port=0)
CHANGED_S_MAX = 20.0
Told = list[Occurrence]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return somebody who signs."""
    return trustme.CA()


@pytest.fixture
def key(tmp_path: Path, authority: trustme.CA) -> Path:
    """Write a key with its certificates."""
    return write_key(tmp_path / "key.pem", authority)


def write_key(path: Path, authority: trustme.CA, name: str = "localhost") -> Path:
    """Write a new key with its certificates."""
    path.write_bytes(authority.issue_cert(name).private_key_and_cert_chain_pem.bytes())
    return path


def tls(key: Path, **more: object) -> TlsConfig:
    """Return how a listener speaks TLS."""
    plain = TlsConfig(
        own=PemStore(location=key),
        trusted=None,
        client_auth="none",
        protocols=("TLSv1.2", "TLSv1.3"),
        ciphers=None,
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # as its fields are


def ask(base: str, context: ssl.SSLContext, path: str = "/") -> tuple[int, str, bytes]:
    """Ask over TLS; gives status, the header for HSTS, and the certificate."""
    url = urlsplit(base)
    connection = http.client.HTTPSConnection("localhost", url.port, context=context, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        certificate = connection.sock.getpeercert(binary_form=True)  # type: ignore[attr-defined]  # of a TLS socket
        return answer.status, answer.headers.get("Strict-Transport-Security", ""), certificate
    finally:
        connection.close()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """Return a client's side."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def test_a_store_of_java(tmp_path: Path, herder: MemoryHerder) -> None:
    """Java reads it; a password that does not open it is told at the start."""
    name = ("-ext", "SAN=dns:localhost")
    store = make_key(tmp_path / "key.p12", "localhost", *name)
    own = KeyStore(
        name="ssl.keystore.location",
        location=str(store),
        type="PKCS12",
        password=STORE_PASSWORD,
        own=True,
    )
    context = ssl.create_default_context(cafile=certificate_of(store, "localhost"))
    with serving(herder, ServerConfig(listeners=(HTTPS,), tls=tls(store, own=own))) as client:
        assert ask(client.base, context)[0] == 200
    wrong = replace(own, password="wrong")
    with pytest.raises(ConfigError, match="it has another password"):
        RestServer(ServerConfig(listeners=(HTTPS,), tls=tls(store, own=wrong)), SystemClock())


def test_several_listeners(key: Path, authority: trustme.CA, herder: MemoryHerder) -> None:
    """With TLS and without; only with it browsers are told to keep it."""
    config = ServerConfig(listeners=(HTTP, HTTPS), tls=tls(key))
    server = RestServer(config, SystemClock())
    try:
        server.start(herder)
        plain, protected = server.addresses
        assert RestClient(base=plain).get("/").status == 200
        status, hsts, _ = ask(protected, trusting(authority))
        assert (status, hsts) == (200, "max-age=31536000")
        assert server.worker_id == plain.removeprefix("http://")
    finally:
        server.stop()


def test_a_handshake_that_does_not_come(
    monkeypatch: pytest.MonkeyPatch, key: Path, herder: MemoryHerder
) -> None:
    """The connection is closed."""
    monkeypatch.setattr(protocol, "HEADERS_S_MAX", 0.3)
    with serving(herder, ServerConfig(listeners=(HTTPS,), tls=tls(key))) as client:
        address = ("localhost", urlsplit(client.base).port or 0)
        with socket.create_connection(address, timeout=10) as connection:
            assert connection.recv(1) == b""


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1")
def test_old_versions_of_tls(key: Path, authority: trustme.CA, herder: MemoryHerder) -> None:
    """1.2 is the least."""
    with serving(herder, ServerConfig(listeners=(HTTPS,), tls=tls(key))) as client:
        for version, is_taken in (
            (ssl.TLSVersion.TLSv1_1, False),
            (ssl.TLSVersion.TLSv1_2, True),
            (ssl.TLSVersion.TLSv1_3, True),
        ):
            context = trusting(authority)
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
            if is_taken:
                assert ask(client.base, context)[0] == 200
            else:
                with pytest.raises(ssl.SSLError):
                    ask(client.base, context)


def test_certificates_are_read_again(
    key: Path, authority: trustme.CA, herder: MemoryHerder
) -> None:
    """A new one is used; one that is none is not."""
    told: Told = []

    def has_told(name: str) -> Callable[[], bool]:
        return lambda: name in [each.event.name for each in told]

    config = ServerConfig(listeners=(HTTPS,), tls=tls(key))
    with subscribed(told.append), serving(herder, config) as client:
        before = ask(client.base, trusting(authority))[2]
        key.write_text("nonsense")
        wait_until(has_told("certificate.refused"), "it is refused", timeout_s=CHANGED_S_MAX)
        assert ask(client.base, trusting(authority))[2] == before
        write_key(key, authority)
        wait_until(has_told("certificate.reloaded"), "it is used", timeout_s=CHANGED_S_MAX)
        assert ask(client.base, trusting(authority))[2] != before


def test_client_certificates(tmp_path: Path, key: Path, authority: trustme.CA) -> None:
    """They are a login: by the subject, through the rules of the file."""
    users = tmp_path / "users"
    users.write_text("ops:admin:certificate\n")
    users.chmod(0o600)
    trusted = PemStore(text=Secret(authority.cert_pem.bytes().decode()))
    config = ServerConfig(
        listeners=(HTTPS,),
        tls=tls(key, trusted=trusted, client_auth="requested"),
        users_file=users,
        anonymous_role="none",
        principals=read_principal_rules("RULE:^CN=([^,]*),.*$/$1/"),
    )
    with serving(MemoryHerder(), config) as client:
        assert ask(client.base, trusting(authority))[0] == 401
        for name, status in (("ops", 200), ("somebody", 401)):
            context = trusting(authority)
            authority.issue_cert("host.example", common_name=name).configure_cert(context)
            assert ask(client.base, context, "/connectors")[0] == status
        stranger = trusting(authority)
        trustme.CA().issue_cert("host.example", common_name="ops").configure_cert(stranger)
        with pytest.raises((ssl.SSLError, ConnectionError)):
            ask(client.base, stranger, "/connectors")
    required = replace(config, tls=tls(key, trusted=trusted, client_auth="required"))
    with (
        serving(MemoryHerder(), required) as client,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        ask(client.base, trusting(authority))


def test_as_the_file_says(tmp_path: Path, key: Path, authority: trustme.CA) -> None:
    """From the lines of a worker's file to who is let in."""
    users = tmp_path / "users"
    users.write_text(f"bot:viewer:{token_digest('a token')}\n")
    users.chmod(0o600)
    file = tmp_path / "connect-distributed.properties"
    lines = [f"{name}.storage.topic = {name}" for name in ("config", "offset", "status")]
    lines += ["group.id = g", "listeners = https://localhost:0", "kmirror.rest.insecure = false"]
    lines += [f"kmirror.rest.users.file = {users}", "admin.listeners ="]
    lines += [f"listeners.https.ssl.keystore.location = {key}"]
    lines += ["listeners.https.ssl.keystore.type = PEM"]
    file.write_text("\n".join(lines))
    with serving(MemoryHerder(), load_worker(file, environ={}).server) as client:
        port = urlsplit(client.base).port
        connection = http.client.HTTPSConnection("localhost", port, context=trusting(authority))
        found = []
        for method, path, token in (
            ("GET", "/connectors", "a token"),
            ("GET", "/connectors", "another"),
            ("DELETE", "/connectors/c", "a token"),
            ("GET", "/admin/loggers", "a token"),
        ):
            connection.request(method, path, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            found.append(answer.status)
        connection.close()
    assert found == [200, 401, 403, 404]


def test_subjects() -> None:
    """As Java writes them, the most particular part first."""
    subject = (
        (("countryName", "DE"),),
        (("organizationName", "A, B+C"),),
        (("organizationalUnitName", "#x"), ("userId", "7")),
        (("commonName", "alice"),),
    )
    assert subject_of({"subject": subject}) == r"CN=alice,OU=\#x+UID=7,O=A\, B\+C,C=DE"
    assert subject_of({}) is None
    assert subject_of(None) is None


def test_admin_listeners(herder: MemoryHerder) -> None:
    """`/admin` is served there and nowhere else, or nowhere at all."""
    config = ServerConfig(listeners=(HTTP,), admin_listeners=(HTTP,))
    server = RestServer(config, SystemClock())
    try:
        server.start(herder)
        main, admin = (RestClient(base=base) for base in server.addresses)
        for client, path, status in (
            (main, "/connectors", 200),
            (main, "/admin/loggers", 404),
            (admin, "/connectors", 404),
            (admin, "/admin/loggers", 200),
        ):
            assert client.get(path).status == status
        assert server.worker_id == main.base.removeprefix("http://")
    finally:
        server.stop()
    with serving(herder, replace(HERE, admin_listeners=())) as client:
        assert client.get("/admin/loggers").status == 404


@pytest.mark.parametrize(
    ("advertised", "worker_id"),
    [
        ({"advertised_host": "worker-1", "advertised_port": 80}, "worker-1:80"),
        ({"advertised_host": "::1", "advertised_port": 80}, "[::1]:80"),
    ],
)
def test_what_others_are_told(advertised: dict[str, object], worker_id: str) -> None:
    """What the file says."""
    server = RestServer(replace(HERE, **advertised), SystemClock())  # type: ignore[arg-type]  # its fields
    assert server.worker_id == worker_id
    server.stop()


def test_an_open_listener_is_told(herder: MemoryHerder) -> None:
    """It is obeyed, with a warning."""
    told: Told = []
    everywhere = Listener(scheme="http", host="", port=0)
    with subscribed(told.append), serving(herder, ServerConfig(listeners=(everywhere,))) as client:
        port = urlsplit(client.base).port
        local = RestClient(base=f"http://127.0.0.1:{port}")
        assert local.get("/").status == 200
        assert local.with_headers(Host="evil.example").get("/").status == 421
    (warning,) = [each for each in told if each.event.name == "server.unprotected"]
    assert str(warning).startswith("http://:0: others can reach this address without TLS")
    told.clear()
    with subscribed(told.append), serving(herder):
        pass
    assert "server.unprotected" not in [each.event.name for each in told]


def test_a_port_that_is_taken(herder: MemoryHerder) -> None:
    """Is an error with the address, before anything is served."""
    with serving(herder) as client:
        taken = replace(HTTP, port=urlsplit(client.base).port or 0)
        with pytest.raises(EnvironmentProblem, match=r"cannot listen at http://127.0.0.1:\d+"):
            RestServer(ServerConfig(listeners=(HTTP, taken)), SystemClock())


def test_a_key_that_is_none(tmp_path: Path) -> None:
    """Is an error at the start."""
    (tmp_path / "key.pem").write_text("nonsense")
    for path, words in (("key.pem", "expected a key with its"), ("absent.pem", "No such file")):
        config = ServerConfig(listeners=(HTTPS,), tls=tls(tmp_path / path))
        with pytest.raises(ConfigError, match=words):
            RestServer(config, SystemClock())


class _Slow(MemoryHerder):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = threading.Event(), threading.Event()

    def info(self) -> WorkerInfo:
        self.asked.set()
        assert self.go_on.wait(10)
        return super().info()


def test_what_is_being_answered_is_still_answered() -> None:
    """At the end; nobody new is let in."""
    herder = _Slow()
    server = RestServer(HERE, SystemClock())
    server.start(herder)
    client = RestClient(base=server.addresses[0])
    found: list[int] = []
    asking = threading.Thread(target=lambda: found.append(client.get("/").status))
    asking.start()
    assert herder.asked.wait(10)
    ending = threading.Thread(target=server.stop)
    ending.start()
    herder.go_on.set()
    for thread in (asking, ending):
        thread.join(10)
        assert not thread.is_alive()
    assert found == [200]
    with pytest.raises(ConnectionRefusedError):
        client.get("/")
