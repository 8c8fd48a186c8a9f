"""Connectors as an operator asks for them: as one file, and what each setting comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kmirror.config.clusters import ClusterConfig
from kmirror.config.connector import Kind, only_reader, where
from kmirror.config.connector_lines import GROUP_SWITCHES
from kmirror.config.connectors import ConnectorFlow, ConnectorFlows
from kmirror.config.effective import (
    Client,
    EffectiveSetting,
    Rank,
    client_settings,
    flow_settings,
    setting_of,
)
from kmirror.config.entry import Entries, Entry
from kmirror.config.keys.connect import CONNECT_SECTIONS
from kmirror.config.keys.key import Key, split_list
from kmirror.config.keys.kmirror import CONSOLE_KEYS, METRICS_KEYS
from kmirror.config.keys.otlp import OTLP_KEYS
from kmirror.config.keys.server import SERVER_KEYS
from kmirror.config.load import MirrorConfig
from kmirror.config.worker import WorkerConfig
from kmirror.errors import Problem

_WORKERS_SECTIONS: tuple[tuple[str, tuple[Key, ...]], ...] = (
    *CONNECT_SECTIONS,
    ("Connect's REST API", SERVER_KEYS),
    ("What the worker serves besides", METRICS_KEYS + OTLP_KEYS + CONSOLE_KEYS),
)
_OTHER_LINES = "Other lines of the worker's file: for clients, and for flows"
_BEATS_SWITCH = "emit.heartbeats.enabled"
# Each connector has its own of these.
_OWN = frozenset({"name", "connector.class", "enabled", "tasks.max", "clusters"})


def config_of_connectors(built: ConnectorFlows, worker: WorkerConfig) -> MirrorConfig:
    """
    Return what the connectors of a worker come to, as if one driver's file said all of it.

    What lines say is not in it: `connector_settings` tells that of each flow.

    Args:
        built: Their flows.
        worker: The worker's file.
    """
    clusters: dict[str, ClusterConfig] = {}
    for each in built.flows:
        for cluster in each.clusters:
            clusters.setdefault(cluster.alias, cluster)
    return MirrorConfig(
        path=worker.path,
        clusters=tuple(clusters.values()),
        flows=tuple(each.config for each in built.flows if each.config is not None),
        heartbeats=tuple(each.heartbeats for each in built.flows if each.heartbeats is not None),
        warnings=(*worker.warnings, *_said_of(built.warnings), *_two_clusters(built, clusters)),
        inactive_keys=worker.inactive_keys,
        spark=worker.spark,
        files=(worker.path,),
        metrics=worker.metrics,
        console=worker.console,
    )


def refused_settings(built: ConnectorFlows) -> tuple[Problem, ...]:
    """Return what is wrong with connectors that do nothing because of it."""
    return tuple(_said_of(built.refused))


def connector_settings(
    config: MirrorConfig, flow: ConnectorFlow, clients: Iterable[Client]
) -> tuple[EffectiveSetting, ...]:
    """
    Return what is in effect for a flow of connectors, with the connector that says it.

    Args:
        config: All connectors, by `config_of_connectors`.
        flow: The flow; it has a source connector.
        clients: Its clients.
    """
    assert flow.config is not None, "a source connector makes the flow"
    as_file = replace(config, entries=_lines(flow))
    found = [_of_connectors(each, flow) for each in flow_settings(as_file, flow.config)]
    for client in clients:
        found += [_ranked(each, flow) for each in client_settings(as_file, client)]
    return tuple(found)


def worker_settings(worker: WorkerConfig) -> tuple[EffectiveSetting, ...]:
    """
    Return what is in effect for a worker, whatever its connectors.

    Args:
        worker: Its file.
    """
    lines = worker.entries()
    return tuple(
        each if each.entry is None else replace(each, rank=Rank.WORKER)
        for each in _of_worker(lines)
    )


def changed_lines(before: WorkerConfig, after: WorkerConfig) -> tuple[str, ...]:
    """
    Return the names of a worker's file that say another thing than before, or came, or went.

    Args:
        before, after: The file as it was, and as it is.
    """
    old, new = ({entry.key: entry.text.strip() for entry in each.lines} for each in (before, after))
    return tuple(name for name in {**old, **new} if old.get(name) != new.get(name))


def _lines(flow: ConnectorFlow) -> Entries:
    """Return the lines that say what a flow is, and its heartbeats."""
    beats = {
        f"{flow.flow}.{name}": entry
        for each in flow.said
        if each.kind is Kind.HEARTBEAT and each.flow is not None
        for name, entry in each.entries.items()
        if only_reader(name) is Kind.HEARTBEAT
    }
    return {**flow.lines, **beats}


def _of_connectors(found: EffectiveSetting, flow: ConnectorFlow) -> EffectiveSetting:
    """Return a setting of a flow with all that its connectors say of it."""
    if missing := _missing(found.name, flow):
        found = replace(
            found, value="false", entry=None, rank=Rank.KMIRROR, why=f"there is no {missing}"
        )
    return _ranked(replace(found, lost=(*found.lost, *_other_lines(found, flow))), flow)


def _missing(name: str, flow: ConnectorFlow) -> str:
    """Name the connector that a switch would need, and that the flow has not; empty for none."""
    kinds = {each.kind for each in flow.said}
    if any(each.flow is None for each in flow.said):
        return ""  # a driver's whole file is all three
    if name in GROUP_SWITCHES and Kind.CHECKPOINT not in kinds:
        return f"{Kind.CHECKPOINT} of these aliases"
    if name == _BEATS_SWITCH and Kind.HEARTBEAT not in kinds:
        return f"{Kind.HEARTBEAT} of these aliases"
    return ""


def _other_lines(found: EffectiveSetting, flow: ConnectorFlow) -> Iterator[Entry]:
    """Yield lines of the flow's connectors that say something else, and do not count."""
    if found.name in _OWN:
        return
    text = None if found.entry is None else found.entry.text.strip()
    for each in flow.said:
        entry = each.entries.get(found.name)
        if entry is not None and entry.text.strip() != text and entry not in found.lost:
            yield entry


def _ranked(found: EffectiveSetting, flow: ConnectorFlow) -> EffectiveSetting:
    if found.entry is None:
        return found
    connectors = {where(each.name) for each in flow.said}
    is_theirs = found.entry.where in connectors
    return replace(found, rank=Rank.CONNECTOR if is_theirs else Rank.WORKER)


def _of_worker(lines: Entries) -> Iterator[EffectiveSetting]:
    known = set()
    for title, keys in _WORKERS_SECTIONS:
        for key in keys:
            entry = lines.get(key.name)
            known.add(key.name)
            # What does nothing is shown where the file has it.
            if entry is not None or key.active:
                yield replace(setting_of(key.name, entry, (), key), section=title)
    for name, entry in lines.items():
        if name not in known:
            yield replace(setting_of(name, entry, (), None), section=_OTHER_LINES)


def _said_of(problems: Mapping[str, tuple[Problem, ...]]) -> Iterator[Problem]:
    for each in problems.values():
        yield from each


def _two_clusters(
    built: ConnectorFlows, clusters: Mapping[str, ClusterConfig]
) -> Iterator[Problem]:
    """Yield connectors that call another cluster by an alias that is taken."""
    for flow in built.flows:
        for end, cluster in zip(("source", "target"), flow.clusters, strict=True):
            other = clusters[cluster.alias]
            ours, theirs = (set(split_list(each.bootstrap_servers)) for each in (cluster, other))
            if not ours & theirs:
                yield Problem(
                    where=where(flow.connectors[0]),
                    key=f"{end}.cluster.bootstrap.servers",
                    value=cluster.bootstrap_servers,
                    expected=f"another connector calls {other.bootstrap_servers} {other.alias}, "
                    "too, and the console's page of clusters shows that one: give each cluster an "
                    "alias of its own",
                )
