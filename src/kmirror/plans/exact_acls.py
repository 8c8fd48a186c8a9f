"""
How the target's ACLs follow the source's exactly (`kmirror.acls = exact`).

Besides ACLs of single topics it copies those of prefixes and of all topics, of groups and of
transactional ids, Deny as well as Allow, under the names that principals have on the target. Nobody
is allowed to write to a copy unless the file says so. What the source has no more is taken away, if
it was the flow that created it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kmirror.plans.acl_binding import AclBinding
from kmirror.plans.topic_acls import (
    ALL,
    ALLOW,
    NO_WRITE,
    TOPIC,
    WRITE,
    AclPlan,
    GoneAcl,
    NewAcl,
    acl_plan,
)
from kmirror.policy.selection import TopicSelection, generation_name

_GROUP, _TRANSACTIONAL_ID = "GROUP", "TRANSACTIONAL_ID"
# What `ALL` is for a topic (`AclEntry.supportedOperations`), but Write.
_ALL_BUT_WRITE = (
    "ALTER",
    "ALTER_CONFIGS",
    "CREATE",
    "DELETE",
    "DESCRIBE",
    "DESCRIBE_CONFIGS",
    "READ",
)
_GONE = "the source has it no more"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactRules:
    """
    What the file says about ACLs.

    Args:
        selection: Which topics are mirrored, and how copies are named.
        allows_group: Whether a group is followed.
        principals: Names on the target, by those on the source; others keep theirs.
        allows_write: Who may write to a topic may write to its copy.
    """

    selection: TopicSelection
    allows_group: Callable[[str], bool]
    principals: Mapping[str, str] = field(default_factory=dict)
    allows_write: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAcls:
    """
    What is known at one moment.

    Args:
        source, target: All ACLs of the clusters.
        created: What the flow has created on the target, as far as it knows.
        topics: The source's topics.
        is_complete: The source has said all that it has, so that what is missing is gone.
    """

    source: Collection[AclBinding]
    target: Collection[AclBinding]
    created: Collection[AclBinding]
    topics: Collection[str]
    is_complete: bool


def plan_exact_acls(known: KnownAcls, rules: ExactRules) -> AclPlan:
    """
    Compare the ACLs of both clusters.

    Args:
        known: What is there.
        rules: What the file says.
    """
    source = sorted(known.source)
    steps = [step for acl in source for step in _steps(acl, rules, known.topics)]
    plan = acl_plan(steps, known.target)
    if not known.is_complete:
        return plan
    # What the filters select no more is not gone: the file was changed, not the source.
    there = {binding for acl in source for binding in _stays(acl, rules)}
    gone = sorted(each for each in known.created if each not in there)
    return replace(
        plan,
        remove=tuple(GoneAcl(binding=each, reason=_GONE) for each in gone if each in known.target),
        forget=tuple(each for each in gone if each not in known.target),
    )


def _steps(acl: AclBinding, rules: ExactRules, topics: Collection[str]) -> Iterator[NewAcl | str]:
    if not _is_selected(acl, rules, topics):
        return
    copies = _copies(acl, rules)
    yield from copies
    if acl.resource == TOPIC and not copies:
        yield NO_WRITE


def _is_selected(acl: AclBinding, rules: ExactRules, topics: Iterable[str]) -> bool:
    is_name = acl.pattern == "LITERAL" and not acl.is_wildcard
    if acl.resource == TOPIC:
        if is_name:
            return rules.selection.selects(acl.name)
        begin = "" if acl.is_wildcard else acl.name
        return any(each.startswith(begin) and rules.selection.selects(each) for each in topics)
    if acl.resource == _GROUP:
        return not is_name or rules.allows_group(acl.name)
    return acl.resource == _TRANSACTIONAL_ID


def _copies(acl: AclBinding, rules: ExactRules) -> tuple[NewAcl, ...]:
    """Return what an ACL is on the target, whether or not its resource is selected."""
    if acl.resource not in {TOPIC, _GROUP, _TRANSACTIONAL_ID}:
        return ()
    copy = replace(acl, principal=rules.principals.get(acl.principal, acl.principal))
    reason = f"as on {acl.target}" + (
        "" if copy.principal == acl.principal else f", where it is {acl.principal}"
    )
    if acl.resource != TOPIC:
        return (NewAcl(binding=copy, reason=reason),)
    copy = _named(copy, rules.selection)
    if acl.permission != ALLOW or rules.allows_write or acl.operation not in {ALL, WRITE}:
        return (NewAcl(binding=copy, reason=reason),)
    if acl.operation == WRITE:
        return ()
    return tuple(
        NewAcl(binding=replace(copy, operation=each), reason=f"All {reason[3:]}, and {NO_WRITE}")
        for each in _ALL_BUT_WRITE
    )


def _named(acl: AclBinding, selection: TopicSelection) -> AclBinding:
    """Return an ACL of topics with the copies' name."""
    if acl.pattern == "LITERAL" and not acl.is_wildcard:
        return replace(acl, name=selection.remote_topic(acl.name))
    if not selection.policy.names_carry_source:
        return acl
    begin = "" if acl.is_wildcard else acl.name
    return replace(acl, pattern="PREFIXED", name=selection.first_copy(begin))


def _stays(acl: AclBinding, rules: ExactRules) -> Iterator[AclBinding]:
    """Yield what an ACL is on the target, also for earlier generations of a copy."""
    for new in _copies(acl, rules):
        yield new.binding
        if acl.resource == TOPIC and acl.pattern == "LITERAL" and not acl.is_wildcard:
            first = rules.selection.first_copy(acl.name)
            for number in range(1, rules.selection.generation(acl.name)):
                yield replace(new.binding, name=generation_name(first, number))
