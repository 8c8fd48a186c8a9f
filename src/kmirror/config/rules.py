"""Rules that join several keys: which flows run, and what would go wrong with them together."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from kmirror.config.clusters import ClusterConfig
from kmirror.config.consumers import HeartbeatConfig, heartbeat_of
from kmirror.config.copies import PROVENANCE, shares_topics
from kmirror.config.entry import Entries, Findings
from kmirror.config.flows import FlowConfig
from kmirror.config.keys.kmirror import ALIAS_PREFIX, SPARK_PREFIX
from kmirror.config.place import ARROW, place_of
from kmirror.config.resolve import connector_properties, stripped
from kmirror.config.secret import Secret
from kmirror.config.settings import Settings
from kmirror.model import Flow
from kmirror.policy.filters import NameFilter
from kmirror.wire.flow_names import position_group

_LITERAL = re.compile(r"[A-Za-z0-9._-]+")


def enabled_flows(file: Entries, aliases: Sequence[str], findings: Findings) -> tuple[Flow, ...]:
    """
    Return the flows that run, in the order of `clusters` (`MirrorMakerConfig.clusterPairs`).

    A pair exists in MM2 when it is enabled or writes heartbeats, which it does by default;
    `enabled=true` at top level therefore enables every pair that writes heartbeats.
    """
    on, off = [], set()
    for flow in _pairs(aliases):
        own = Settings(_only(file, flow, "enabled"), findings)
        either = _only(file, flow, "enabled", "emit.heartbeats.enabled", top=True)
        resolved = Settings(either, findings)
        exists = own.flag("enabled") or resolved.flag("emit.heartbeats.enabled")
        if exists and resolved.flag("enabled"):
            on.append(flow)
        elif "enabled" not in either:
            off.add(flow)
    _doubt_forgotten(file, aliases, off, findings)
    return tuple(on)


def require_flows(
    file: Entries, aliases: Sequence[str], flows: Sequence[Flow], findings: Findings
) -> None:
    """Refuse a file without flows, unless it is already known what is wrong with its switches."""
    wrong = {problem.key for problem in findings.problems}
    unclear = any(key == "enabled" or (key.endswith(".enabled") and ARROW in key) for key in wrong)
    if not aliases or flows or unclear:
        return
    first = ARROW.join(aliases[:2]) if len(aliases) > 1 else f"A{ARROW}B"
    # MM2's own words, which people search for.
    expected = f"No source->target replication flows. Switch one on: {first}.enabled = true"
    findings.missing(f"{first}.enabled", expected, file.get("clusters"))


def heartbeats(
    file: Entries, aliases: Sequence[str], findings: Findings
) -> tuple[HeartbeatConfig, ...]:
    """
    Return the heartbeats to write, also between clusters without a flow.

    A flow out of the target copies them on, and that is how clusters find each other.
    """
    work = "emit.heartbeats"
    names = (f"{work}.enabled", f"{work}.interval.seconds", "heartbeats.topic.replication.factor")
    found = []
    for flow in _pairs(aliases):
        settings = Settings(_only(file, flow, *names, top=True), findings)
        pair = heartbeat_of(flow, settings)
        if pair is not None:
            found.append(pair)
    return tuple(found)


def _pairs(aliases: Sequence[str]) -> Iterator[Flow]:
    return (Flow(source, target) for source in aliases for target in aliases if source != target)


def _only(file: Entries, flow: Flow, *names: str, top: bool = False) -> Entries:
    """Just *names* of `connector_properties`, which is too slow for every pair of many clusters."""
    found = {name: file[name] for name in names if top and name in file}
    return found | {name: file[f"{flow}.{name}"] for name in names if f"{flow}.{name}" in file}


def _doubt_forgotten(
    file: Entries, aliases: Sequence[str], off: set[Flow], findings: Findings
) -> None:
    """Warn about a flow that has settings but is not enabled: a line may be missing."""
    for entry in file.values():
        flow = place_of(entry.key, aliases).flow
        if flow in off and not entry.key.startswith(f"{flow}.emit.heartbeats."):
            off.remove(flow)
            findings.doubt(entry, f"has no effect: the flow is off until {flow}.enabled = true")


def check_flow(file: Entries, flow: Flow, findings: Findings) -> None:
    """Check what MM2's own validation refuses, and what kmirror cannot do."""
    connector = connector_properties(file, flow)
    settings = Settings(connector, findings)
    for name, alias in (
        ("source.cluster.alias", flow.source),
        ("target.cluster.alias", flow.target),
    ):
        if name in connector and connector[name].text.strip() != alias:
            findings.wrong(
                connector[name], f"expected {alias}: topics are named by the flow's alias"
            )
    emit = connector.get("emit.offset-syncs.enabled")
    if emit is not None and not settings.flag("emit.offset-syncs.enabled"):
        for name, entry in connector.items():
            if name.startswith(("offset-syncs-", "offset-syncs.topic.")):
                findings.wrong(entry, f"conflicts with {emit.key} = false: remove one of them")
        if settings.flag("emit.checkpoints.enabled"):
            findings.doubt(emit, "without offset syncs there are no checkpoints either")
    _doubt_separator(file, flow, settings, findings)
    _doubt_old_names(connector, findings)


def _doubt_separator(file: Entries, flow: Flow, settings: Settings, findings: Findings) -> None:
    separator = settings.text("replication.policy.separator")
    identity = settings.text("replication.policy.class").endswith("IdentityReplicationPolicy")
    for alias in (flow.source, flow.target):
        if separator in alias and not identity:
            findings.doubt(
                file["clusters"],
                f"{alias} contains the separator {separator}: it is unclear where the alias ends "
                f"in {alias}{separator}topic, so loops are not detected",
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
            findings.doubt(entry, f"has no effect: {connector[new].key} is set, too")


def check_loops(flows: Sequence[FlowConfig], file: Entries, findings: Findings) -> None:
    """With Identity names a circle of flows copies the same records for ever: refuse it."""
    for last, expected in circles(flows):
        entry = file.get(f"{last}.enabled") or file.get("enabled")
        if entry is None:
            findings.missing(f"{last}.enabled", expected)
        else:
            findings.wrong(entry, expected)


def circles(flows: Sequence[FlowConfig]) -> Iterator[tuple[Flow, str]]:
    """Yield the last flow of each circle in which records would go round, and what to do."""
    # Names of copies that transforms make do not tell where they came from either.
    identity = {config.flow: config for config in flows if shares_topics(config.policy)}
    # Where all copies say where they have been, nothing comes back.
    silent = {flow for flow, config in identity.items() if config.provenance is None}
    for flow in silent:
        circle = _circle(flow, identity)
        # Each circle is found from every such flow in it; told once, from its first.
        if circle and flow == min(silent.intersection(circle)):
            told = ", ".join(map(str, circle))
            yield (
                circle[-1],
                f"{told} with IdentityReplicationPolicy or renaming transforms would copy the same "
                "records round and round: name different topics in each, use "
                f"DefaultReplicationPolicy, or set {PROVENANCE} = true for all of them",
            )


def doubt_settings(flows: Sequence[FlowConfig], file: Entries, findings: Findings) -> None:
    """Two flows that keep one topic's settings equal both ways change them for ever."""
    syncing = {
        config.flow: config
        for config in flows
        if config.shares_copies and config.sync_topic_configs_interval_s is not None
    }
    for flow, config in syncing.items():
        back = syncing.get(Flow(flow.target, flow.source))
        if back is not None and flow < back.flow and _share_a_topic([config, back]):
            findings.doubt(
                file["clusters"],
                f"{flow} and {back.flow} give each other's topics their settings: where these "
                f"differ they change for ever; set {back.flow}.sync.topic.configs.enabled = false",
            )


def _circle(start: Flow, flows: Mapping[Flow, FlowConfig]) -> tuple[Flow, ...]:
    """Return the flows by which a topic of *start* comes back to its source; empty if none does."""
    # Shortest first: where many flows form many circles, one of two is found at once.
    pending = deque[tuple[Flow, ...]]([(start,)])
    while pending:
        path = pending.popleft()
        if path[-1].target == start.source:
            return path
        passed = {flow.source for flow in path[1:]}
        for flow in flows:
            onwards = flow.source == path[-1].target and flow.target not in passed
            if onwards and _share_a_topic([flows[step] for step in (*path, flow)]):
                pending.append((*path, flow))
    return ()


def _share_a_topic(configs: Sequence[FlowConfig]) -> bool:
    """Whether one topic may pass all *configs*; surely not only where topics are listed by name."""
    listed = [config.topics for config in configs if all(map(_LITERAL.fullmatch, config.topics))]
    filters = [NameFilter(config.topics, config.topics_exclude) for config in configs]
    candidates = {name for topics in listed for name in topics}
    return not listed or any(all(f.allows(name) for f in filters) for name in candidates)


def check_names(
    flows: Sequence[Flow], clusters: Sequence[ClusterConfig], file: Entries, findings: Findings
) -> None:
    """
    Two flows of the same names on one cluster would fence each other for ever: refuse them.

    Only aliases with a server in common are known to be one cluster here; `admin.ownership` sees
    the others.
    """
    servers = {each.alias: set(each.bootstrap_servers.split(",")) for each in clusters}
    # The flow of an alias topic ends where it begins.
    ends = {flow: servers.get(flow.target) or servers[flow.source] for flow in flows}
    named: dict[str, list[Flow]] = {}
    for flow in flows:
        named.setdefault(position_group(flow), []).append(flow)
    for group, found in named.items():
        for one, other in combinations(found, 2):
            if one == other:
                name = one.target.removeprefix(f"{one.source}.")
                findings.wrong(
                    file[f"{one.source}.{ALIAS_PREFIX}{name}"],
                    f"expected another name than {name}: there is a flow to a cluster {one.target}",
                )
            elif ends[one] & ends[other]:
                findings.wrong(
                    file["clusters"],
                    f"{one} and {other} would both have the group {group} on one cluster: rename "
                    "an alias",
                )


def spark_settings(file: Entries, findings: Findings) -> tuple[tuple[str, Secret], ...]:
    """
    `kmirror.spark.x` as Spark's `spark.x`; what would break the copy is a problem.

    Which of them are passwords only Spark knows, and whatever it loads.
    """
    found = []
    for name, entry in stripped(file, SPARK_PREFIX).items():
        text = entry.text.strip()
        if name == "speculation" and text.lower() != "false":
            findings.wrong(entry, "expected false: two tasks for one slot would fence each other")
        if name == "master":
            findings.doubt(entry, "has no effect: use `kmirror run --master`")
        found.append((f"spark.{name}", Secret(text)))
    return tuple(found)


def wanted_targets(
    aliases: Sequence[str], clusters: Sequence[str], findings: Findings
) -> tuple[str, ...]:
    """Return the targets from the command line, by default all; unknown ones are problems."""
    for alias in clusters:
        if alias not in aliases:
            findings.missing(f"--clusters {alias}", f"expected one of {', '.join(aliases)}")
    return tuple(clusters) or tuple(aliases)
