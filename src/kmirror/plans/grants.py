"""The fewest ACLs that allow what a file needs: the table of `plans.access_table`, put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kmirror.plans.access import Operation, Resource, Row
from kmirror.policy.acl_names import AclName


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """
    A row of the table, of one client of one flow.

    Args:
        cluster: The cluster's alias.
        principal: Who asks.
        row: The row.
        name: What it is about.
    """

    cluster: str
    principal: str
    row: Row
    name: AclName


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """
    What a principal must be allowed to do to a resource.

    Args:
        cluster: The cluster's alias.
        principal: As in `--allow-principal`.
        resource: The kind of resource.
        name: Its name.
        operations: In the order of `Operation`.
        why: What for.
        without: What happens otherwise.
        is_optional: Everything is copied and done without it.
    """

    cluster: str
    principal: str
    resource: Resource
    name: AclName
    operations: tuple[Operation, ...]
    why: tuple[str, ...]
    without: tuple[str, ...]
    is_optional: bool = False


_IMPLYING = {
    Operation.DESCRIBE: {Operation.READ, Operation.WRITE, Operation.ALTER, Operation.DELETE},
    Operation.DESCRIBE_CONFIGS: {Operation.ALTER_CONFIGS},
}

_Place = tuple[str, str, Resource, bool]


def grants(needs: Iterable[Need]) -> tuple[Grant, ...]:
    """
    Return the fewest ACLs that allow what is needed; what one allows, no other one repeats.

    Args:
        needs: What is needed, several times if need be.
    """
    places: dict[_Place, dict[AclName, list[Row]]] = {}
    for need in needs:
        row = need.row
        place = (need.cluster, need.principal, row.resource, row.is_optional)
        places.setdefault(place, {}).setdefault(need.name, []).append(row)
    # What is needed anyway need not be granted as an option.
    firm = {(*place[:3], True): names for place, names in places.items() if not place[3]}
    return tuple(
        grant
        for place, names in places.items()
        for grant in _of_place(place, names, firm.get(place, {}))
    )


def _of_place(
    place: _Place, names: Mapping[AclName, Sequence[Row]], firm: Mapping[AclName, Sequence[Row]]
) -> Iterator[Grant]:
    cluster, principal, resource, is_optional = place
    broad = [name for name in names if name.is_any or name.is_prefix]
    for name, rows in names.items():
        allowed = {
            operation
            for other in broad
            if other != name and other.covers(name)
            for row in names[other]
            for operation in row.operations
        }
        allowed |= {
            operation
            for other in firm
            if other.covers(name)
            for row in firm[other]
            for operation in row.operations
        }
        own = {operation for row in rows for operation in row.operations}
        needed = {
            each for each in own - allowed if not _IMPLYING.get(each, set()) & (own | allowed)
        }
        why = [row for row in rows if needed & set(row.operations)]
        if needed:
            yield Grant(
                cluster=cluster,
                principal=principal,
                resource=resource,
                name=name,
                operations=tuple(each for each in Operation if each in needed),
                why=tuple(dict.fromkeys(row.why for row in why)),
                without=tuple(dict.fromkeys(row.without for row in why)),
                is_optional=is_optional,
            )
