"""What becomes of copies, where their names or their records do not say whose they are."""

from __future__ import annotations

from kmirror.config.deletion import read_deletion
from kmirror.config.entry import Findings
from kmirror.config.keys.mirror import IDENTITY_POLICY
from kmirror.config.settings import Settings
from kmirror.config.transforms import Transforms
from kmirror.model import Flow
from kmirror.policy.deletion import Deletion, DeletionVerb
from kmirror.policy.per_topic import PerTopic
from kmirror.policy.provenance import ProvenanceRules
from kmirror.policy.replication import (
    DefaultReplicationPolicy,
    IdentityReplicationPolicy,
    ReplicationPolicy,
)
from kmirror.policy.routed import RoutedPolicy

PROVENANCE, HOPS_MAX = "kmirror.provenance", "kmirror.provenance.hops.max"


def read_policy(settings: Settings, flow: Flow) -> ReplicationPolicy:
    """
    Return how copies are named, before transforms.

    Args:
        settings: The flow's.
        flow: The flow.
    """
    separator = settings.text("replication.policy.separator")
    same = settings.flag("replication.policy.internal.topic.separator.enabled")
    internal = separator if same else "."
    name = settings.text("replication.policy.class")
    if name.rpartition(".")[2] == IDENTITY_POLICY.rpartition(".")[2]:
        return IdentityReplicationPolicy(
            separator=separator, internal_separator=internal, source_alias=flow.source
        )
    return DefaultReplicationPolicy(separator=separator, internal_separator=internal)


def read_topic_deletion(
    settings: Settings, policy: ReplicationPolicy, transforms: Transforms, findings: Findings
) -> PerTopic[Deletion]:
    """
    Return what becomes of copies; where names do not say whose they are, none is deleted.

    Args:
        settings: The flow's.
        policy: How copies are named.
        transforms: What transforms do to these names.
        findings: Receives what is wrong.
    """
    found = settings.per_topic("kmirror.topic.deletion", Deletion(), read_deletion)
    verbs = {each.verb for each in found.values}
    entry = settings.entry("kmirror.topic.deletion")
    if entry is None:
        return found
    if transforms.routes and verbs != {DeletionVerb.IGNORE}:
        findings.wrong(
            entry,
            "expected ignore with transforms that rename copies: a topic's name does not say whose "
            "copy it is",
        )
    elif DeletionVerb.DELETE_AFTER in verbs and not policy.names_carry_source:
        findings.wrong(
            entry,
            "expected ignore or quarantine with IdentityReplicationPolicy: a topic's name does "
            "not say that it is a copy, so kmirror deletes none",
        )
    return found


def read_provenance_rules(
    settings: Settings, policy: ReplicationPolicy, findings: Findings
) -> ProvenanceRules | None:
    """
    Return what is written into copies about where they come from; `None` for nothing.

    Args:
        settings: The flow's.
        policy: How copies are named, transforms included.
        findings: Receives what is wrong or doubtful.
    """
    limit = settings.entry(HOPS_MAX)
    if not settings.flag(PROVENANCE):
        if limit is not None:
            findings.doubt(limit, f"has no effect without {PROVENANCE} = true")
        return None
    start = settings.entry("kmirror.sync.log.start")
    if start is not None and settings.flag("kmirror.sync.log.start") and shares_topics(policy):
        findings.wrong(
            start,
            f"expected false with {PROVENANCE} and copies that have the names of the originals: "
            "others write to these topics, too, and their records would be deleted",
        )
    return ProvenanceRules(hops_max=settings.number_or_none(HOPS_MAX))


def shares_topics(policy: ReplicationPolicy) -> bool:
    """Return whether others may write to a flow's copies: their names do not say whose they are."""
    return isinstance(policy, IdentityReplicationPolicy | RoutedPolicy)
