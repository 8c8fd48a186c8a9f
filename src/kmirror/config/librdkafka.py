"""
Java client properties as librdkafka's, for the clients that Python speaks to brokers with.

Records are copied by Java clients, which take the properties as they are; here only what it
takes to connect is translated. What librdkafka cannot do is said, never left out in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Entry
from kmirror.config.jaas import JaasProblem, LoginModule, read_jaas

_INT_MAX = (1 << 31) - 1
_BUFFER_BYTES_MAX = 100_000_000
_BACKOFF_MS_MAX = 300_000

_SAME_TEXTS = ("bootstrap.servers", "client.dns.lookup", "client.id")
# Java's name -> librdkafka's, and the least and most that it takes. What lies outside differs by
# so much from what is usual that the nearest value means the same: -1 and 0 are "never" here and
# there for idle connections, and "as the system likes" for buffers.
_NUMBERS = {
    "connections.max.idle.ms": ("connections.max.idle.ms", 0, _INT_MAX),
    "metadata.max.age.ms": ("metadata.max.age.ms", 1, 86_400_000),
    "receive.buffer.bytes": ("socket.receive.buffer.bytes", 0, _BUFFER_BYTES_MAX),
    "reconnect.backoff.max.ms": ("reconnect.backoff.max.ms", 0, 3_600_000),
    "reconnect.backoff.ms": ("reconnect.backoff.ms", 0, 3_600_000),
    "request.timeout.ms": ("socket.timeout.ms", 10, 300_000),
    "retry.backoff.max.ms": ("retry.backoff.max.ms", 1, _BACKOFF_MS_MAX),
    "retry.backoff.ms": ("retry.backoff.ms", 1, _BACKOFF_MS_MAX),
    "send.buffer.bytes": ("socket.send.buffer.bytes", 0, _BUFFER_BYTES_MAX),
    "socket.connection.setup.timeout.ms": ("socket.connection.setup.timeout.ms", 1_000, _INT_MAX),
}
# librdkafka's own, in milliseconds.
_RECONNECT_DEFAULTS = {"reconnect.backoff.ms": 100, "reconnect.backoff.max.ms": 10_000}
_PEM_TEXTS = {
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "ssl.key.password": "ssl.key.password",
}
# Without effect on which brokers are trusted: librdkafka negotiates the best of OpenSSL.
_TLS_LEFT_TO_OPENSSL = ("ssl.cipher.suites", "ssl.enabled.protocols", "ssl.protocol")
_JAVA_CLASSES = (
    "sasl.client.callback.handler.class",
    "sasl.login.class",
    "ssl.engine.factory.class",
)
_OAUTH_HANDLER = "OAuthBearerLoginCallbackHandler"
_OAUTH_NAMES = {
    "sasl.oauthbearer.token.endpoint.url": "sasl.oauthbearer.token.endpoint.url",
    "sasl.oauthbearer.client.credentials.client.id": "sasl.oauthbearer.client.id",
    "sasl.oauthbearer.client.credentials.client.secret": "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.scope": "sasl.oauthbearer.scope",
}
_OAUTH_OPTIONS = {
    "clientId": "sasl.oauthbearer.client.id",
    "clientSecret": "sasl.oauthbearer.client.secret",
    "scope": "sasl.oauthbearer.scope",
}
_HINT = "give the admin clients their own, such as A.admin."


@dataclass(frozen=True, slots=True, kw_only=True)
class Untranslatable:
    """
    A property that librdkafka does not support.

    Args:
        name: Java's name of it.
        why: What is missing, and what to do.
        fatal: Without it there is no connection; otherwise only a difference.
    """

    name: str
    why: str
    fatal: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStore:
    """
    A key store that only Java reads, in any of its formats: JKS, PKCS12, …

    Args:
        name: The property that names the file.
        location: The file.
        type: Java's name of its format.
        password, key_password: In clear text; None for what is not given.
        own: Whether it holds the client's own key, and not whom the client trusts.
        entry: The line of the properties file that names it, if any.
    """

    name: str
    location: str
    type: str
    password: str | None = field(repr=False)
    key_password: str | None = field(repr=False, default=None)
    own: bool = False
    entry: Entry | None = field(compare=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrdkafkaProperties:
    """
    The properties of a confluent-kafka client.

    Args:
        settings: In clear text; never shown.
        stores: Files that have to be read for it, since librdkafka cannot.
        untranslated: What could not be said in librdkafka's words.
        java_names: Of each setting that is taken over, Java's name.
    """

    settings: dict[str, str] = field(repr=False)
    stores: tuple[KeyStore, ...] = ()
    untranslated: tuple[Untranslatable, ...] = ()
    java_names: Mapping[str, str] = field(default_factory=dict)


def to_librdkafka(properties: ClientProperties) -> LibrdkafkaProperties:
    """Translate the connection that *properties* describe into librdkafka's names."""
    java = properties.reveal()
    translation = _Translation(java, properties.entry)
    translation.basics()
    protocol = java.get("security.protocol", "PLAINTEXT").strip().upper()
    translation.settings["security.protocol"] = protocol.lower()
    if protocol.endswith("SSL"):
        translation.tls()
    if protocol.startswith("SASL"):
        translation.sasl()
    return LibrdkafkaProperties(
        settings=translation.settings,
        stores=tuple(translation.stores),
        untranslated=tuple(translation.untranslated),
        java_names=translation.java_names,
    )


class _Translation:
    """Java's properties on one side, librdkafka's on the other."""

    def __init__(self, java: Mapping[str, str], entry_of: Callable[[str], Entry | None]) -> None:
        self.settings: dict[str, str] = {}
        self.stores: list[KeyStore] = []
        self.untranslated: list[Untranslatable] = []
        self.java_names: dict[str, str] = {}
        self._java = java
        self._entry_of = entry_of

    def basics(self) -> None:
        """Addresses, buffers, time-outs."""
        for name in _SAME_TEXTS:
            self._copy(name, name)
        for name, (ours, low, high) in _NUMBERS.items():
            if name in self._java:
                self.settings[ours] = str(min(max(int(self._java[name]), low), high))
        self._reconnect()

    def _reconnect(self) -> None:
        """Drop a longest pause below the first one: librdkafka refuses it, Java ignores it."""
        first_ms, longest_ms = (
            int(self.settings.get(name, default)) for name, default in _RECONNECT_DEFAULTS.items()
        )
        if first_ms > longest_ms and "reconnect.backoff.ms" in self.settings:
            self.settings["reconnect.backoff.max.ms"] = str(first_ms)
        elif first_ms > longest_ms:
            self.settings["reconnect.backoff.ms"] = str(longest_ms)

    def tls(self) -> None:
        """Certificates, keys, and whether the broker's host name counts."""
        check = self._java.get("ssl.endpoint.identification.algorithm", "https").strip()
        self.settings["ssl.endpoint.identification.algorithm"] = check.lower() or "none"
        for name, ours in _PEM_TEXTS.items():
            self._copy(name, ours)
        self._truststore()
        self._keystore()
        for name in _TLS_LEFT_TO_OPENSSL:
            if name in self._java:
                self._cannot(name, "OpenSSL's defaults are used by the admin clients", fatal=False)
        self._java_classes()

    def sasl(self) -> None:
        """Translate the mechanism and the login."""
        mechanism = self._java.get("sasl.mechanism", "GSSAPI").strip()
        self.settings["sasl.mechanism"] = mechanism
        self._java_classes()
        if mechanism == "OAUTHBEARER":
            self._oauth(self._login_module())
        elif mechanism == "PLAIN" or mechanism.startswith("SCRAM-SHA-"):
            self._user(self._login_module())
        else:
            kerberos = " (Kerberos, Kafka's default)" if mechanism == "GSSAPI" else ""
            self._cannot(
                "sasl.mechanism",
                f"{mechanism}{kerberos} is not possible for the admin clients: expected PLAIN, "
                "SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER, or security.protocol = SSL with a "
                f"certificate; or {_HINT}sasl.mechanism, and a listener that takes it",
            )

    def _truststore(self) -> None:
        if self._is_pem("ssl.truststore"):
            self._copy("ssl.truststore.location", "ssl.ca.location")

    def _keystore(self) -> None:
        if self._is_pem("ssl.keystore", own=True):
            # Java keeps the key and its certificates in one PEM file.
            self._copy("ssl.keystore.location", "ssl.key.location")
            self._copy("ssl.keystore.location", "ssl.certificate.location")

    def _is_pem(self, prefix: str, *, own: bool = False) -> bool:
        """Whether librdkafka reads the store itself; otherwise it is one to be read for it."""
        name = f"{prefix}.location"
        kind = self._java.get(f"{prefix}.type", "JKS").strip()
        if kind.upper() == "PEM":
            return True
        if name in self._java:
            self.stores.append(
                KeyStore(
                    name=name,
                    location=self._java[name],
                    type=kind,
                    password=self._java.get(f"{prefix}.password"),
                    key_password=self._java.get("ssl.key.password") if own else None,
                    own=own,
                    entry=self._entry_of(name),
                )
            )
        return False

    def _login_module(self) -> LoginModule | None:
        text = self._java.get("sasl.jaas.config")
        if text is None:
            self._cannot("sasl.jaas.config", "expected a login module with its options")
            return None
        try:
            return read_jaas(text)
        except JaasProblem as problem:
            self._cannot("sasl.jaas.config", str(problem))
            return None

    def _user(self, module: LoginModule | None) -> None:
        if module is None:
            return
        if module.name not in ("PlainLoginModule", "ScramLoginModule"):
            self._cannot("sasl.jaas.config", f"{module.name} is not a module for this mechanism")
            return
        for option in ("username", "password"):
            if option in module.options:
                self.settings[f"sasl.{option}"] = module.options[option]
            else:
                self._cannot("sasl.jaas.config", f'expected {option}="…" in it')

    def _oauth(self, module: LoginModule | None) -> None:
        handler = self._java.get("sasl.login.callback.handler.class", "").strip()
        if handler and handler.rpartition(".")[2] != _OAUTH_HANDLER:
            self._cannot(
                "sasl.login.callback.handler.class",
                f"Java classes cannot be loaded by the admin clients; only {_OAUTH_HANDLER} can",
            )
        options = module.options if module is not None else {}
        for option, ours in _OAUTH_OPTIONS.items():
            if option in options:
                self.settings[ours] = options[option]
        for name, ours in _OAUTH_NAMES.items():
            self._copy(name, ours)
        self.settings["sasl.oauthbearer.method"] = "oidc"
        if "sasl.oauthbearer.token.endpoint.url" not in self.settings:
            self._cannot(
                "sasl.oauthbearer.token.endpoint.url", "expected the URL that issues tokens"
            )

    def _java_classes(self) -> None:
        for name in _JAVA_CLASSES:
            known = {unknown.name for unknown in self.untranslated}
            if self._java.get(name) and name not in known:
                self._cannot(name, "Java classes cannot be loaded by the admin clients")

    def _copy(self, name: str, ours: str) -> None:
        if name in self._java:
            self.settings[ours] = self._java[name]
            self.java_names[ours] = name

    def _cannot(self, name: str, why: str, *, fatal: bool = True) -> None:
        self.untranslated.append(Untranslatable(name=name, why=why, fatal=fatal))
