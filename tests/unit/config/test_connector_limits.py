"""What connectors' settings may name of the worker's machine and network."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.connector_limits import Allowed
from kmirror.config.connectors import build_flows
from tests.support.connect_files import connector, worker

PLAIN = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";'
)
LDAP = 'com.sun.security.auth.module.LdapLoginModule required userProvider="ldap://x";'


def refused(folder: Path, lines: str, **more: str) -> str:
    """Give why a connector is refused; nothing if it is not."""
    found = build_flows({"s": connector(**more)}, worker(folder, lines))
    return "; ".join(each.expected for each in found.refused.get("s", ()))


@pytest.mark.parametrize(
    "name",
    [
        "source.cluster.sasl.jaas.config",
        "producer.override.sasl.jaas.config",
        "source.consumer.sasl.jaas.config",
        "admin.sasl.jaas.config",
        "target.admin.sasl.jaas.config",
    ],
)
def test_login_modules_are_kafkas_own(tmp_path: Path, name: str) -> None:
    key = name.replace(".", "__")
    assert "login module LdapLoginModule" in refused(tmp_path, "", **{key: LDAP})
    assert not refused(tmp_path, "", **{key: PLAIN})
    for text in (f"/**/ {LDAP}", f"{PLAIN} {LDAP}", PLAIN.replace("Module", "Modules"), LDAP[10:]):
        assert refused(tmp_path, "", **{key: text}), text
    allowed = "kmirror.connect.allowed.classes = com.sun.security.auth.module.LdapLoginModule\n"
    assert not refused(tmp_path, allowed, **{key: LDAP})


def test_files_are_below_what_the_workers_file_allows(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "out").symlink_to("/etc")
    key = {"source__cluster__ssl__truststore__location": f"{folder}/a.jks"}
    assert "does not allow the file" in refused(tmp_path, "", **key)
    assert not refused(tmp_path, f"kmirror.connect.allowed.paths = {folder}\n", **key)
    assert not refused(tmp_path, f"ssl.truststore.location = {folder}/b.jks\n", **key)
    for text in (
        f"{folder}/out/passwd",
        f"{folder}/../x",
        "keys/a.jks",
        "/etc/passwd",
        f"{folder}s",
    ):
        key = {"source__cluster__ssl__truststore__location": text}
        assert refused(tmp_path, f"kmirror.connect.allowed.paths = {folder}\n", **key), text


def test_half_a_character_is_no_path() -> None:
    allowed = Allowed(servers=None, paths=("/tmp/\ud800", "/etc"), urls=(), classes=())
    assert [allowed.allows_path(path) for path in ("/etc/x", "/etc/\ud800", "/tmp/\ud800/x")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "name", ["sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.jwks.endpoint.url"]
)
def test_urls_are_those_of_the_workers_file(tmp_path: Path, name: str) -> None:
    key = {f"source.cluster.{name}".replace(".", "__"): "file:///etc/passwd"}
    assert "does not allow the URL" in refused(tmp_path, "", **key)
    lines = "kmirror.connect.allowed.urls = https://login.example/\n"
    assert refused(tmp_path, lines, **key)
    name = f"source.cluster.{name}".replace(".", "__")
    assert not refused(tmp_path, lines, **{name: "https://login.example/token"})
    others = (
        "http://login.example/token",
        "https://login.example.evil/",
        "https://x@login.example/",
    )
    for text in (
        *others,
        "https://login.example@evil/",
        "https://login.example:1/",
        "login.example",
    ):
        assert refused(tmp_path, lines.replace("example/", "example"), **{name: text}), text


@pytest.mark.parametrize(
    "name",
    [
        "source.consumer.interceptor.classes",
        "producer.override.partitioner.class",
        "source.cluster.sasl.login.callback.handler.class",
        "target.cluster.ssl.engine.factory.class",
        "consumer.metric.reporters",
    ],
)
def test_classes_are_kafkas_own_or_listed(tmp_path: Path, name: str) -> None:
    key = {name.replace(".", "__"): "com.x.Evil"}
    assert "does not allow the class com.x.Evil" in refused(tmp_path, "", **key)
    assert "com.x.Evil" not in refused(
        tmp_path, "kmirror.connect.allowed.classes = com.x.Evil\n", **key
    )


def test_servers_are_all_unless_the_workers_file_says(tmp_path: Path) -> None:
    lines = "kmirror.connect.allowed.servers = a:9092, *.example:*, b:9092\n"
    assert not refused(tmp_path, lines)
    key = {"source__cluster__bootstrap__servers": "a:9092,169.254.169.254:80"}
    assert "169.254.169.254:80 as a server" in refused(tmp_path, lines, **key)
    assert not refused(tmp_path, lines, source__cluster__bootstrap__servers="k.example:1")
    assert not refused(tmp_path, "", **key)


def test_a_posted_driver_file_has_the_same_limits(tmp_path: Path) -> None:
    config = {
        "connector.class": "MirrorSource",
        "clusters": "A, B",
        "A.bootstrap.servers": "a:1",
        "B.bootstrap.servers": "b:1",
        "A->B.enabled": "true",
        "A.sasl.jaas.config": LDAP,
        "A->B.source.consumer.interceptor.classes": "com.x.Evil",
        "B.ssl.keystore.location": "/etc/shadow",
    }
    found = build_flows({"s": config}, worker(tmp_path))
    assert len(found.refused["s"]) == 3


@pytest.mark.parametrize(
    "sql",
    [
        "reflect('java.lang.Runtime', 'getRuntime') is not null",
        "`Java_Method`('java.lang.System', 'exit', 0) is null",
        "try_reflect('a', 'b') = 'x'",
        "value in (select value from text.`/etc/passwd`)",
        "value in (table csv.`/etc/passwd`)",
        r"value = r'\' or reflect('a', 'b') = '\'",
    ],
)
def test_sql_that_is_posted_reaches_neither_java_nor_files(tmp_path: Path, sql: str) -> None:
    """What the worker's own file says may."""
    assert "expected no" in refused(tmp_path, "", kmirror__where=sql)
    assert "expected no" in refused(tmp_path, "", kmirror__select__value=sql)
    escaped = sql.replace("\\", "\\\\")
    assert not refused(tmp_path, f"kmirror.where = {escaped}\n")


def test_files_in_the_options_of_a_login(tmp_path: Path) -> None:
    module = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
    key = "source__cluster__sasl__jaas__config"
    for option in ('ssl.truststore.location="/etc/shadow"', 'ssl.keystore.location="/x"'):
        assert "of option" in refused(tmp_path, "", **{key: f"{module} required {option};"})
    assert not refused(tmp_path, "", **{key: f'{module} required clientId="me";'})


def test_no_command_and_no_providers(tmp_path: Path) -> None:
    key = {"source__cluster__sasl__kerberos__kinit__cmd": "/bin/x"}
    assert "no command" in refused(tmp_path, "", **key)
