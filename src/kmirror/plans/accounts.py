"""
What users have on the source and lack on the target: quotas, and logins by SCRAM; pure.

Nobody can copy the secret of a login, and a quota is a matter of the cluster that it protects. So
both are reported, with the command that repairs it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

ReportKind = Literal["quota", "scram_user", "replication_factor"]

Entity = tuple[tuple[str, str | None], ...]
"""Whom a quota is for, as `(type, name)`; the name `None` is the default of a type."""

_OPTIONS = {"user": "users", "client-id": "clients", "ip": "ips"}
_ORDER = tuple(_OPTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """
    Something that differs and that nobody changes by itself.

    Args:
        kind: What it is about.
        words: What differs, for people.
        commands: What repairs it; none where nothing does.
    """

    kind: ReportKind
    words: str
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """
    What a cluster knows of its users.

    Args:
        quotas: Limits by their names, by whom they are for.
        scram: The mechanisms with which a user may log in, by the user.
    """

    quotas: Mapping[Entity, Mapping[str, float]]
    scram: Mapping[str, frozenset[str]]


def entity(parts: Mapping[str, str | None]) -> Entity:
    """Return whom a quota is for, in the order in which Kafka's tools name it."""
    known = [kind for kind in _ORDER if kind in parts]
    return tuple((kind, parts[kind]) for kind in (*known, *sorted(parts.keys() - set(known))))


def compare_accounts(source: Accounts, target: Accounts, servers: str) -> Iterator[Report]:
    """
    Yield what the target lacks. What it has besides is its own.

    Args:
        source, target: What the clusters say.
        servers: `bootstrap.servers` of the target.
    """
    begin = ["kafka-configs.sh", "--bootstrap-server", servers, "--alter", "--add-config"]
    for who, limits in sorted(source.quotas.items(), key=str):
        theirs = target.quotas.get(who, {})
        lacking = {name: at for name, at in sorted(limits.items()) if theirs.get(name) != at}
        if lacking:
            values = ",".join(f"{name}={_number(at)}" for name, at in lacking.items())
            yield Report(
                kind="quota",
                words=f"quota of {_words(who)}: {_limits(lacking, theirs)}",
                commands=(shlex.join([*begin, values, *_arguments(who)]),),
            )
    for user, mechanisms in sorted(source.scram.items()):
        missing = sorted(mechanisms - target.scram.get(user, frozenset()))
        if missing:
            secrets = ",".join(f"{each}=[password=PASSWORD]" for each in missing)
            yield Report(
                kind="scram_user",
                words=f"user {user} may log in with {' and '.join(missing)} on the source only",
                commands=(shlex.join([*begin, secrets, *_arguments((("user", user),))]),),
            )


def _limits(lacking: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name} is {_number(at)} on the source and "
        + (_number(theirs[name]) if name in theirs else "not set on the target")
        for name, at in lacking.items()
    )


def _words(who: Entity) -> str:
    return ", ".join(
        f"every other {kind}" if name is None else f"{kind} {name}" for kind, name in who
    )


def _arguments(who: Entity) -> Iterator[str]:
    for kind, name in who:
        yield from ("--entity-type", _OPTIONS.get(kind, kind))
        yield from ("--entity-default",) if name is None else ("--entity-name", name)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
