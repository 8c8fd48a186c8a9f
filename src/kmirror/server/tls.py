"""TLS of a listener, with files that may change while it listens."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path

from kmirror.config.librdkafka import KeyStore
from kmirror.config.lines import unusable
from kmirror.config.server_tls import PemStore, TlsConfig
from kmirror.errors import ConfigError
from kmirror.jvm.key_stores import pem_of
from kmirror.memory_file import memory_file
from kmirror.runtime.file_watch import FileWatch

_CLIENT_AUTH = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}
# RFC 2253 and Java's own names for the parts of a subject.
_PARTS = {
    "commonName": "CN",
    "countryName": "C",
    "domainComponent": "DC",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "streetAddress": "STREET",
    "userId": "UID",
}
_ESCAPED = ',+"\\<>;'


class ServerTls:
    """
    What an `https` listener needs.

    Args:
        config: The settings.

    Raises:
        ConfigError: A file cannot be used.
        EnvironmentProblem: A key store needs Java, and there is none.
    """

    def __init__(self, config: TlsConfig) -> None:
        self._config = config
        self._watch = FileWatch(_files(config))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        versions = [ssl.TLSVersion[each.replace("TLSv1.", "TLSv1_")] for each in config.protocols]
        self.context.minimum_version = min(versions)
        self.context.maximum_version = max(versions)
        self.context.options |= ssl.OP_NO_RENEGOTIATION
        if config.ciphers is not None:
            self.context.set_ciphers(config.ciphers.replace(",", ":"))
        self.context.verify_mode = _CLIENT_AUTH[config.client_auth]
        self._load()

    def reload_if_changed(self) -> bool:
        """
        Use the files anew for connections from now on if one has changed; tell whether.

        Whom a trust store has lost is trusted until the next start.

        Raises:
            ConfigError: They cannot be used; those of before still are.
        """
        if not self._watch.has_changed():
            return False
        # In a context of its own first: one that is half loaded would serve nobody.
        ServerTls(self._config)
        self._load()
        return True

    def _load(self) -> None:
        own, trusted = self._config.own, self._config.trusted
        # What Java has read is without a password; without one OpenSSL would ask the terminal.
        hidden = own.key_password if isinstance(own, PemStore) else None
        password = "" if hidden is None else hidden.reveal()
        try:
            with memory_file(_pem(own)) as path:
                self.context.load_cert_chain(path, password=password)
            if trusted is not None:
                self.context.load_verify_locations(cadata=_pem(trusted))
        except (ssl.SSLError, ValueError) as error:
            raise _unusable(own, f"expected a key with its certificates: {error}") from error


def _pem(store: PemStore | KeyStore) -> str:
    if isinstance(store, KeyStore):
        return pem_of(store)
    if store.text is not None:
        return store.text.reveal()
    assert store.location is not None, "either of the two"
    try:
        return store.location.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(store, f"expected a PEM file: {error}") from error


def _unusable(store: PemStore | KeyStore, expected: str) -> ConfigError:
    where = "listeners.https.ssl.keystore" if store.location is None else str(store.location)
    return unusable(where, expected)


def _files(config: TlsConfig) -> list[Path]:
    stores = [config.own, *([config.trusted] if config.trusted is not None else [])]
    return [Path(store.location) for store in stores if store.location is not None]


def subject_of(certificate: Mapping[str, object] | None) -> str | None:
    """
    Return the subject of a client's certificate as Java writes it: `CN=alice,OU=ops`.

    Args:
        certificate: As `ssl.SSLObject.getpeercert` gives it; `None` or empty for none.
    """
    subject = (certificate or {}).get("subject")
    if not isinstance(subject, tuple):
        return None
    return ",".join(
        "+".join(f"{_PARTS.get(name, name)}={_escaped(value)}" for name, value in part)
        for part in reversed(subject)
    )


def _escaped(value: str) -> str:
    text = "".join(f"\\{char}" if char in _ESCAPED else char for char in value)
    return f"\\{text}" if text[:1] in (" ", "#") else text
