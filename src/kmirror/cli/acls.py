"""`kmirror acls`: print the ACLs that a file needs, as commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import refuse
from kmirror.cli.worker_files import Connectors, is_of_worker, worker_or_exit
from kmirror.config.clusters import ClusterConfig
from kmirror.inspect.access import FileNeeds, file_needs
from kmirror.inspect.grant_commands import grant_command
from kmirror.inspect.worker_access import worker_clusters, worker_needs
from kmirror.plans.grants import Grant, grants


def acls(
    file: File,
    connectors: Connectors = None,
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

    It asks no cluster. `kmirror check` says which of them are missing. FILE may be that of a
    Connect worker, too: then it prints what the worker needs, and flows of the connectors given.
    """
    of_worker = is_of_worker(file, connectors)
    if of_worker:
        if moves:
            raise typer.BadParameter("--moves goes with MirrorMaker 2's properties file")
        files = worker_or_exit(file, connectors or ())
        clusters = worker_clusters(files.config, files.flows)
        given = _principals(file, clusters, principal or ())
        needs = worker_needs(files.config, files.flows, given)
    else:
        config = load_or_exit(file)
        clusters = {each.alias: each for each in config.clusters}
        given = _principals(file, clusters, principal or ())
        needs = file_needs(config, moves=moves, principals=given)
    found = grants(needs.needs)
    if as_json:
        print(json.dumps(_as_json(file, clusters, found, needs)))
    else:
        print("\n".join(_script(file, clusters, found, needs)))
    raise SystemExit(Exit.OK)


def _principals(
    file: Path, clusters: Mapping[str, ClusterConfig], texts: Sequence[str]
) -> dict[str, str]:
    return dict(_principal(file, clusters, text) for text in texts)


def _principal(file: Path, clusters: Mapping[str, ClusterConfig], text: str) -> tuple[str, str]:
    alias, equals, name = text.partition("=")
    if not equals or ":" not in name:
        raise typer.BadParameter(
            f"--principal {text}: expected A=User:name, with a cluster's alias"
        )
    if alias not in clusters:
        refuse(f"{file}: there is no cluster {alias}", Exit.CONFIG)
    return alias, name


def _script(
    file: Path, clusters: Mapping[str, ClusterConfig], found: Sequence[Grant], needs: FileNeeds
) -> Iterator[str]:
    yield f"# What {file} needs. An administrator of each cluster runs this."
    for name, why in needs.unknown.items():
        yield f"# Replace {name}: {why}."
    for alias in dict.fromkeys(grant.cluster for grant in found):
        yield f"\n# Cluster {alias}"
        for (is_optional, *_), group in _alike(each for each in found if each.cluster == alias):
            first, *more = group
            yield f"# {_comment(group)}"
            line = grant_command(clusters[alias], first, *more)
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


def _as_json(
    file: Path, clusters: Mapping[str, ClusterConfig], found: Sequence[Grant], needs: FileNeeds
) -> dict[str, Any]:
    return {
        "file": str(file),
        "principals_to_replace": dict(needs.unknown),
        "grants": [
            {
                "cluster": each.cluster,
                "bootstrap_servers": clusters[each.cluster].bootstrap_servers,
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
