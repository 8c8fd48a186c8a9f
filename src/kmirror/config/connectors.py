"""
From the connectors of a Connect cluster to flows.

MirrorMaker 2 copies with three connectors: one for records, one for consumer groups, one for
heartbeats. Those with the same aliases are one flow here. The flow is built as from the driver's
file, by lines that say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kmirror.config.clusters import ClusterConfig, check_source
from kmirror.config.connector import Connector, Kind, read_connector, where
from kmirror.config.connector_lines import (
    doubt_others,
    doubt_writer,
    flow_lines,
    in_their_words,
    misfit,
    survey,
    workers_places,
)
from kmirror.config.consumers import HeartbeatConfig, heartbeat_of
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.flows import FlowConfig, build_flow
from kmirror.config.guards import guarded_admin
from kmirror.config.keys.key import split_list
from kmirror.config.resolve import end_client
from kmirror.config.rules import check_flow, circles
from kmirror.config.settings import Settings
from kmirror.config.whole_file import flow_lines_of, read_whole_file
from kmirror.config.worker import WorkerConfig
from kmirror.errors import Problem
from kmirror.model import Flow
from kmirror.wire.flow_names import position_group


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFlow:
    """
    What the connectors of one pair of clusters do.

    Args:
        flow: From where to where, by aliases.
        source, checkpoint, heartbeat: The connectors that say it; one that is a driver's whole
            file is all three.
        config: How records and groups go over; `None` without a source connector: a checkpoint
            connector waits for one.
        heartbeats: The heartbeat to write; `None` without a heartbeat connector.
        clusters: The source's and the target's.
        lines: The lines of the driver's file that say what `config` is; no part of what is equal.
        said: The connectors as they were read; the same.
    """

    flow: Flow
    source: str | None
    checkpoint: str | None
    heartbeat: str | None
    config: FlowConfig | None
    heartbeats: HeartbeatConfig | None
    clusters: tuple[ClusterConfig, ClusterConfig]
    lines: Entries = field(default_factory=dict, repr=False, compare=False)
    said: tuple[Connector, ...] = field(default=(), repr=False, compare=False)

    @property
    def connectors(self) -> tuple[str, ...]:
        """The connectors, each once."""
        names = (self.source, self.checkpoint, self.heartbeat)
        return tuple(dict.fromkeys(name for name in names if name is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFlows:
    """
    What the connectors of a worker come to.

    Args:
        flows: By aliases.
        idle: Connectors that do nothing, since they say `enabled = false`.
        refused: What is wrong with the others that do nothing, by connector.
        warnings: What is doubtful, by connector.
    """

    flows: tuple[ConnectorFlow, ...]
    idle: tuple[str, ...]
    refused: Mapping[str, tuple[Problem, ...]]
    warnings: Mapping[str, tuple[Problem, ...]]

    def of(self, connector: str) -> tuple[ConnectorFlow, ...]:
        """Return the flows that a connector is part of."""
        return tuple(each for each in self.flows if connector in each.connectors)


def build_flows(
    connectors: Mapping[str, Mapping[str, str]], worker: WorkerConfig
) -> ConnectorFlows:
    """
    Make flows of connectors.

    Where two exclude each other, the first by name is taken: all workers have to agree.

    Args:
        connectors: Settings as they were posted, by name; leave out what is paused or stopped.
        worker: The worker's file.
    """
    return _Builder(worker).build(connectors, sorted(connectors))


def refusal(
    connectors: Mapping[str, Mapping[str, str]],
    name: str,
    config: Mapping[str, str],
    worker: WorkerConfig,
) -> tuple[Problem, ...]:
    """
    Say why a connector cannot be made, or be given these settings, beside those that are there.

    Args:
        connectors: Those that are there, whatever their state.
        name: The connector's name.
        config: Its settings.
        worker: The worker's file.
    """
    others = sorted(key for key in connectors if key != name)
    found = _Builder(worker).build({**connectors, name: config}, (*others, name))
    return found.refused.get(name, ())


class _Builder:
    """Builds flows once."""

    def __init__(self, worker: WorkerConfig) -> None:
        self._worker = worker
        self._refused: dict[str, dict[Problem, None]] = {}
        self._warnings: dict[str, dict[Problem, None]] = {}
        self._idle: list[str] = []
        self._parts: dict[Flow, dict[Kind, Connector]] = {}
        self._flows: dict[Flow, ConnectorFlow] = {}

    def build(
        self, connectors: Mapping[str, Mapping[str, str]], order: Sequence[str]
    ) -> ConnectorFlows:
        """Return what *connectors* come to; where two exclude each other, the first counts."""
        for name in order:
            findings = Findings(where(name))
            connector = read_connector(name, connectors[name], self._worker, findings)
            if not self._keep(name, findings):
                self._examine(connector)
                continue
            assert connector is not None, "something is wrong with what is none"
            if not connector.enabled:
                self._idle.append(name)
            elif connector.flow is None:
                self._whole_file(connector)
            else:
                self._take(connector, connector.flow)
        for flow, parts in self._parts.items():
            self._build_flow(flow, parts)
        self._check_together()
        return ConnectorFlows(
            flows=tuple(self._flows[flow] for flow in sorted(self._flows)),
            idle=tuple(self._idle),
            refused={name: tuple(problems) for name, problems in self._refused.items()},
            warnings={name: tuple(problems) for name, problems in self._warnings.items()},
        )

    def _keep(self, name: str, findings: Findings, flow: Flow | None = None) -> bool:
        """Keep what was found of a connector; tell whether it can be used."""
        for kept, found in (
            (self._refused, findings.problems),
            (self._warnings, findings.warnings),
        ):
            for problem in found:
                told = problem if flow is None else in_their_words(problem, flow)
                kept.setdefault(name, {})[told] = None
        return not findings.problems

    def _refuse(self, connector: Connector, entry: Entry, expected: str) -> None:
        self._refused.setdefault(connector.name, {})[entry.problem(expected)] = None

    def _examine(self, connector: Connector | None) -> None:
        """Find what else is wrong with a connector that is refused."""
        if connector is None or connector.flow is None:
            return
        if connector.kind is Kind.HEARTBEAT:
            self._heartbeats(connector.flow, connector)
        else:
            is_checkpoint = connector.kind is Kind.CHECKPOINT
            checkpoint = connector if is_checkpoint else None
            self._config(connector.flow, connector, connector, checkpoint)

    def _take(self, connector: Connector, flow: Flow) -> None:
        """Have a connector be part of its flow, unless another one has its place."""
        whole = self._flows.get(flow)
        other = self._parts.setdefault(flow, {}).setdefault(connector.kind, connector)
        taken_by = whole.connectors[0] if whole is not None else other.name
        if taken_by == connector.name:
            return
        if whole is not None:
            del self._parts[flow]
        self._refuse(
            connector,
            connector.entries["source.cluster.alias"],
            f"expected other aliases: {taken_by} is a {connector.kind} from {flow.source} to "
            f"{flow.target}, too, and kmirror keeps a flow's positions by its aliases",
        )

    def _whole_file(self, connector: Connector) -> None:
        findings = Findings(where(connector.name))
        whole = read_whole_file(connector, self._worker, findings)
        if not self._keep(connector.name, findings):
            return
        for flow in whole.pairs:
            taken = [each.name for each in self._parts.get(flow, {}).values()]
            taken += self._flows[flow].connectors if flow in self._flows else ()
            if taken:
                entry = connector.entries["clusters"]
                self._refuse(connector, entry, f"expected other aliases: {taken[0]} has {flow}")
                return
        configs = {config.flow: config for config in whole.flows}
        beats = {each.flow: each for each in whole.heartbeats}
        for flow in whole.pairs:
            self._flows[flow] = ConnectorFlow(
                flow=flow,
                source=connector.name if flow in configs else None,
                checkpoint=connector.name if flow in configs else None,
                heartbeat=connector.name if flow in beats else None,
                config=configs.get(flow),
                heartbeats=beats.get(flow),
                clusters=(whole.cluster(flow.source), whole.cluster(flow.target)),
                lines=flow_lines_of(connector, whole.cluster(flow.target), self._worker),
                said=(connector,),
            )

    def _build_flow(self, flow: Flow, parts: Mapping[Kind, Connector]) -> None:
        """Build one flow, without the connectors that cannot be used or do not fit together."""
        source = parts.get(Kind.SOURCE)
        config = None if source is None else self._config(flow, source, source, None)
        if config is None:
            source = None
        checkpoint = self._fitting(parts.get(Kind.CHECKPOINT), source)
        if checkpoint is not None:
            both = self._config(flow, checkpoint, source or checkpoint, checkpoint)
            if both is None:
                checkpoint = None
            elif source is not None:
                config = both
        heartbeat = self._fitting(parts.get(Kind.HEARTBEAT), source or checkpoint)
        beats = None if heartbeat is None else self._heartbeats(flow, heartbeat)
        first = source or checkpoint or (heartbeat if beats is not None else None)
        clusters = None if first is None else self._clusters(flow, first)
        if first is None or clusters is None:
            return
        self._flows[flow] = ConnectorFlow(
            flow=flow,
            source=_name(source),
            checkpoint=_name(checkpoint),
            heartbeat=_name(heartbeat) if beats is not None else None,
            config=config,
            heartbeats=beats,
            clusters=clusters,
            lines=_lines(flow, source, checkpoint, self._worker),
            said=tuple(each for each in (source, checkpoint, heartbeat) if each is not None),
        )

    def _fitting(self, connector: Connector | None, other: Connector | None) -> Connector | None:
        """Return a connector that may be in one flow with another one."""
        if connector is None or other is None:
            return connector
        found = misfit(other, connector)
        if found is None:
            return connector
        self._refuse(connector, *found)
        return None

    def _config(
        self, flow: Flow, told: Connector, source: Connector, checkpoint: Connector | None
    ) -> FlowConfig | None:
        """Return what a flow does; `None` if something is wrong with the connector that is told."""
        findings = Findings(where(told.name))
        lines = flow_lines(flow, source, checkpoint, self._worker)
        survey(flow, told, findings)
        check_source(lines, flow.source, findings)
        check_flow(lines, flow, findings)
        config = build_flow(lines, flow, findings)
        places = workers_places(source.servers("target"), self._worker)
        own = config.other_offsets_places
        # A connector's own topic takes the place of the one on the target.
        more = places[-1:] if own else places
        config = replace(config, other_offsets_places=(*own, *more))
        if told is source:
            doubt_writer(source, self._worker, findings)
        else:
            doubt_others(source, told, findings)
            findings = findings.of(where(told.name))
        return config if self._keep(told.name, findings, flow) else None

    def _heartbeats(self, flow: Flow, connector: Connector) -> HeartbeatConfig | None:
        """Return what to write; `None` for nothing, or if something is wrong."""
        findings = Findings(where(connector.name))
        survey(flow, connector, findings)
        found = heartbeat_of(flow, Settings(connector.entries, findings))
        if not self._keep(connector.name, findings, flow):
            return None
        if found is None:
            self._idle.append(connector.name)
        return found

    def _clusters(
        self, flow: Flow, connector: Connector
    ) -> tuple[ClusterConfig, ClusterConfig] | None:
        """Return the two clusters as a connector names them; `None` if they cannot be reached."""
        findings = Findings(where(connector.name))
        ends = [
            (alias, end_client(connector.entries, end, "admin"))
            for end, alias in (("source", flow.source), ("target", flow.target))
        ]
        source, target = (
            ClusterConfig(
                alias=alias,
                bootstrap_servers=",".join(split_list(admin["bootstrap.servers"].text)),
                admin=guarded_admin(alias, admin, findings),
            )
            for alias, admin in ends
        )
        return (source, target) if self._keep(connector.name, findings, flow) else None

    def _check_together(self) -> None:
        """Leave out flows that would copy round and round, or be mistaken for each other."""
        named: dict[tuple[str, str], Flow] = {}
        for flow in sorted(self._flows):
            each = self._flows[flow]
            servers = split_list(each.clusters[1].bootstrap_servers) if each.config else ()
            for server in servers:
                other = named.setdefault((position_group(flow), server), flow)
                if other != flow and flow in self._flows:
                    self._drop(flow, f"expected other aliases: {other} would have the same names")
        while True:
            configs = [each.config for each in self._flows.values() if each.config is not None]
            found = next(circles(configs), None)
            if found is None:
                return
            self._drop(*found)

    def _drop(self, flow: Flow, expected: str) -> None:
        """Take a flow out, and say so to its source connector."""
        each = self._flows.pop(flow)
        problem = Problem(
            where=where(each.source or ""),
            key="source.cluster.alias",
            value=flow.source,
            expected=expected,
        )
        self._refused.setdefault(each.source or "", {})[problem] = None


def _lines(
    flow: Flow, source: Connector | None, checkpoint: Connector | None, worker: WorkerConfig
) -> Entries:
    return {} if source is None else flow_lines(flow, source, checkpoint, worker)


def _name(connector: Connector | None) -> str | None:
    return None if connector is None else connector.name
