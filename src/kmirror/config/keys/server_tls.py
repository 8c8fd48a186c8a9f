"""TLS keys of the REST server: Kafka's, below `listeners.https.`, or at top level as in Connect."""

from __future__ import annotations

from functools import partial

from kmirror.config.keys.key import Key, KeyType, Scope

_tls = partial(Key, scope=Scope.DRIVER, type=KeyType.STRING)

TLS_PROTOCOLS = ("TLSv1.2", "TLSv1.3")

SERVER_TLS_KEYS = (
    _tls(name="ssl.keystore.location", doc="The server's key with its certificates."),
    _tls(name="ssl.keystore.type", default="JKS", doc="`JKS`, `PKCS12`, `PEM`."),
    _tls(name="ssl.keystore.password", secret=True, doc="Opens that file."),
    _tls(name="ssl.key.password", secret=True, doc="Opens the key."),
    _tls(name="ssl.keystore.key", secret=True, doc="The key itself, PEM."),
    _tls(name="ssl.keystore.certificate.chain", doc="Its certificates themselves, PEM."),
    _tls(name="ssl.truststore.location", doc="Who signs client certificates."),
    _tls(name="ssl.truststore.type", default="JKS", doc="`JKS`, `PKCS12`, `PEM`."),
    _tls(name="ssl.truststore.password", secret=True, doc="Opens that file."),
    _tls(name="ssl.truststore.certificates", doc="They themselves, PEM."),
    _tls(
        name="ssl.client.auth",
        default="none",
        choices=("none", "requested", "required"),
        any_case=True,
        doc="Whether clients show a certificate.",
    ),
    Key(
        name="ssl.enabled.protocols",
        type=KeyType.LIST,
        scope=Scope.DRIVER,
        default=TLS_PROTOCOLS,
        choices=TLS_PROTOCOLS,
        doc="At least TLS 1.2.",
    ),
    _tls(name="ssl.cipher.suites", doc="OpenSSL's names, for TLS 1.2; its default if absent."),
)
