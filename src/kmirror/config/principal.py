"""Who a client of the file is to a cluster's authorizer, as far as the file says."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.client_properties import ClientProperties
from kmirror.config.jaas import JaasProblem, read_jaas

_PASSWORD_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_OWN_KEY = ("ssl.keystore.location", "ssl.keystore.certificate.chain")


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """
    A principal of Kafka's.

    Args:
        name: `User:name`; something in capitals to be replaced where the file does not say.
        unknown: Why the file does not say; empty where it does.
    """

    name: str
    unknown: str = ""


def principal_of(properties: ClientProperties, alias: str) -> Principal:
    """
    Return who a client is, unless the brokers map names (`KafkaPrincipalBuilder`).

    Args:
        properties: The client's.
        alias: The cluster's alias, for a name that is to be replaced.
    """
    clear = properties.reveal()
    protocol = clear.get("security.protocol", "PLAINTEXT").upper()
    if protocol.startswith("SASL_"):
        return _by_login(clear, alias)
    if protocol == "SSL" and any(name in clear for name in _OWN_KEY):
        return Principal(
            name=f"User:CERTIFICATE-FOR-{alias}",
            unknown="it is the subject of the client's certificate, unless the brokers' "
            "ssl.principal.mapping.rules make another name of it",
        )
    return Principal(
        name=f"User:NAME-ON-{alias}",
        unknown=f"the file logs in to {alias} without a name; to an authorizer that is "
        "User:ANONYMOUS, and everybody",
    )


def _by_login(clear: dict[str, str], alias: str) -> Principal:
    mechanism = clear.get("sasl.mechanism", "GSSAPI")
    if mechanism in _PASSWORD_MECHANISMS:
        try:
            user = read_jaas(clear.get("sasl.jaas.config", "")).options.get("username", "")
        except JaasProblem:
            user = ""
        if user:
            return Principal(name=f"User:{user}")
    return Principal(
        name=f"User:NAME-ON-{alias}",
        unknown="it is the subject of the token"
        if mechanism == "OAUTHBEARER"
        else f"the file does not say who logs in with {mechanism}",
    )
