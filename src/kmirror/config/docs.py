"""Writes docs/configuration.md from the table of keys: `python -m kmirror.config.docs`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

from kmirror.config.client_defaults import CONSUMER_DEFAULTS, PRODUCER_DEFAULTS
from kmirror.config.guards import (
    DELIVERY_TIMEOUT_MS_MIN,
    FLOORS_MS,
    IN_FLIGHT_MAX,
    NOT_APPLIED,
    SLOW_LINK,
)
from kmirror.config.keys.key import Key, Value
from kmirror.config.keys.kmirror import ALIAS_PREFIX, SPARK_PREFIX
from kmirror.config.keys.server import ADMIN_HTTPS_PREFIX, HTTPS_PREFIX, SERVER_KEYS
from kmirror.config.keys.server_tls import SERVER_TLS_KEYS
from kmirror.config.keys.table import KEYS, SECTIONS

_INTRODUCTION = f"""# Configuration

kmirror reads the properties file of MirrorMaker 2's driver (`mm2.properties`), unchanged.
Aliases are the names in `clusters`. Below, `S` is a source, `T` a target, `A` any cluster.

As in MirrorMaker 2, the prefix of a key decides what it applies to:

| written | applies to |
|---|---|
| `key` | every flow, or every cluster |
| `A.key` | one cluster: its connection, or the Connect worker of flows into it |
| `A.consumer.key`, `A.producer.key`, `A.admin.key` | the clients of one cluster |
| `S->T.key` | one flow; wins over all others |
| `S->T.source.consumer.key`, `S->T.source.admin.key`, `S->T.target.admin.key` | one client |
| `S->T.producer.override.key` | the producer that writes the flow's records |
| `A.{ALIAS_PREFIX}NAME` | regexes of the topics that topic NAME of A merges ([how](consumers.md)) |
| `{SPARK_PREFIX}x` | Spark's own setting `spark.x`; `spark.speculation` must stay false |

For connection settings, `A.producer.x` wins over `A.x`, which wins over `x`. The producer of the
target writes the records: set `T.producer.x`. `S->T.producer.x` and `x` at top level do not reach
it.

A value may be `${{env:NAME}}`, `${{file:/path:key}}` or `${{dir:/path:file}}`, read by Kafka's own
providers. Each provider needs its allow-list. Values that come from a provider are never shown.

```properties
config.providers = env, file
config.providers.env.class = org.apache.kafka.common.config.provider.EnvVarConfigProvider
config.providers.env.param.allowlist.pattern = KAFKA_.*
config.providers.file.class = org.apache.kafka.common.config.provider.FileConfigProvider
config.providers.file.param.allowed.paths = /etc/kmirror/secrets
```

Regexes are Java's and match whole names. They run in linear time, so no name can stall the driver.
kmirror refuses what needs backtracking: look-around, back references, possessive quantifiers
(`a++`) and atomic groups. It also refuses the flags `m`, `x` and `U`, `\\R`, `\\X`, Unicode blocks
and scripts, and repeats of more than 1000. Instead of `(?!internal).*` in `topics`, write
`internal.*` in `topics.exclude`.

Connections use TLS with key stores in any of Java's formats (JKS, the default, PKCS12, …) or PEM,
and SASL with PLAIN, SCRAM or OAUTHBEARER. Kafka's own Java clients copy the records; librdkafka
clients (`admin`) run the control plane. Java reads the stores for librdkafka, in memory; a keystore
must hold one private key with its certificates. The control plane supports neither Kerberos
(GSSAPI, the default of `sasl.mechanism`) nor login classes of your own: kmirror refuses a file in
which it needs them. If the cluster has another listener, point the control plane at it with
`A.admin.bootstrap.servers`, `A.admin.security.protocol`, `A.admin.sasl.mechanism` and the like.

A source's alias becomes part of topic names, so it may have only letters, digits, `.`, `_` and `-`.
A target's alias may have anything but a comma and `->`.

kmirror reports everything that is wrong in a file at once, with lines, before it connects to a
cluster. It checks client settings against those of Kafka's own clients. When all else is right, it
also checks classes, key stores and logins. Keys that are unknown or have no effect give a warning
that says what to write instead.
"""


def configuration_page() -> str:
    """Return the whole page, in Markdown."""
    parts = [_INTRODUCTION, "\n".join(_differences()), "\n".join(_inactive())]
    parts.extend("\n".join(_section(title, keys)) for title, keys in SECTIONS)
    parts.append("\n".join(_server()))
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _differences() -> Iterator[str]:
    yield "## Defaults that differ from MirrorMaker 2\n"
    yield "| key | MirrorMaker 2 | kmirror | why |"
    yield "|---|---|---|---|"
    for key in (*KEYS.values(), *SERVER_KEYS):
        if key.mm2_default is not None:
            yield f"| `{key.name}` | {key.mm2_default} | {_shown(key.default)} | {key.why} |"
    yield (
        "| `isolation.level` of the source consumer | read_uncommitted | read_committed | "
        "Records of aborted transactions are not copied. |"
    )
    clients = (("source consumer", CONSUMER_DEFAULTS), ("target producer", PRODUCER_DEFAULTS))
    for client, defaults in clients:
        for default in defaults:
            yield (
                f"| `{default.name}` of the {client} | {default.kafka} | "
                f"`{default.value}` | {default.why[0].upper()}{default.why[1:]}. |"
            )
    yield ""
    yield "kmirror ignores or raises these client settings, and warns if the file has them:\n"
    yield "| client | setting | why |"
    yield "|---|---|---|"
    for role, names in NOT_APPLIED.items():
        for name, (_, why) in names.items():
            yield f"| {role} | `{name}` | {why} |"
    yield (
        f"| producer | `max.in.flight.requests.per.connection` above {IN_FLIGHT_MAX} | "
        "more can change the order of records |"
    )
    for name, (least_ms, why) in FLOORS_MS.items():
        yield f"| all | `{name}` below {least_ms} | raised: {why} |"
    least = f"{DELIVERY_TIMEOUT_MS_MIN}, or below `linger.ms` + `request.timeout.ms`"
    yield f"| producer | `delivery.timeout.ms` below {least} | raised: {SLOW_LINK} |"
    yield "| admin | `default.api.timeout.ms` below `request.timeout.ms` | raised |"


def _inactive() -> Iterator[str]:
    yield "## Not active yet\n"
    yield "kmirror accepts and checks these keys, but they have no effect yet:\n"
    names = ", ".join(f"`{key.name}`" for key in KEYS.values() if not key.active)
    yield textwrap.fill(f"{names}.", 100, break_long_words=False, break_on_hyphens=False)


def _section(title: str, keys: tuple[Key, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| key | type | default | written | |"
    yield "|---|---|---|---|---|"
    for key in keys:
        yield (
            f"| `{key.name}` | {key.type.value}{_limits(key)} | {_shown(key.default)} | "
            f"`{key.scope.value}` | {_words(key)} |"
        )


def _server() -> Iterator[str]:
    yield from _section("The REST server of a Connect worker", SERVER_KEYS)
    yield ""
    yield "These are in the file of a Connect worker; see [REST security](rest-security.md)."
    yield f"Keys of an `https` listener have the prefix `{HTTPS_PREFIX}`, those of an admin"
    yield f"listener `{ADMIN_HTTPS_PREFIX}`. As in Connect, they may stand without it."
    yield ""
    yield from _section("TLS of the REST server", SERVER_TLS_KEYS)


def _limits(key: Key) -> str:
    if key.choices:
        return f": {', '.join(key.choices)}"
    also = "".join(f" or {number}" for number in key.also)
    if key.low is not None and key.high is not None:
        return f", {key.low} to {key.high}{also}"
    return f", at least {key.low}{also}" if key.low is not None else ""


def _shown(value: Value | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    return f"`{value}`" if value != "" else ""


def _words(key: Key) -> str:
    words = key.doc
    if key.replaced_by is not None:
        words = f"Old name of `{key.replaced_by}`. {words}"
    return words if key.active else f"{words} (not active yet)"


if __name__ == "__main__":
    sys.stdout.write(configuration_page())
