"""Which of the rights that are needed a cluster does not grant, by what it says of resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kmirror.plans.access import Operation, Resource
from kmirror.plans.grants import Grant, Need, grants


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A resource of a cluster, as one principal sees it."""

    cluster: str
    principal: str
    resource: Resource
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """
    What a cluster says about a principal's rights on a resource; of others it says nothing.

    Args:
        exists: The resource is there; `None` when it is hidden.
        allowed, denied: Operations.
    """

    exists: bool | None
    allowed: frozenset[Operation] = frozenset()
    denied: frozenset[Operation] = frozenset()


HIDDEN = Rights(
    exists=None,
    denied=frozenset(
        {Operation.DESCRIBE, Operation.READ, Operation.WRITE, Operation.ALTER, Operation.DELETE}
    ),
)
"""Of a resource that may not be described: each of these would bring Describe with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRights:
    """
    The result.

    Args:
        missing: ACLs that have to be added.
        untold: Those of which clusters say nothing as things are.
    """

    missing: tuple[Grant, ...]
    untold: tuple[Grant, ...]


def place_of(need: Need) -> Place:
    """Return what a need is about; its name is no prefix."""
    return Place(
        cluster=need.cluster,
        principal=need.principal,
        resource=need.row.resource,
        name=need.name.text,
    )


def missing_rights(needs: Iterable[Need], rights: Mapping[Place, Rights]) -> MissingRights:
    """
    Compare what is needed with what is granted.

    Args:
        needs: What is needed, of resources by their names.
        rights: What clusters say.
    """
    missing, untold = list[Need](), list[Need]()
    for need in needs:
        known = rights.get(place_of(need), Rights(exists=False))
        # What is there need not be created.
        wanted = set(need.row.operations) - ({Operation.CREATE} if known.exists else set())
        for operations, found in (
            (wanted & known.denied, missing),
            (wanted - known.denied - known.allowed, untold),
        ):
            if operations:
                ordered = tuple(each for each in Operation if each in operations)
                found.append(replace(need, row=replace(need.row, operations=ordered)))
    return MissingRights(missing=grants(missing), untold=grants(untold))
