"""Alias topics: `A.kmirror.alias.NAME = regexes` keeps a topic of A that merges others of A."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from kmirror.config.acls import NO_ACLS
from kmirror.config.canary import CanaryConfig
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.flows import FlowConfig
from kmirror.config.keys.flow_key import flow_regexes
from kmirror.config.keys.key import ValueProblem
from kmirror.config.keys.kmirror import ALIAS_PREFIX
from kmirror.config.resolve import stripped
from kmirror.config.transforms import NO_TRANSFORMS
from kmirror.model import Flow
from kmirror.policy.replication import AliasPolicy
from kmirror.wire.flow_names import offsets_topic

_KEY = flow_regexes(name=f"{ALIAS_PREFIX}NAME", doc="The topics that become parts of it.")
_NAME = re.compile(r"[a-zA-Z0-9._-]{1,200}")
_INTERNAL = re.compile(r"__.*|\..*|.*[.-]internal|heartbeats")

BuildFlow = Callable[[Entries, Flow, Findings], FlowConfig]


def alias_flows(
    file: Entries, clusters: Sequence[str], build: BuildFlow, findings: Findings
) -> tuple[FlowConfig, ...]:
    """
    Return a flow from a cluster to itself for each alias topic.

    Args:
        file: The file.
        clusters: The clusters whose alias topics are wanted.
        build: Builds the settings of a flow.
        findings: Receives what is wrong.
    """
    found: list[FlowConfig] = []
    for cluster in clusters:
        entries = alias_entries(file, cluster)
        names = tuple(entries)
        if not entries:
            continue
        base = build(file, Flow(cluster, cluster), findings)
        for name, entry in entries.items():
            found.append(_alias_flow(base, name, names, _regexes(entry, name, findings)))
    return tuple(found)


def alias_entries(file: Entries, cluster: str) -> Entries:
    """Return the alias topics of a cluster, by name."""
    return stripped(file, f"{cluster}.{ALIAS_PREFIX}")


def without_aliases(config: FlowConfig, file: Entries) -> FlowConfig:
    """Return a flow without the alias topics of its source: their parts are copied themselves."""
    names = alias_entries(file, config.flow.source)
    return replace(config, topics_exclude=(*config.topics_exclude, *map(_exactly, names)))


def _exactly(name: str) -> str:
    """Return the regular expression of a legal topic name."""
    return name.replace(".", r"\.")


def _regexes(entry: Entry, name: str, findings: Findings) -> tuple[str, ...]:
    if not _NAME.fullmatch(name) or _INTERNAL.fullmatch(name):
        findings.wrong(
            entry, f"expected {ALIAS_PREFIX}NAME with the name of a topic of its own, not {name}"
        )
    try:
        value = _KEY.parse(entry.text)
    except ValueProblem as problem:
        findings.wrong(entry, str(problem))
        return ()
    assert isinstance(value, tuple), "a list of regexes"
    return value


def _alias_flow(
    base: FlowConfig, name: str, names: Sequence[str], topics: tuple[str, ...]
) -> FlowConfig:
    cluster = base.flow.source
    nobody = replace(
        base.consumers,
        emit_checkpoints_interval_s=None,
        sync_group_offsets_interval_s=None,
        emit_offset_syncs=False,
    )
    return replace(
        base,
        flow=Flow(cluster, f"{cluster}.{name}"),
        topics=topics,
        # An alias topic has no alias topics in it.
        topics_exclude=(*base.topics_exclude, *map(_exactly, names)),
        policy=AliasPolicy(name=name),
        # It has the settings of none of its parts.
        sync_topic_configs_interval_s=None,
        acls=NO_ACLS,
        heartbeats_replication_enabled=False,
        offset_storage_topic=offsets_topic(f"{cluster}.{name}"),
        consumers=nobody,
        where=None,
        select=(),
        transforms=NO_TRANSFORMS,
        provenance=None,
        canary=CanaryConfig(),
    )
