"""Settings of Kafka's Java clients that a cluster's clients inherit from `A.x` and from `x`."""

from __future__ import annotations

from dataclasses import replace

from kmirror.config.checks import check_servers
from kmirror.config.client_settings import ADMIN
from kmirror.config.keys.key import Key

_TLS = "TLS, as in Kafka's Java clients."
_LOGIN = "Login, as in Kafka's Java clients."
_KERBEROS = "Kerberos, as in Kafka's Java clients."
_OAUTH = "OAuth, as in Kafka's Java clients."


def _client(name: str, doc: str, *, default: str | None = None) -> Key:
    """Return the row of a setting; type and limits are Kafka's, the same for every client."""
    return replace(ADMIN[name], doc=doc, default=default)


CONNECTION_KEYS = (
    replace(
        _client(
            "bootstrap.servers",
            "Addresses of the cluster: `host:port`, separated by commas.",
        ),
        check=check_servers,
    ),
    _client("security.protocol", "How the brokers are spoken to.", default="PLAINTEXT"),
)

TLS_KEYS = (
    _client(
        "ssl.endpoint.identification.algorithm",
        "`https` compares the broker's certificate with its host name; empty does not.",
        default="https",
    ),
    *(
        _client(f"ssl.{name}", _TLS)
        for name in (
            "cipher.suites",
            "enabled.protocols",
            "engine.factory.class",
            "keymanager.algorithm",
            "keystore.location",
            "keystore.type",
            "protocol",
            "provider",
            "secure.random.implementation",
            "trustmanager.algorithm",
            "truststore.location",
            "truststore.type",
            "key.password",
            "keystore.certificate.chain",
            "keystore.key",
            "keystore.password",
            "truststore.certificates",
            "truststore.password",
        )
    ),
)

SASL_KEYS = (
    _client("sasl.mechanism", "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, …", default="GSSAPI"),
    _client("sasl.jaas.config", "The login module with its user name and password."),
    *(
        _client(f"sasl.{name}", _LOGIN)
        for name in ("client.callback.handler.class", "login.callback.handler.class", "login.class")
    ),
    *(
        _client(f"sasl.kerberos.{name}", _KERBEROS)
        for name in (
            "kinit.cmd",
            "min.time.before.relogin",
            "service.name",
            "ticket.renew.jitter",
            "ticket.renew.window.factor",
        )
    ),
    *(
        _client(f"sasl.login.{name}", _LOGIN)
        for name in (
            "connect.timeout.ms",
            "read.timeout.ms",
            "refresh.buffer.seconds",
            "refresh.min.period.seconds",
            "refresh.window.factor",
            "refresh.window.jitter",
            "retry.backoff.max.ms",
            "retry.backoff.ms",
        )
    ),
    *(_client(name, _OAUTH) for name in sorted(ADMIN) if name.startswith("sasl.oauthbearer.")),
)

CLIENT_KEYS = CONNECTION_KEYS + TLS_KEYS + SASL_KEYS
