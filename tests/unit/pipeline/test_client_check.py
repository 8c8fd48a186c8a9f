"""What Kafka's clients say to settings that need their classes and files, without a connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kmirror.admin.settings import admin_problem
from kmirror.config.client_properties import ClientProperties
from kmirror.config.librdkafka import to_librdkafka
from kmirror.config.load import load
from kmirror.ends.clients import lane_admin, lane_consumer, lane_producer
from kmirror.model import Flow
from kmirror.pipeline.client_check import PROBLEMS, client_problems
from tests.support.java_enum import codes_of

SECRET = "s3cr3t"
BASE = """\
clusters = A, B
bootstrap.servers = 127.0.0.1:1
A->B.enabled = true
"""
LOGIN = f"""\
security.protocol = SASL_PLAINTEXT
sasl.mechanism = PLAIN
sasl.jaas.config = %s required username="u" password="{SECRET}";
"""
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def told(jvm: Any, folder: Path, lines: str) -> list[str]:
    """Return what is said of the clients of a flow."""
    file = folder / "mm2.properties"
    file.write_text(BASE + lines, encoding="utf-8")
    flow = load(file, environ={}).flow(Flow("A", "B"))
    clients = {
        "consumer": lane_consumer(flow),
        "producer": lane_producer(flow),
        "admin": lane_admin(flow),
    }
    found = [p for role, client in clients.items() for p in client_problems(jvm, role, client)]
    return sorted({str(problem).removeprefix(f"{file}:") for problem in found})


@pytest.mark.parametrize("lines", ["", LOGIN % PLAIN, "security.protocol = SSL"])
def test_nothing_is_said_of_what_is_right(jvm: Any, tmp_path: Path, lines: str) -> None:
    """Ours included: every client would start."""
    assert told(jvm, tmp_path, lines) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("B.producer.interceptor.classes = org.apache.kafka.common.Uuid, x.Y", "Class x.Y"),
        ("B.producer.partitioner.class = x.Y", "Class x.Y could not be found"),
        ("A.consumer.metric.reporters = x.Y", "Class x.Y could not be found"),
        ("ssl.engine.factory.class = x.Y", "Class x.Y could not be found"),
        (LOGIN % "x.PlainLoginModule", "Class x.PlainLoginModule could not be found"),
    ],
)
def test_classes_that_are_not_there(jvm: Any, tmp_path: Path, lines: str, expected: str) -> None:
    """Each is told once, with its line and without the password beside it."""
    (problem,) = told(jvm, tmp_path, lines)
    assert problem.startswith("4: " if lines.count("\n") == 0 else "6: ")
    assert expected in problem
    assert SECRET not in problem


def test_a_login_that_cannot_be_read(jvm: Any) -> None:
    """Nothing of it is shown: any word of it may be the password."""
    properties = {
        "bootstrap.servers": "127.0.0.1:1",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f"{PLAIN} required {SECRET}",
    }
    (problem,) = client_problems(jvm, "admin", ClientProperties(properties))
    assert "Kafka's clients cannot read the login: IllegalArgumentException" in problem.expected
    assert SECRET not in problem.expected


def test_the_connector_has_the_same_codes() -> None:
    """An unknown one would end the start without a word about the file."""
    assert codes_of("ClientCheck.java", "Problem") == tuple(PROBLEMS)


def test_stores_that_cannot_be_opened(jvm: Any, tmp_path: Path) -> None:
    """A trust store that is not there, and a key store that is something else."""
    (tmp_path / "me.pem").write_text("no key")
    lines = (
        "A.security.protocol = SSL",
        "A.ssl.truststore.type = PEM",
        f"A.ssl.truststore.location = {tmp_path}/ca.pem",
        "B.security.protocol = SSL",
        "B.ssl.keystore.type = PEM",
        f"B.ssl.keystore.location = {tmp_path}/me.pem",
    )
    trust, key = told(jvm, tmp_path, "\n".join(lines))
    assert trust.startswith("6: A.ssl.truststore.location")
    assert "NoSuchFileException" in trust
    assert key.startswith("9: B.ssl.keystore.location")


def test_librdkafka_is_asked_too(tmp_path: Path) -> None:
    """Its files are the same, and it reads them itself."""
    file = tmp_path / "mm2.properties"
    lines = ("security.protocol = SSL", "ssl.truststore.type = PEM")
    text = "".join(f"{line}\n" for line in (*lines, f"ssl.truststore.location = {tmp_path}/ca.pem"))
    file.write_text(BASE + text, encoding="utf-8")
    admin = load(file, environ={}).flow(Flow("A", "B")).target_admin
    problem = admin_problem(admin, to_librdkafka(admin).settings)
    assert problem is not None
    assert problem.where == f"{file}:6"
    plain = {"bootstrap.servers": "127.0.0.1:1"}
    assert admin_problem(ClientProperties(plain), plain) is None
