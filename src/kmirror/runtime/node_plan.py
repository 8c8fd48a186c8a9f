"""From a properties file to the work of one of its nodes; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from kmirror.config.consumers import HeartbeatConfig
from kmirror.config.load import MirrorConfig
from kmirror.model import Flow
from kmirror.runtime.pulse import Beats
from kmirror.runtime.worker import Work


@dataclass(frozen=True)
class NodePlan:
    """
    What there is to do for all nodes together; each flow by itself.

    Args:
        config: The file.
    """

    config: MirrorConfig

    @property
    def flows(self) -> tuple[Flow, ...]:
        """All flows."""
        return tuple(each.flow for each in self.config.flows)

    @cached_property
    def shares(self) -> dict[str, tuple[str, ...]]:
        """What is shared as one thing: each flow."""
        return {str(flow): (str(flow),) for flow in self.flows}

    def work(self, mine: Collection[Flow]) -> Work:
        """Return what a node has to do that has these flows."""
        flows = {each.flow: each for each in self.config.flows if each.flow in mine}
        pairs: dict[str, list[HeartbeatConfig]] = {}
        for each in self._heartbeats(mine):
            pairs.setdefault(each.flow.target, []).append(each)
        beats = {
            found[0].flow: Beats(
                pairs=tuple(found),
                admin=self.config.cluster(target).admin,
                has_flows=any(target in {flow.source, flow.target} for flow in flows),
            )
            for target, found in pairs.items()
        }
        return Work(flows=flows, beats=beats)

    def _heartbeats(self, mine: Collection[Flow]) -> Iterator[HeartbeatConfig]:
        """Yield the heartbeats that go with these flows: each pair's with one flow."""
        all_flows = self.flows
        for each in self.config.heartbeats:
            pair = each.flow
            back = Flow(pair.target, pair.source)
            home = next((flow for flow in (pair, back) if flow in all_flows), all_flows[0])
            if home in mine:
                yield each
