"""What a file says of the collector that metrics are sent to: `kmirror.otlp.*`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kmirror.config.entry import Entries, Findings
from kmirror.config.keys.otlp import OTLP_KEYS
from kmirror.config.otlp_values import endpoint_url, read_pairs, split_endpoint
from kmirror.config.secret import Secret
from kmirror.config.server import is_local_host
from kmirror.config.settings import Settings

_ENDPOINT = "kmirror.otlp.endpoint"
_CERTIFICATE, _KEY = "kmirror.otlp.client.certificate", "kmirror.otlp.client.key"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtlpConfig:
    """
    How metrics are sent to a collector.

    Args:
        url: Where, with the path for metrics.
        headers: What each request has in its head.
        interval_s: Time from one time to the next, seconds.
        timeout_s: How long one time may take, seconds.
        gzip: Whether requests are compressed.
        attributes: What the collector is told of the process, besides its names.
        certificate: Whom the collector's certificate must come from; `None` for the usual ones.
        client_certificate, client_key: What the collector is shown; `None` for nothing.
    """

    url: str
    headers: tuple[tuple[str, Secret], ...] = ()
    interval_s: float = 60.0
    timeout_s: float = 10.0
    gzip: bool = True
    attributes: tuple[tuple[str, str], ...] = ()
    certificate: Path | None = None
    client_certificate: Path | None = None
    client_key: Path | None = None


def read_otlp(file: Entries, findings: Findings) -> OtlpConfig | None:
    """
    Read what a file says of a collector; `None` where it names none.

    Args:
        file: Its lines, references expanded.
        findings: Receives what is wrong or doubtful.
    """
    settings = Settings(file, findings)
    endpoint = settings.text_or_none(_ENDPOINT)
    if endpoint is None:
        for key in OTLP_KEYS:
            if not settings.has(_ENDPOINT) and (entry := settings.entry(key.name)) is not None:
                findings.doubt(entry, f"no effect without {_ENDPOINT}")
        return None
    _check_key(settings, findings)
    headers = settings.text_or_none("kmirror.otlp.headers") or ""
    entry = settings.entry("kmirror.otlp.headers")
    if headers and entry is not None and _is_open(endpoint):
        findings.doubt(entry, f"goes through the network as it is: {_ENDPOINT} is not https")
    return OtlpConfig(
        url=endpoint_url(endpoint),
        headers=tuple((name, Secret(value)) for name, value in read_pairs(headers)),
        interval_s=float(settings.number("kmirror.otlp.interval.seconds")),
        timeout_s=float(settings.number("kmirror.otlp.timeout.seconds")),
        gzip=settings.text("kmirror.otlp.compression") == "gzip",
        attributes=read_pairs(settings.text("kmirror.otlp.resource.attributes")),
        certificate=_path(settings, "kmirror.otlp.certificate"),
        client_certificate=_path(settings, _CERTIFICATE),
        client_key=_path(settings, _KEY),
    )


def _check_key(settings: Settings, findings: Findings) -> None:
    """Refuse a certificate without a key, which libraries would look for in the same file."""
    for name, other in ((_CERTIFICATE, _KEY), (_KEY, _CERTIFICATE)):
        entry = settings.entry(name)
        if entry is not None and not settings.has(other):
            findings.wrong(entry, f"expected {other}, too")


def _path(settings: Settings, name: str) -> Path | None:
    text = settings.text_or_none(name)
    return Path(text) if text else None


def _is_open(endpoint: str) -> bool:
    """Whether what is sent can be read on its way."""
    found = split_endpoint(endpoint)
    return found.scheme == "http" and not is_local_host(found.hostname or "")
