"""ACLs of the lab's clusters: what `kmirror acls` prints, granted and taken away again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process.waiting import wait_until

from tests.support.commands import acls

_SEEN_S_MAX = 30
# As `confluent_kafka` calls what kafka-acls.sh calls DescribeConfigs.
_RESOURCES = {"cluster": ResourceType.BROKER}
_OPERATIONS = {"DescribeConfigs": "DESCRIBE_CONFIGS", "AlterConfigs": "ALTER_CONFIGS"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Acl:
    """One operation on one resource, as `kmirror acls --json` has it."""

    cluster: str
    principal: str
    resource: str
    name: str
    is_prefix: bool
    operation: str

    def __str__(self) -> str:
        return f"{self.cluster} {self.resource} {self.name} {self.operation}"


def printed(
    file: Path,
    *arguments: str,
    environ: Mapping[str, str] | None = None,
    is_optional: bool = False,
) -> tuple[Acl, ...]:
    """Give what `kmirror acls` prints: what is needed, or what is optional."""
    answer = acls(file, "--json", *arguments, environ=environ)
    assert answer.code == 0, answer.text
    return tuple(
        Acl(
            cluster=each["cluster"],
            principal=each["principal"],
            resource=each["resource"],
            name=each["name"],
            is_prefix=each["pattern"] == "prefixed",
            operation=operation,
        )
        for each in json.loads(answer.text)["grants"]
        if each["optional"] == is_optional
        for operation in each["operations"]
    )


def grant(cluster: Cluster, *granted: Acl) -> None:
    """Allow all of them, and wait until every broker knows."""
    admin, bindings = cluster.admin(), [_binding(acl) for acl in granted]
    for done in admin.create_acls(bindings).values():
        done.result(_SEEN_S_MAX)
    for binding in bindings:
        wait_until(
            lambda binding=binding: bool(_found(admin, binding)),
            f"{binding} is known",
            timeout_s=_SEEN_S_MAX,
        )


def revoke(cluster: Cluster, *taken: Acl) -> None:
    """Take all of them away, and wait until every broker knows."""
    admin, bindings = cluster.admin(), [_binding(acl) for acl in taken]
    for done in admin.delete_acls([_filter(each) for each in bindings]).values():
        assert len(done.result(_SEEN_S_MAX)) == 1
    for binding in bindings:
        wait_until(
            lambda binding=binding: not _found(admin, binding),
            f"{binding} is gone",
            timeout_s=_SEEN_S_MAX,
        )


def _found(admin: AdminClient, binding: AclBinding) -> list[AclBinding]:
    return list(admin.describe_acls(_filter(binding)).result(_SEEN_S_MAX))


def _binding(acl: Acl) -> AclBinding:
    return AclBinding(
        _RESOURCES.get(acl.resource) or ResourceType[acl.resource.upper().replace("-", "_")],
        acl.name,
        ResourcePatternType.PREFIXED if acl.is_prefix else ResourcePatternType.LITERAL,
        acl.principal,
        "*",
        AclOperation[_OPERATIONS.get(acl.operation, acl.operation).upper()],
        AclPermissionType.ALLOW,
    )


def _filter(acl: AclBinding) -> AclBindingFilter:
    """Give the filter that finds exactly this one."""
    return AclBindingFilter(
        acl.restype,
        acl.name,
        acl.resource_pattern_type,
        acl.principal,
        acl.host,
        acl.operation,
        acl.permission_type,
    )
