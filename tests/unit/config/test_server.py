"""What a worker's file says of its REST server."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.entry import Entry, Findings
from kmirror.config.librdkafka import KeyStore
from kmirror.config.server import Listener, ServerConfig, read_server
from kmirror.config.server_tls import PemStore
from kmirror.policy.principal_names import PrincipalRuleProblem, read_principal_rules

HTTP = Listener(scheme="http", host="localhost", port=8083)
KEY = {"ssl.keystore.location": "/k.pem", "ssl.keystore.type": "PEM"}


def read(lines: dict[str, str]) -> tuple[ServerConfig, Findings]:
    """Read lines of a file."""
    findings = Findings("worker.properties")
    file = {
        name: Entry(key=name, text=text, where=f"worker.properties:{number}")
        for number, (name, text) in enumerate(lines.items(), 1)
    }
    return read_server(file, findings), findings


def right(**lines: str) -> ServerConfig:
    """Read lines that are right; `__` stands for a dot."""
    config, findings = read({name.replace("__", "."): text for name, text in lines.items()})
    assert findings.problems == ()
    return config


def wrong(lines: dict[str, str]) -> str:
    """Give the only problem of some lines."""
    (problem,) = read(lines)[1].problems
    return str(problem)


def test_without_a_word_it_listens_on_loopback() -> None:
    """Connect listens everywhere."""
    config = right()
    assert config.listeners == (HTTP,)
    assert config.admin_listeners is None
    assert config.unprotected == ()
    assert config.anonymous_role == "admin"


def test_where_it_listens() -> None:
    """By Connect's own forms, old and new; what the file says is obeyed."""
    assert right(rest__port="8080").listeners == (
        Listener(scheme="http", host="localhost", port=8080),
    )
    old = right(rest__host__name="0.0.0.0", rest__port="8080")
    assert old.listeners == (Listener(scheme="http", host="0.0.0.0", port=8080),)
    both = right(listeners="http://:8083, HTTP://[::1]:0")
    assert [str(each) for each in both.listeners] == ["http://:8083", "http://[::1]:0"]
    assert [each.is_local for each in both.listeners] == [False, True]
    assert [str(each) for each in both.unprotected] == ["http://:8083"]
    assert right(admin__listeners="").admin_listeners == ()
    admin = right(admin__listeners="http://localhost:9000").admin_listeners
    assert [str(each) for each in admin or ()] == ["http://localhost:9000"]
    _, findings = read({"listeners": "http://:1", "rest.port": "2"})
    assert "has no effect: listeners says where" in str(findings.warnings[0])


@pytest.mark.parametrize("text", ["localhost:8083", "ftp://h:1", "http://h:99999", "http://a b:1"])
def test_listeners_that_are_none(text: str) -> None:
    """With the line."""
    assert wrong({"listeners": f"{text}, http://ok:1"}).startswith(
        f"worker.properties:1: listeners = {text}, http://ok:1: expected http://HOST:PORT or"
    )


def test_tls() -> None:
    """With Kafka's keys, below the prefix or, if no key has it, without, as in Connect."""
    for prefix in ("", "listeners.https."):
        lines = {f"{prefix}{name}": text for name, text in KEY.items()}
        config, findings = read({"listeners": "https://:8443", **lines})
        assert findings.problems == ()
        assert config.tls is not None
        assert config.tls.own == PemStore(location=Path("/k.pem"))
        assert config.tls.protocols == ("TLSv1.2", "TLSv1.3")
    jks = {"listeners.https.ssl.keystore.location": "/k.jks"}
    config, _ = read({"listeners": "https://:8443", **jks, **KEY})
    assert config.tls is not None
    assert isinstance(config.tls.own, KeyStore)
    assert config.tls.own.type == "JKS"
    assert "expected the key of the https listener" in wrong({"listeners": "https://:8443"})
    _, findings = read({"listeners.https.ssl.keystore.locatoin": "/k"})
    assert "did you mean listeners.https.ssl.keystore.location?" in str(findings.warnings[0])
    client = {**KEY, "ssl.client.auth": "required"}
    assert "expected who signs" in wrong({"listeners": "https://:8443", **client})
    old = {**KEY, "ssl.enabled.protocols": "TLSv1.1"}
    assert "expected one of TLSv1.2, TLSv1.3" in wrong({"listeners": "https://:8443", **old})


def test_open_listeners_are_refused_if_the_file_says_so() -> None:
    """An address that others reach needs TLS and a login."""
    secured = {"kmirror.rest.insecure": "false"}
    users = {"kmirror.rest.users.file": "/users"}
    assert read(secured)[1].problems == ()
    for lines in (
        {"listeners": "http://:8083"},
        {"listeners": "http://:8083", **users},
        {"listeners": "https://:8443", **KEY},
        {"listeners": "https://:8443", **KEY, **users, "kmirror.rest.anonymous.role": "viewer"},
        {"admin.listeners": "http://0.0.0.0:9000"},
    ):
        assert "others can reach this address without TLS and a login" in wrong(lines | secured)
    safe, findings = read({"listeners": "https://:8443", **KEY, **users, **secured})
    assert findings.problems == ()
    assert (safe.users_file, safe.anonymous_role) == (Path("/users"), "none")


def test_extensions_are_refused() -> None:
    """A login that is configured is never left out in silence."""
    name = "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension"
    assert "kmirror.rest.users.file" in wrong({"rest.extension.classes": name})
    assert read({"rest.extension.classes": ""})[1].problems == ()


def test_headers() -> None:
    """As Connect's; values may have commas in quotes."""
    found = right(
        response__http__headers__config='set X-A: b, "add Cache-Control: no-cache, private"'
    ).headers
    assert [(each.name, each.value, each.is_added) for each in found] == [
        ("X-A", "b", False),
        ("Cache-Control", "no-cache, private", True),
    ]
    (date,) = right(response__http__headers__config="setDate Expires: 31540000000").headers
    assert (date.name, date.in_ms) == ("Expires", 31_540_000_000)
    for text in ("X-A: b", "set X A: b", "setDate Expires: soon", "set X: a\nY: b"):
        assert 'expected "set NAME: VALUE"' in wrong({"response.http.headers.config": text})


def test_cors() -> None:
    """Methods have Jetty's default."""
    config = right(access__control__allow__origin="https://a.example, https://b.example")
    assert config.cors_origins == ("https://a.example", "https://b.example")
    assert config.cors_methods == ("GET", "POST", "HEAD")
    assert right(access__control__allow__methods="get,put").cors_methods == ("GET", "PUT")


@pytest.mark.parametrize(
    ("rules", "subject", "name"),
    [
        ("DEFAULT", "CN=a,O=b", "CN=a,O=b"),
        ("RULE:^CN=(.*?),.*$/$1/", "CN=Alice,O=b", "Alice"),
        ("RULE:^CN=(.*?),.*$/$1/L, DEFAULT", "CN=Alice,O=b", "alice"),
        ("RULE:^CN=(.*?),.*$/$1@x/U", "CN=Alice,O=b", "ALICE@X"),
        ("RULE:^OU=(.*)$/$1/, DEFAULT", "CN=a", "CN=a"),
        ("RULE:^OU=(.*)$/$1/", "CN=a", None),
        (r"RULE:^CN=a\/b$/x/", "CN=a/b", "x"),
        (r"RULE:^CN=(a+)+$/$1/", f"CN={'a' * 5000}!", None),
    ],
)
def test_names_of_certificates(rules: str, subject: str, name: str | None) -> None:
    """By the rules of Kafka's brokers, in linear time."""
    assert read_principal_rules(rules).name(subject) == name


@pytest.mark.parametrize("rules", ["RULE:a", "RULE:(/x/", "RULE:a/$1/", "RULE:a/b/X", "default"])
def test_rules_that_are_none(rules: str) -> None:
    """They are wrong in the file."""
    with pytest.raises(PrincipalRuleProblem):
        read_principal_rules(rules)
    assert "principal.mapping.rules" in wrong({"kmirror.rest.principal.mapping.rules": rules})
