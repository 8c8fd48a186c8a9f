"""A cluster of a KafkaMirrorMaker2: its addresses, whom it trusts, and how it logs in."""

from __future__ import annotations

from pathlib import PurePosixPath

from kmirror.config.keys.table import CLIENT_NAMES, client_key
from kmirror.importers.draft import Draft
from kmirror.importers.options import ImportOptions
from kmirror.importers.providers import secret_reference
from kmirror.importers.setting import wrong
from kmirror.importers.tree import Node

_MODULES = {
    "plain": ("PLAIN", "org.apache.kafka.common.security.plain.PlainLoginModule"),
    "scram-sha-256": ("SCRAM-SHA-256", "org.apache.kafka.common.security.scram.ScramLoginModule"),
    "scram-sha-512": ("SCRAM-SHA-512", "org.apache.kafka.common.security.scram.ScramLoginModule"),
}
_OAUTH_TEXTS = {
    "tokenEndpointUri": "sasl.oauthbearer.token.endpoint.url",
    "clientId": "sasl.oauthbearer.client.credentials.client.id",
    "scope": "sasl.oauthbearer.scope",
}
_OAUTH_SECRET = "sasl.oauthbearer.client.credentials.client.secret"
_OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
_UNREAD = "has no effect in MirrorMaker 2 either: no client reads it here; left out"
_TRUSTED = "whom the brokers' certificates must come from"
_LATER = frozenset({"groupId", "configStorageTopic", "statusStorageTopic", "offsetStorageTopic"})


def import_cluster(
    draft: Draft, cluster: Node, options: ImportOptions, *, is_target: bool = False
) -> None:
    """
    Write a cluster's connection.

    Args:
        draft: Receives it.
        cluster: `source`, `target`, or an item of `clusters`.
        options: Where Secrets are mounted.
        is_target: Its `config` is the workers', too, which somebody else reads.
    """
    alias = cluster.text("alias") or ""
    authentication = cluster.get("authentication")
    for field in cluster.fields():
        setting = field.setting()
        if field.key == "alias":
            draft.equal(setting, "", "clusters")
        elif field.key == "bootstrapServers":
            draft.write(field.text_setting(), f"{alias}.bootstrap.servers")
        elif field.key == "config" and not is_target:
            _config(draft, field, alias)
        elif field.key not in {"config", "tls", "authentication"} and not (
            is_target and field.key in _LATER
        ):
            draft.refuse(setting, "unknown to kmirror")
    tls = cluster.get("tls")
    protocol = "PLAINTEXT" if tls is None else "SSL"
    if tls is not None:
        _tls(draft, tls, alias, options.secrets)
    if authentication is not None:
        login = _Login(draft, authentication, alias, options.secrets)
        if login.write():
            protocol = {"SSL": "SASL_SSL", "PLAINTEXT": "SASL_PLAINTEXT"}[protocol]
    if protocol != "PLAINTEXT":
        draft.add(f"{alias}.security.protocol", protocol, "")


def _config(draft: Draft, config: Node, alias: str) -> None:
    for setting in config.settings():
        name = setting.key.removeprefix("consumer.")
        if setting.key in CLIENT_NAMES:
            draft.write(setting, f"{alias}.{setting.key}")
        elif client_key("consumer", name) is not None:
            draft.equal(setting, f"{_UNREAD}. If it is to have one: {alias}.consumer.{name}")
        else:
            draft.equal(setting, _UNREAD)


def _tls(draft: Draft, tls: Node, alias: str, folder: PurePosixPath) -> None:
    trusted = tls.get("trustedCertificates")
    certificates = () if trusted is None else tuple(trusted.items())
    texts = [_certificate(draft, each, alias, folder) for each in certificates]
    if texts:
        draft.add(f"{alias}.ssl.truststore.type", "PEM", "")
        draft.add(f"{alias}.ssl.truststore.certificates", "\n".join(texts), _TRUSTED, secret=False)
    elif trusted is None:
        draft.equal(tls.setting(), "whom Java trusts by default", f"{alias}.security.protocol")


def _certificate(draft: Draft, item: Node, alias: str, folder: PurePosixPath) -> str:
    secret = _named(item, "secretName")
    name, pattern = item.text("certificate"), item.text("pattern")
    says = f"is read from {folder / secret}"
    if name is None:
        # Strimzi's own Secrets have one certificate, by this name.
        name = pattern.removeprefix("*.") if pattern and "*" not in pattern[2:] else "crt"
        name = f"ca.{name}"
        says += f": of the files that {pattern} names, {name} is read; name others beside it"
    draft.differs(item.setting("trustedCertificates"), says, f"{alias}.ssl.truststore.certificates")
    return secret_reference(folder, secret, name)


def _named(node: Node, name: str) -> str:
    text = node.text(name)
    if text is None:
        raise wrong(node.where, name, "is missing")
    return text


class _Login:
    """How a cluster's clients say who they are."""

    def __init__(self, draft: Draft, found: Node, alias: str, folder: PurePosixPath) -> None:
        self._draft = draft
        self._found = found
        self._alias = alias
        self._folder = folder

    def write(self) -> bool:
        """Write it; tell whether it is one of SASL."""
        kind = self._found.text("type") or ""
        if kind == "tls":
            self._certificate()
            return False
        if kind in _MODULES:
            self._user(*_MODULES[kind])
        elif kind == "oauth":
            self._oauth()
        elif kind == "custom":
            return self._custom()
        else:
            self._draft.refuse(self._found.setting(), f"{kind} is unknown to kmirror")
        return True

    def _certificate(self) -> None:
        own = self._found.get("certificateAndKey")
        if own is None:
            raise wrong(self._found.where, "certificateAndKey", "is missing")
        secret = _named(own, "secretName")
        self._add("ssl.keystore.type", "PEM")
        for name, key in (("certificate", "certificate.chain"), ("key", "key")):
            self._add(f"ssl.keystore.{key}", self._secret(secret, _named(own, name)))
        keys = (f"{self._alias}.ssl.keystore.{name}" for name in ("certificate.chain", "key"))
        self._draft.differs(own.setting(), f"is read from {self._folder / secret}", *keys)

    def _user(self, mechanism: str, module: str) -> None:
        password = self._found.get("passwordSecret")
        if password is None:
            raise wrong(self._found.where, "passwordSecret", "is missing")
        secret = _named(password, "secretName")
        reference = self._secret(secret, _named(password, "password"))
        user = _named(self._found, "username").replace("\\", "\\\\").replace('"', '\\"')
        self._add("sasl.mechanism", mechanism)
        self._add(
            "sasl.jaas.config", f'{module} required username="{user}" password="{reference}";'
        )
        self._draft.differs(
            password.setting(),
            f"is read from {self._folder / secret}",
            f"{self._alias}.sasl.jaas.config",
        )

    def _oauth(self) -> None:
        self._add("sasl.mechanism", "OAUTHBEARER")
        self._add("sasl.jaas.config", _OAUTH_MODULE)
        for field in self._found.fields():
            if field.key in _OAUTH_TEXTS:
                self._draft.write(field.text_setting(), f"{self._alias}.{_OAUTH_TEXTS[field.key]}")
            elif field.key == "clientSecret":
                secret = _named(field, "secretName")
                self._add(_OAUTH_SECRET, self._secret(secret, _named(field, "key")))
                says = f"is read from {self._folder / secret}"
                self._draft.differs(field.setting(), says, f"{self._alias}.{_OAUTH_SECRET}")
            elif field.key != "type":
                self._draft.refuse(
                    field.setting(f"authentication.{field.key}"),
                    "of Strimzi's own login class, which cannot be loaded here: kmirror logs in "
                    "with client credentials (tokenEndpointUri, clientId, clientSecret)",
                )

    def _custom(self) -> bool:
        config = self._found.get("config")
        for setting in () if config is None else config.settings():
            self._draft.write(setting, f"{self._alias}.{setting.key}")
        return self._found.text("sasl") == "true"

    def _secret(self, secret: str, key: str) -> str:
        return secret_reference(self._folder, secret, key)

    def _add(self, name: str, text: str) -> None:
        self._draft.add(f"{self._alias}.{name}", text, "", secret=False)
