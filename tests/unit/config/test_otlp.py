"""What a file says of an OpenTelemetry collector."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kmirror.config.load import MirrorConfig, load
from kmirror.config.otlp import OtlpConfig
from kmirror.config.otlp_values import endpoint_url
from kmirror.config.secret import Secret
from kmirror.errors import ConfigError

_FLOW = (
    "clusters = A, B",
    "A.bootstrap.servers = a:1",
    "B.bootstrap.servers = b:1",
    "A->B.enabled = true",
)


def loaded(folder: Path, *lines: str) -> MirrorConfig:
    file = folder / "mm2.properties"
    file.write_text("\n".join((*_FLOW, *lines)))
    return load(file, environ=os.environ)


def test_all_of_it(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        "kmirror.otlp.endpoint = https://collector:4318/",
        "kmirror.otlp.headers = Authorization=Bearer%20a%2Cb==, x-tenant = eu",
        "kmirror.otlp.interval.seconds = 15",
        "kmirror.otlp.timeout.seconds = 5",
        "kmirror.otlp.compression = none",
        "kmirror.otlp.resource.attributes = deployment.environment=prod,team=data",
        "kmirror.otlp.certificate = /ca.pem",
    )
    assert found.metrics.otlp == OtlpConfig(
        url="https://collector:4318/v1/metrics",
        headers=(("Authorization", Secret("Bearer a,b==")), ("x-tenant", Secret("eu"))),
        interval_s=15.0,
        timeout_s=5.0,
        gzip=False,
        attributes=(("deployment.environment", "prod"), ("team", "data")),
        certificate=Path("/ca.pem"),
    )
    assert "Bearer" not in repr(found)
    assert not found.warnings


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("http://h:4318", "http://h:4318/v1/metrics"),
        ("http://h:4318/v1/metrics/", "http://h:4318/v1/metrics"),
        ("https://h/otlp", "https://h/otlp/v1/metrics"),
        ("http://[::1]:4318", "http://[::1]:4318/v1/metrics"),
    ],
)
def test_the_path_is_that_of_metrics(endpoint: str, url: str) -> None:
    assert endpoint_url(endpoint) == url


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kmirror.otlp.endpoint = collector:4318", "expected http://host:port"),
        ("kmirror.otlp.endpoint = http://me:secret@h:1", "without user"),
        ("kmirror.otlp.endpoint = http://h:99999", "expected http://host:port"),
        ("kmirror.otlp.endpoint = https://h/?key=1", "query"),
        ("kmirror.otlp.headers = secret", "expected name=value"),
        ("kmirror.otlp.headers = a b=secret", "no header's"),
        ("kmirror.otlp.headers = a=%0asecret", "in one line for a"),
        ("kmirror.otlp.protocol = grpc", "expected one of http/protobuf"),
        ("kmirror.otlp.interval.seconds = 0", "from 1 to 3600"),
        ("kmirror.otlp.client.key = /k.pem", "kmirror.otlp.client.certificate, too"),
    ],
)
def test_what_it_cannot_say(tmp_path: Path, line: str, expected: str) -> None:
    """With its line; no secret is told."""
    key = line.split(" = ", maxsplit=1)[0]
    more = () if key.endswith("endpoint") else ("kmirror.otlp.endpoint = http://127.0.0.1:4318",)
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, line, *more)
    (problem,) = refused.value.problems
    assert (problem.where.rpartition(":")[2], problem.key) == ("5", key)
    assert expected in problem.expected
    if key.endswith("headers"):
        assert "secret" not in str(refused.value)


def test_what_is_doubtful(tmp_path: Path) -> None:
    """Settings without an endpoint, and secrets that everybody on the way can read."""
    headers = "kmirror.otlp.headers = a=b"
    (doubt,) = loaded(tmp_path, headers).warnings
    assert doubt.expected == "no effect without kmirror.otlp.endpoint"
    (doubt,) = loaded(tmp_path, headers, "kmirror.otlp.endpoint = http://collector:4318").warnings
    assert "as it is" in doubt.expected
    for here in ("http://127.0.0.1:4318", "http://localhost:4318", "https://collector:4318"):
        assert not loaded(tmp_path, headers, f"kmirror.otlp.endpoint = {here}").warnings
