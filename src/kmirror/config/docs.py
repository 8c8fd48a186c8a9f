"""Writes docs/configuration.md from the table of keys: `python -m kmirror.config.docs`."""

from __future__ import annotations

import sys
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
from kmirror.config.keys.table import KEYS, SECTIONS

_INTRODUCTION = f"""# Configuration

kmirror reads the properties file of MirrorMaker 2's driver (`mm2.properties`), unchanged.
Aliases are the names in `clusters`; below, `S` is a source, `T` a target, `A` any cluster.

Where a key may be written is part of its meaning, as in MirrorMaker 2:

| written | counts for |
|---|---|
| `key` | every flow, or every cluster |
| `A.key` | one cluster: its connection, or the Connect worker of flows into it |
| `A.consumer.key`, `A.producer.key`, `A.admin.key` | the clients of one cluster |
| `S->T.key` | one flow; wins over all others |
| `S->T.source.consumer.key`, `S->T.source.admin.key`, `S->T.target.admin.key` | one client |
| `S->T.producer.override.key` | the producer that writes the flow's records |
| `A.{ALIAS_PREFIX}NAME` | regexes of topics that topic NAME of A merges ([how](consumers.md)) |
| `{SPARK_PREFIX}x` | Spark itself, as `spark.x`; `spark.speculation` must stay false |

Of the connection, `A.producer.x` wins over `A.x`, which wins over `x`. Records are written by the
producer of the target: `T.producer.x`; `S->T.producer.x` and `x` at top level do not reach it.

A value may be `${{env:NAME}}`, `${{file:/path:key}}` or `${{dir:/path:file}}`, with Kafka's own
providers. Each needs its allow-list, and what it brings is never shown:

```properties
config.providers = env, file
config.providers.env.class = org.apache.kafka.common.config.provider.EnvVarConfigProvider
config.providers.env.param.allowlist.pattern = KAFKA_.*
config.providers.file.class = org.apache.kafka.common.config.provider.FileConfigProvider
config.providers.file.param.allowed.paths = /etc/kmirror/secrets
```

Regexes are Java's and match whole names. They run in linear time, so that no name can hold the
driver up: look-around, back references, possessive quantifiers (`a++`) and atomic groups need
backtracking and are refused, as are the flags `m`, `x` and `U`, `\\R`, `\\X`, Unicode's blocks and
scripts, and repeats of more than 1000. Instead of `(?!internal).*` in `topics`, write `internal.*`
in `topics.exclude`.

Connections are Kafka's: TLS with stores in any format of Java's (JKS, the default, PKCS12, …) or
PEM, and SASL with PLAIN, SCRAM or OAUTHBEARER. Records travel through Kafka's own clients; the
control plane's, `admin`, are librdkafka's. For these Java reads the stores, in memory; a keystore
has one private key with its certificates. Kerberos (GSSAPI, which is `sasl.mechanism` where nothing
else is said) and login classes of your own are not possible for them: a file that needs them is
refused. Where a cluster has another listener for them, say so with `A.admin.bootstrap.servers`,
`A.admin.security.protocol`, `A.admin.sasl.mechanism` and the like.

A source's alias is part of topics' names and has letters, digits, `.`, `_` and `-`; a target's may
have anything but a comma and `->`.

Everything wrong in a file is reported at once, with its line, before a cluster is touched. Settings
of clients are held against those of Kafka's own clients; classes, key stores and logins are looked
at when the rest is right. What has no effect, or is unknown, is a warning that says what to write
instead.
"""


def configuration_page() -> str:
    """The whole page, in Markdown."""
    parts = [_INTRODUCTION, "\n".join(_differences()), "\n".join(_inactive())]
    parts.extend("\n".join(_section(title, keys)) for title, keys in SECTIONS)
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _differences() -> Iterator[str]:
    yield "## Defaults that differ from MirrorMaker 2\n"
    yield "| key | MirrorMaker 2 | kmirror | why |"
    yield "|---|---|---|---|"
    for key in KEYS.values():
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
    yield "Client settings that are not applied, or raised, with a warning for those in the file:\n"
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
    yield "Accepted and checked, so that a file needs no change, but without effect:\n"
    yield ", ".join(f"`{key.name}`" for key in KEYS.values() if not key.active) + "."


def _section(title: str, keys: tuple[Key, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| key | type | default | written | |"
    yield "|---|---|---|---|---|"
    for key in keys:
        yield (
            f"| `{key.name}` | {key.type.value}{_limits(key)} | {_shown(key.default)} | "
            f"`{key.scope.value}` | {_words(key)} |"
        )


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
