"""Rules that join several keys: which flows run, and what would go wrong with them together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kmirror.config.entry import Entries, Findings
from kmirror.config.flows import FlowConfig
from kmirror.config.key import Value, split_list
from kmirror.config.kmirror_keys import SPARK_PREFIX
from kmirror.config.resolve import connector_properties, stripped
from kmirror.config.settings import Settings
from kmirror.model import Flow
from kmirror.policy.filters import TopicFilter
from kmirror.policy.replication import IdentityReplicationPolicy

_LITERAL = re.compile(r"[A-Za-z0-9._-]+")


def enabled_flows(file: Entries, aliases: Sequence[str], findings: Findings) -> tuple[Flow, ...]:
    """
    The flows that run, in the order of `clusters` (`MirrorMakerConfig.clusterPairs`).

    A pair exists in MM2 when it is enabled or writes heartbeats, which it does by default;
    `enabled=true` at top level therefore enables every pair that writes heartbeats.
    """
    found = []
    for flow in _pairs(aliases):
        own = Settings(stripped(file, f"{flow}."), findings)
        resolved = Settings(connector_properties(file, flow), findings)
        exists = own.flag("enabled") or resolved.flag("emit.heartbeats.enabled")
        if exists and resolved.flag("enabled"):
            found.append(flow)
        elif not resolved.has("enabled"):
            _doubt_forgotten(file, flow, findings)
    return tuple(found)


def _pairs(aliases: Sequence[str]) -> Iterator[Flow]:
    return (Flow(source, target) for source in aliases for target in aliases if source != target)


def _doubt_forgotten(file: Entries, flow: Flow, findings: Findings) -> None:
    """A flow with settings of its own that nobody switched on is often one forgotten line."""
    for entry in stripped(file, f"{flow}.").values():
        if not entry.key.startswith(f"{flow}.emit.heartbeats."):
            findings.doubt(entry, f"has no effect: the flow is off until {flow}.enabled = true")
            return


def check_flow(file: Entries, flow: Flow, findings: Findings) -> None:
    """What MM2's own validation refuses, and what cannot be done here."""
    connector = connector_properties(file, flow)
    settings = Settings(connector, findings)
    for name, instead in (("transforms", "kmirror.select.*"), ("predicates", "kmirror.where")):
        if settings.texts(name):
            findings.wrong(
                connector[name],
                f"Java transforms cannot run here, and copying without them would copy something else: "
                f"see {instead}",
            )
    emit = connector.get("emit.offset-syncs.enabled")
    if emit is not None and not settings.flag("emit.offset-syncs.enabled"):
        for name, entry in connector.items():
            if name.startswith(("offset-syncs-", "offset-syncs.topic.")):
                findings.wrong(entry, f"conflicts with {emit.key} = false: remove one of them")
    _doubt_separator(flow, settings, connector, findings)
    _doubt_old_names(connector, findings)


def _doubt_separator(
    flow: Flow, settings: Settings, connector: Entries, findings: Findings
) -> None:
    separator = settings.text("replication.policy.separator")
    identity = settings.text("replication.policy.class").endswith("IdentityReplicationPolicy")
    clusters = connector.get("clusters")
    for alias in (flow.source, flow.target):
        if separator in alias and not identity and clusters is not None:
            findings.doubt(
                clusters,
                f"{alias} contains the separator {separator}: nobody can tell where the alias ends in "
                f"{alias}{separator}topic, so loops are not recognised",
            )


def _doubt_old_names(connector: Entries, findings: Findings) -> None:
    for old in ("topics.blacklist", "groups.blacklist", "config.properties.blacklist"):
        entry = connector.get(old)
        new = old.replace("blacklist", "exclude")
        if entry is None:
            continue
        if connector[new] is entry:
            findings.doubt(entry, f"read as {new}: the old name was removed in Kafka 4.0")
        else:
            findings.doubt(entry, f"has no effect: {connector[new].key} is given too")


def check_loops(flows: Sequence[FlowConfig], file: Entries, findings: Findings) -> None:
    """With Identity names a circle of flows copies the same records for ever: refuse it."""
    identity = {
        config.flow: config
        for config in flows
        if isinstance(config.policy, IdentityReplicationPolicy)
    }
    for flow in identity:
        circle = _circle(flow, identity)
        # Each circle is found from every flow in it; told once, from its first.
        if circle and flow == min(circle):
            _report_circle(circle, file, findings)


def _circle(start: Flow, flows: Mapping[Flow, FlowConfig]) -> tuple[Flow, ...]:
    """The flows by which a topic of *start* comes back to its source; empty when none does."""
    first = flows[start]
    pending = [((start,), _literals(first), (_filter(first),))]
    while pending:
        path, names, filters = pending.pop()
        if path[-1].target == start.source:
            return path
        seen = {flow.source for flow in path}
        for flow, config in flows.items():
            if flow.source != path[-1].target or flow.target in seen - {start.source}:
                continue
            step = _filter(config)
            common = _literals(config) if names is None else frozenset(filter(step.allows, names))
            if common is not None and names is None:
                common = frozenset(n for n in common if all(f.allows(n) for f in filters))
            if common is None or common:
                pending.append(((*path, flow), common, (*filters, step)))
    return ()


def _filter(config: FlowConfig) -> TopicFilter:
    return TopicFilter(config.topics, config.topics_exclude)


def _literals(config: FlowConfig) -> frozenset[str] | None:
    """The topics by name, None when some are not literal names."""
    if not all(_LITERAL.fullmatch(name) for name in config.topics):
        return None
    return frozenset(filter(_filter(config).allows, config.topics))


def _report_circle(circle: tuple[Flow, ...], file: Entries, findings: Findings) -> None:
    told = ", ".join(map(str, circle))
    entry = file.get(f"{circle[-1]}.enabled") or file.get("enabled")
    expected = (
        f"{told} with IdentityReplicationPolicy would copy the same records round and round: "
        "name different topics in each, or use DefaultReplicationPolicy"
    )
    if entry is None:
        findings.missing(f"{circle[-1]}.enabled", expected)
    else:
        findings.wrong(entry, expected)


def spark_settings(file: Entries, findings: Findings) -> tuple[tuple[str, str], ...]:
    """`kmirror.spark.x` as Spark's `spark.x`; what would break the copy is a problem."""
    found = []
    for name, entry in stripped(file, SPARK_PREFIX).items():
        text = entry.text.strip()
        if name == "speculation" and text.lower() != "false":
            findings.wrong(entry, "expected false: two tasks for one slot would fence each other")
        found.append((f"spark.{name}", text))
    return tuple(found)


def wanted_targets(
    file: Entries, aliases: Sequence[str], clusters: Sequence[str], findings: Findings
) -> tuple[str, ...]:
    """The targets given on the command line, all of them when none is; strangers are problems."""
    for alias in clusters:
        if alias not in aliases:
            known: Value = split_list(file["clusters"].text) if "clusters" in file else ()
            findings.missing(
                f"--clusters {alias}", f"expected aliases that are in `clusters`: {known}"
            )
    return tuple(clusters) or tuple(aliases)
