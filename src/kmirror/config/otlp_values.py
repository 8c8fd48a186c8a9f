"""Texts of `kmirror.otlp.*`: the endpoint, and OpenTelemetry's lists of `name=value`."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote, urlsplit

from kmirror.config.keys.key import Value, ValueProblem

_METRICS_PATH = "/v1/metrics"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_ENDPOINT = "expected http://host:port or https://host:port, without user, query or fragment"


def endpoint_url(text: str) -> str:
    """
    Return where metrics are sent to: `/v1/metrics` is added, as for `OTEL_EXPORTER_OTLP_ENDPOINT`.

    Raises:
        ValueProblem: It is no endpoint.
    """
    found = split_endpoint(text)
    path = found.path.rstrip("/")
    return found._replace(
        path=path if path.endswith(_METRICS_PATH) else path + _METRICS_PATH
    ).geturl()


def split_endpoint(text: str) -> SplitResult:
    """
    Take an endpoint apart.

    Raises:
        ValueProblem: It is none. What looks like a password is for `kmirror.otlp.headers`.
    """
    try:
        found = urlsplit(text.strip())
        is_one = found.scheme in ("http", "https") and found.hostname and found.port != 0
    except ValueError as error:
        raise ValueProblem(_ENDPOINT) from error
    if not is_one or found.username is not None or found.query or found.fragment:
        raise ValueProblem(_ENDPOINT)
    return found


def read_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """
    Read `name=value, name=value`, values percent-encoded where they need it.

    Raises:
        ValueProblem: It is no such list. The message has no value.
    """
    pairs = []
    for part in text.split(","):
        name, is_there, value = part.partition("=")
        if not part.strip():
            continue
        if not is_there or not name.strip():
            raise ValueProblem(
                "expected name=value, separated by commas; a comma in a value is %2C"
            )
        pairs.append((name.strip(), unquote(value.strip())))
    return tuple(pairs)


def check_endpoint(value: Value) -> None:
    """Check that the text is an endpoint."""
    assert isinstance(value, str)
    split_endpoint(value)


def check_headers(value: Value) -> None:
    """Check that the text is headers that HTTP has room for."""
    assert isinstance(value, str)
    for name, text in read_pairs(value):
        if not _TOKEN.fullmatch(name):
            raise ValueProblem("expected name=value, separated by commas; a name is no header's")
        if _UNPRINTABLE.search(text) or not text.isascii():
            raise ValueProblem(f"expected a value of ASCII characters in one line for {name}")


def check_attributes(value: Value) -> None:
    """Check that the text is attributes."""
    assert isinstance(value, str)
    read_pairs(value)
