"""One ACL of a cluster, as Kafka's `AclBinding` has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PatternType = Literal["LITERAL", "PREFIXED"]
Permission = Literal["ALLOW", "DENY"]

ANY_HOST = "*"
WILDCARD = "*"
"""The name, of a LITERAL pattern, that stands for all resources of its type."""


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class AclBinding:
    """
    Who may, or may not, do one thing to the resources of a name.

    Args:
        resource: The resource's type, as Kafka names it: `TOPIC`, `GROUP`, `TRANSACTIONAL_ID`, ...
        pattern: Whether *name* is a whole name or the beginning of one.
        name: The name; `*`, whole, is every name.
        principal: Who, such as `User:alice`.
        host: From which address; `*` is any.
        operation: What, as Kafka names it: `READ`, `ALL`, ...
        permission: Whether it is allowed or forbidden.
    """

    resource: str
    pattern: PatternType
    name: str
    principal: str
    host: str
    operation: str
    permission: Permission

    @property
    def is_wildcard(self) -> bool:
        """Whether it is about every resource of its type."""
        return self.pattern == "LITERAL" and self.name == WILDCARD

    @property
    def verb(self) -> str:
        """`allow` or `deny`."""
        return self.permission.lower()

    @property
    def target(self) -> str:
        """What it is about, for people: `topic orders`, `topics orders*`."""
        kind = self.resource.lower().replace("_", " ")
        is_many = self.is_wildcard or self.pattern == "PREFIXED"
        star = WILDCARD if self.pattern == "PREFIXED" else ""
        return f"{kind}{'s' if is_many else ''} {self.name}{star}"

    @property
    def words(self) -> str:
        """The ACL for people, without its verb: `User:alice Read on topic orders`."""
        operation = self.operation.title().replace("_", "")
        host = "" if self.host == ANY_HOST else f" from {self.host}"
        return f"{self.principal} {operation} on {self.target}{host}"

    def __str__(self) -> str:
        return f"{self.verb} {self.words}"
