"""From the connectors of a cluster to the work of one worker; pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from kmirror.config.connector import Kind
from kmirror.config.connectors import ConnectorFlow, ConnectorFlows, build_flows
from kmirror.config.worker import WorkerConfig
from kmirror.connect.config_state import StoredConnector
from kmirror.connect.model import TargetState
from kmirror.model import Flow
from kmirror.runtime.pulse import Beats
from kmirror.runtime.worker import Work
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    What the connectors of a cluster come to.

    Args:
        connectors: They, by name.
        built: Their flows, without what is stopped.
        parts: The same by connector; one that has none is left out.
        shares: What workers share, with its flows: whatever is of one connector stays together.
            So records, groups and heartbeats of two clusters do, and all flows of a driver's file.
        stopped: Flows that nobody copies, since their source connectors are STOPPED.
    """

    connectors: Mapping[str, StoredConnector] = field(default_factory=dict)
    built: ConnectorFlows = field(
        default_factory=lambda: ConnectorFlows(flows=(), idle=(), refused={}, warnings={})
    )
    parts: Mapping[str, tuple[ConnectorFlow, ...]] = field(default_factory=dict)
    shares: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stopped: tuple[ConnectorFlow, ...] = ()

    @property
    def flows(self) -> tuple[Flow, ...]:
        """All flows."""
        return tuple(each.flow for each in self.built.flows)

    def of(self, connector: str) -> tuple[ConnectorFlow, ...]:
        """Return the flows that a connector is part of."""
        return self.parts.get(connector, ())

    def share_of(self, connector: str) -> str | None:
        """Return what a connector is shared with; `None` for one without flows."""
        parts = self.of(connector)
        return str(self.of(parts[0].connectors[0])[0].flow) if parts else None

    def kind(self, connector: str) -> Kind | None:
        """Return what a connector is; `None` for none of MirrorMaker 2's."""
        return self.connectors[connector].kind

    def target(self, connector: str | None) -> TargetState | None:
        """Return what a connector shall do; `None` where there is none."""
        found = self.connectors.get(connector or "")
        return None if found is None else found.target

    def work(self, mine: Collection[Flow]) -> Work:
        """Return what a worker has to do that has these flows."""
        chosen = [each for each in self.built.flows if each.flow in mine]
        flows = {
            each.flow: replace(each.config, pause=self._pause(each))
            for each in chosen
            if each.config is not None
        }
        beats = {
            each.flow: Beats(
                pairs=(each.heartbeats,),
                admin=each.clusters[1].admin,
                has_flows=each.config is not None,
            )
            for each in chosen
            if each.heartbeats is not None and self._beats(each)
        }
        return Work(flows=flows, beats=beats)

    def _pause(self, flow: ConnectorFlow) -> PauseOrder | None:
        """Return what pauses the flow of a connector that shall be PAUSED."""
        if self.target(flow.source) is not TargetState.PAUSED:
            return None
        author = Author(by=f"connector {flow.source}", at_ms=0, reason="its target state is PAUSED")
        return PauseOrder(verb=PauseVerb.PAUSE, scope=Scope(), author=author)

    def _beats(self, flow: ConnectorFlow) -> bool:
        return self.target(flow.heartbeat) is TargetState.RUNNING


def make_plan(connectors: Mapping[str, StoredConnector], worker: WorkerConfig) -> Plan:
    """
    Plan what there is to do.

    Args:
        connectors: All of the cluster, by name.
        worker: The worker's file.
    """
    wanted = {name: each.settings for name, each in connectors.items() if _takes_part(each)}
    built = build_flows(wanted, worker)
    parts: dict[str, tuple[ConnectorFlow, ...]] = {}
    for each in built.flows:
        for name in each.connectors:
            parts[name] = (*parts.get(name, ()), each)
    shares: dict[str, tuple[str, ...]] = {}
    for each in built.flows:
        of_one = tuple(str(one.flow) for one in parts[each.connectors[0]])
        shares[of_one[0]] = of_one
    return Plan(
        connectors=connectors,
        built=built,
        parts=parts,
        shares=shares,
        stopped=_stopped(connectors, built, worker),
    )


def _stopped(
    connectors: Mapping[str, StoredConnector], built: ConnectorFlows, worker: WorkerConfig
) -> tuple[ConnectorFlow, ...]:
    """Return what source connectors would come to that are stopped, and no other one copies."""
    wanted = {
        name: each.settings
        for name, each in connectors.items()
        if each.target is TargetState.STOPPED and each.kind is Kind.SOURCE
    }
    copied = {each.flow for each in built.flows if each.config is not None}
    return tuple(
        each
        for each in build_flows(wanted, worker).flows
        if each.config is not None and each.flow not in copied
    )


def _takes_part(connector: StoredConnector) -> bool:
    """Whether it has a part in a flow: a paused source keeps its lanes, others need none."""
    if connector.target is TargetState.PAUSED:
        return connector.kind is Kind.SOURCE
    return connector.target is TargetState.RUNNING
