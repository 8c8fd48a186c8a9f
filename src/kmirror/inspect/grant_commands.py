"""Writes ACLs as commands that an administrator runs."""

from __future__ import annotations

import shlex

from kmirror.config.clusters import ClusterConfig
from kmirror.plans.access import Resource
from kmirror.plans.grants import Grant


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
    if grant.resource is Resource.CLUSTER:
        return " \\\n    ".join(map(shlex.join, (where, what, ["--cluster"])))
    for each in (grant, *more):
        names += [f"--{each.resource.value}", each.name.text]
    return " \\\n    ".join(map(shlex.join, (where, what, names)))


def grant_command(cluster: ClusterConfig, grant: Grant, *more: Grant) -> str:
    """
    Write the command with the cluster's addresses.

    Args:
        cluster: That of the grant.
        grant: What is to be allowed.
        more: See `command`.
    """
    is_open = cluster.admin.get("security.protocol", "PLAINTEXT") == "PLAINTEXT"
    login = "" if is_open else f"administrator-of-{grant.cluster}.properties"
    return command(grant, *more, servers=cluster.bootstrap_servers, login=login)
