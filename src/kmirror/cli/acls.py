"""`kmirror acls`: print the ACLs that a file needs, as commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import indent
from typing import Annotated, Any

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import refuse
from kmirror.config.load import MirrorConfig
from kmirror.inspect.access import FileNeeds, file_needs
from kmirror.plans.grants import Grant, grants


def acls(
    file: File,
    moves: Annotated[
        bool,
        typer.Option(
            "--moves",
            help="Add what `kmirror failover`, `promote`, `failback` and `offsets reset` need.",
        ),
    ] = False,
    principal: Annotated[
        list[str] | None,
        typer.Option(
            help="Who kmirror is on a cluster, as A=User:name. Default: who the file logs in as."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """
    Print the least ACLs that FILE needs, as kafka-acls.sh commands for each cluster.

    It asks no cluster. `kmirror check` says which of them are missing.
    """
    config = load_or_exit(file)
    principals = dict(_principal(config, text) for text in principal or ())
    needs = file_needs(config, moves=moves, principals=principals)
    found = grants(needs.needs)
    if as_json:
        print(json.dumps(_as_json(config, found, needs)))
    else:
        print("\n".join(_script(config, found, needs)))
    raise SystemExit(Exit.OK)


def _principal(config: MirrorConfig, text: str) -> tuple[str, str]:
    alias, equals, name = text.partition("=")
    if not equals or ":" not in name:
        raise typer.BadParameter(
            f"--principal {text}: expected A=User:name, with a cluster's alias"
        )
    if alias not in {each.alias for each in config.clusters}:
        refuse(f"{config.path}: there is no cluster {alias}", Exit.CONFIG)
    return alias, name


def command(grant: Grant, *more: Grant, servers: str, login: str = "") -> str:
    """
    Write the command that allows something.

    Args:
        grant: What.
        more: Others of the same principal, operations and kind of name.
        servers: `bootstrap.servers` of the cluster.
        login: The file with an administrator's login; empty where none is needed.
    """
    where = ["kafka-acls.sh", "--bootstrap-server", servers]
    where += ["--command-config", login] if login else []
    what = ["--add", "--allow-principal", grant.principal]
    for operation in grant.operations:
        what += ["--operation", operation.value]
    names = ["--resource-pattern-type", "prefixed"] if grant.name.is_prefix else []
    for each in (grant, *more):
        names += [f"--{each.resource.value}", each.name.text]
    return " \\\n    ".join(map(shlex.join, (where, what, names)))


def grant_command(config: MirrorConfig, grant: Grant, *more: Grant) -> str:
    """
    Write the command with the cluster's addresses.

    Args:
        config: The file.
        grant: What is to be allowed.
        more: See `command`.
    """
    cluster = config.cluster(grant.cluster)
    is_open = cluster.admin.get("security.protocol", "PLAINTEXT") == "PLAINTEXT"
    login = "" if is_open else f"administrator-of-{grant.cluster}.properties"
    return command(grant, *more, servers=cluster.bootstrap_servers, login=login)


def _script(config: MirrorConfig, found: Sequence[Grant], needs: FileNeeds) -> Iterator[str]:
    yield f"# What {config.path} needs. An administrator of each cluster runs this."
    for name, why in needs.unknown.items():
        yield f"# Replace {name}: {why}."
    for alias in dict.fromkeys(grant.cluster for grant in found):
        yield f"\n# Cluster {alias}"
        for (is_optional, *_), group in _alike(each for each in found if each.cluster == alias):
            first, *more = group
            yield f"# {_comment(group)}"
            line = grant_command(config, first, *more)
            yield indent(line, "# ") if is_optional else line


def _alike(found: Iterable[Grant]) -> Iterator[tuple[tuple[Any, ...], list[Grant]]]:
    """Group what one command can say, and what is for the same; optional ones come last."""

    def kind(grant: Grant) -> tuple[Any, ...]:
        operations = tuple(each.value for each in grant.operations)
        resource, is_prefix = grant.resource.value, grant.name.is_prefix
        return grant.is_optional, grant.principal, resource, is_prefix, operations, grant.why

    order: dict[tuple[Any, ...], int] = {}
    listed = list(found)
    for grant in listed:
        order.setdefault(kind(grant), len(order))
    listed.sort(key=lambda grant: (grant.is_optional, order[kind(grant)]))
    for key, group in groupby(listed, key=kind):
        yield key, list(group)


def _comment(group: Sequence[Grant]) -> str:
    first = group[0]
    words = "; ".join(first.why)
    if first.is_optional:
        words = f"optional: {words}"
    wider = [each.name.text for each in group if each.name.is_wider]
    if wider:
        words += f" ({', '.join(wider)}: more than the file's regex names, which ACLs cannot say)"
    return words


def _as_json(config: MirrorConfig, found: Sequence[Grant], needs: FileNeeds) -> dict[str, Any]:
    return {
        "file": str(config.path),
        "principals_to_replace": dict(needs.unknown),
        "grants": [
            {
                "cluster": each.cluster,
                "bootstrap_servers": config.cluster(each.cluster).bootstrap_servers,
                "principal": each.principal,
                "resource": each.resource.value,
                "name": each.name.text,
                "pattern": "prefixed" if each.name.is_prefix else "literal",
                "operations": [operation.value for operation in each.operations],
                "why": list(each.why),
                "without": list(each.without),
                "optional": each.is_optional,
                "wider": each.name.is_wider,
            }
            for each in found
        ],
    }
