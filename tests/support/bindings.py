"""ACLs in few words, for tests."""

from __future__ import annotations

from kmirror.plans.acl_binding import AclBinding


def acl(
    name: str,
    operation: str = "READ",
    who: str = "alice",
    *,
    resource: str = "TOPIC",
    host: str = "*",
    denies: bool = False,
) -> AclBinding:
    """
    Give an ACL.

    Args:
        name: Of the resource; `orders*` is a prefix, and `*` every name.
        operation: As Kafka names it.
        who: The principal without its type.
        resource: Its type.
        host: From where.
        denies: It forbids.
    """
    is_prefix = name.endswith("*") and name != "*"
    return AclBinding(
        resource=resource,
        pattern="PREFIXED" if is_prefix else "LITERAL",
        name=name.removesuffix("*") if is_prefix else name,
        principal=f"User:{who}",
        host=host,
        operation=operation,
        permission="DENY" if denies else "ALLOW",
    )
