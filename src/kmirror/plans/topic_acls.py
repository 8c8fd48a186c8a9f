"""
Which ACLs of mirrored topics the target lacks.

The rules are MirrorMaker 2's (`MirrorSourceConnector.syncTopicAcls`): ACLs of single topics only,
who may do everything may read the copy, nobody is allowed to write to it, and nothing is taken
away. Two things are done better: what is there is not created again with every round, and the ACLs
of all topics (`*`), which MirrorMaker 2 turns into ACLs of a topic that no name can have, are left
out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from kmirror.plans.acl_binding import AclBinding
from kmirror.policy.selection import TopicSelection

TOPIC, ALL, READ, WRITE = "TOPIC", "ALL", "READ", "WRITE"
ALLOW = "ALLOW"
NO_WRITE = "a copy is written by the flow alone"
"""Why nobody is allowed to write to a copy."""
_NOT_NAMED = "only ACLs of single topics are copied; kmirror.acls = exact copies others, too"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAcl:
    """
    An ACL that the target shall have.

    Args:
        binding: The ACL.
        reason: Why, for people.
    """

    binding: AclBinding
    reason: str

    def __str__(self) -> str:
        return f"{self.binding.words} ({self.reason})"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneAcl:
    """
    An ACL that the target shall have no more.

    Args:
        binding: The ACL.
        reason: Why, for people.
    """

    binding: AclBinding
    reason: str

    def __str__(self) -> str:
        return f"{self.binding} ({self.reason})"


@dataclass(frozen=True, slots=True, kw_only=True)
class AclsLeftOut:
    """How many of the source's ACLs are not copied for the same reason."""

    acls: int
    reason: str

    def __str__(self) -> str:
        count = "1 ACL is" if self.acls == 1 else f"{self.acls} ACLs are"
        return f"{count} left out ({self.reason})"


@dataclass(frozen=True, slots=True, kw_only=True)
class AclPlan:
    """
    How the target's ACLs would change, and what is left out.

    Args:
        create: ACLs that it lacks.
        remove: ACLs that the flow has created and that the source has no more.
        forget: The same, where somebody has taken them away already.
        left_out: What of the source's is not copied.
    """

    create: tuple[NewAcl, ...] = ()
    remove: tuple[GoneAcl, ...] = ()
    forget: tuple[AclBinding, ...] = ()
    left_out: tuple[AclsLeftOut, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to do."""
        return bool(self.create) or bool(self.remove)


def plan_topic_acls(
    source: Iterable[AclBinding], target: Collection[AclBinding], selection: TopicSelection
) -> AclPlan:
    """
    Compare the ACLs of topics with those of their copies.

    Args:
        source, target: All ACLs of the clusters.
        selection: Which topics are mirrored, and how copies are named.
    """
    found = [step for each in sorted(source) for step in _steps(each, selection)]
    return acl_plan(found, target)


def acl_plan(found: Iterable[NewAcl | str], target: Collection[AclBinding]) -> AclPlan:
    """
    Leave out of what is wanted what is there.

    Args:
        found: ACLs that the target shall have, and a reason for each of the source's that is left
            out.
        target: Its ACLs.
    """
    wanted = dict[AclBinding, NewAcl]()
    reasons = Counter[str]()
    for step in found:
        if isinstance(step, NewAcl):
            wanted.setdefault(step.binding, step)
        else:
            reasons[step] += 1
    return AclPlan(
        create=tuple(wanted[binding] for binding in sorted(wanted) if binding not in target),
        left_out=tuple(
            AclsLeftOut(acls=count, reason=reason) for reason, count in sorted(reasons.items())
        ),
    )


def _steps(acl: AclBinding, selection: TopicSelection) -> Iterator[NewAcl | str]:
    if acl.resource != TOPIC:
        return
    if acl.pattern != "LITERAL" or acl.is_wildcard:
        yield _NOT_NAMED
    elif selection.selects(acl.name):
        if acl.permission == ALLOW and acl.operation == WRITE:
            yield NO_WRITE
        else:
            yield _copied(acl, selection.remote_topic(acl.name))


def _copied(acl: AclBinding, copy: str) -> NewAcl:
    reason = f"as on {acl.name}"
    operation = acl.operation
    if acl.permission == ALLOW and operation == ALL:
        operation, reason = READ, f"All on {acl.name}, and {NO_WRITE}"
    return NewAcl(binding=replace(acl, name=copy, operation=operation), reason=reason)
