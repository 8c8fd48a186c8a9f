"""TLS of the REST server: its key, its protocols, and whose certificates it takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.server_tls import SERVER_TLS_KEYS
from kmirror.config.librdkafka import KeyStore
from kmirror.config.secret import Secret
from kmirror.config.settings import Settings
from kmirror.config.suggest import did_you_mean

_KEYS = {key.name: key for key in SERVER_TLS_KEYS}
_PEM = "PEM"


@dataclass(frozen=True, slots=True, kw_only=True)
class PemStore:
    """
    Keys or certificates as PEM.

    Args:
        location: The file; `None` if the text is in the settings.
        text: The text in the settings.
        key_password: Opens the key.
    """

    location: Path | None = None
    text: Secret | None = None
    key_password: Secret | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsConfig:
    """
    How a listener speaks TLS.

    Args:
        own: The server's key with its certificates.
        trusted: Who signs client certificates; `None` for nobody.
        client_auth: `none`, `requested` or `required`.
        protocols: Of `TLSv1.2` and `TLSv1.3`.
        ciphers: OpenSSL's names; `None` for its default.
    """

    own: PemStore | KeyStore
    trusted: PemStore | KeyStore | None
    client_auth: str
    protocols: tuple[str, ...]
    ciphers: str | None


def read_tls(file: Entries, prefix: str, near: Entry | None, findings: Findings) -> TlsConfig:
    """
    Read the settings of an `https` listener.

    Args:
        file: The lines of the worker's file.
        prefix: Of these settings. As in Connect, one line with it hides all that have none.
        near: The line that asks for TLS.
        findings: Receives what is wrong.
    """
    has_prefix = any(key.startswith(prefix) for key in file)
    entries = {
        name: file[written]
        for name in _KEYS
        for written in [f"{prefix}{name}" if has_prefix else name]
        if written in file
    }
    settings = Settings(entries, findings, keys=_KEYS)
    own = _own(settings)
    if own is None:
        findings.missing(
            f"{prefix}ssl.keystore.location", "expected the key of the https listener", near
        )
    client_auth = settings.text("ssl.client.auth")
    trusted = _trusted(settings)
    if client_auth != "none" and trusted is None:
        findings.missing(
            f"{prefix}ssl.truststore.location",
            "expected who signs the client certificates",
            settings.entry("ssl.client.auth"),
        )
    return TlsConfig(
        own=own or PemStore(),
        trusted=trusted,
        client_auth=client_auth,
        protocols=settings.texts("ssl.enabled.protocols"),
        ciphers=settings.text_or_none("ssl.cipher.suites"),
    )


def check_tls_names(file: Entries, prefixes: Iterable[str], findings: Findings) -> None:
    """
    Tell which settings of `https` listeners nobody reads.

    Args:
        file: The lines of the worker's file.
        prefixes: Of such settings.
        findings: Receives them.
    """
    for prefix in prefixes:
        for key, entry in file.items():
            name = key.removeprefix(prefix)
            if key.startswith(prefix) and name not in _KEYS:
                hint = did_you_mean(name, _KEYS, prefix)
                findings.doubt(entry, f"unknown key, no effect{hint}")


def _own(settings: Settings) -> PemStore | KeyStore | None:
    location = settings.text_or_none("ssl.keystore.location")
    key, chain = (
        settings.text_or_none(f"ssl.keystore.{each}") for each in ("key", "certificate.chain")
    )
    key_password = settings.text_or_none("ssl.key.password")
    hidden = None if key_password is None else Secret(key_password)
    if location is None:
        if key is None or chain is None:
            return None
        return PemStore(text=Secret(f"{key}\n{chain}"), key_password=hidden)
    kind = settings.text("ssl.keystore.type")
    if kind.upper() == _PEM:
        return PemStore(location=Path(location), key_password=hidden)
    return KeyStore(
        name="ssl.keystore.location",
        location=location,
        type=kind,
        password=settings.text_or_none("ssl.keystore.password"),
        key_password=key_password,
        own=True,
        entry=settings.entry("ssl.keystore.location"),
    )


def _trusted(settings: Settings) -> PemStore | KeyStore | None:
    location = settings.text_or_none("ssl.truststore.location")
    certificates = settings.text_or_none("ssl.truststore.certificates")
    if location is None:
        return None if certificates is None else PemStore(text=Secret(certificates))
    kind = settings.text("ssl.truststore.type")
    if kind.upper() == _PEM:
        return PemStore(location=Path(location))
    return KeyStore(
        name="ssl.truststore.location",
        location=location,
        type=kind,
        password=settings.text_or_none("ssl.truststore.password"),
        entry=settings.entry("ssl.truststore.location"),
    )
