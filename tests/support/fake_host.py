"""Flows and heartbeats that only note what they are told: for tests of what decides about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kmirror.config.flows import FlowConfig
from kmirror.errors import MirrorError, Problem
from kmirror.model import Flow, TopicPartition
from kmirror.runtime.pulse import Beats
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import FlowState, FlowStatus, TopicStatus


class FakeFlows:
    """Runs nothing; a flow copies from the moment that it is there."""

    def __init__(self) -> None:
        self.running: dict[Flow, FlowStatus] = {}
        self.configs: dict[Flow, FlowConfig] = {}
        self.told: list[str] = []
        self.problems: tuple[Problem, ...] = ()
        self.room = 100
        # By flow: of which groups and target partitions it has written.
        self.checkpoints: dict[Flow, Mapping[str, tuple[TopicPartition, ...]]] = {}

    def check(self, flows: Sequence[FlowConfig]) -> tuple[Problem, ...]:  # noqa: ARG002
        return self.problems

    def lack_for(self, flows: Iterable[FlowConfig]) -> str:
        return "" if len(list(flows)) <= self.room else "there is no room"

    def need(self, flows: Iterable[FlowConfig]) -> None:
        """Note nothing."""

    def find(self, flow: Flow) -> FlowStatus | None:
        return self.running.get(flow)

    def observed(self) -> tuple[ObservedFlow, ...]:
        found = []
        for flow in self.running:
            each = ObservedFlow.of(flow, slots=1)
            each.meter.checkpointed(self.checkpoints.get(flow, {}), took_ms=1, now_ms=1)
            found.append(each)
        return tuple(found)

    def add(self, config: FlowConfig) -> None:
        self._tell("add", config.flow)
        self.running[config.flow] = copying(config)
        self.configs[config.flow] = config

    def remove(self, flow: Flow) -> None:
        self._tell("remove", flow)
        del self.running[flow]

    def change(self, config: FlowConfig, *, live: bool) -> bool:
        self._tell("live" if live else "change", config.flow)
        self.running[config.flow] = copying(config)
        self.configs[config.flow] = config
        return True

    def restart(self, flow: Flow) -> None:
        self._tell("restart", flow)

    def ends(self, flow: Flow, state: FlowState, words: str) -> None:
        """Let something become of a flow."""
        self.running[flow] = replace(self.running[flow], state=state, words=words)

    def _tell(self, verb: str, flow: Flow) -> None:
        self.told.append(f"{verb} {flow}")


class FakePulse:
    """Writes nothing."""

    def __init__(self) -> None:
        self.beating: dict[str, Beats] = {}
        self.wrong: dict[str, MirrorError] = {}

    def begin(self, name: str, beats: Beats) -> None:
        assert name not in self.beating
        self.beating[name] = beats

    def end(self, names: Iterable[str]) -> None:
        for name in names:
            self.beating.pop(name, None)

    def begun(self, name: str) -> bool:
        return name in self.beating

    def trouble(self, name: str) -> MirrorError | None:
        return self.wrong.get(name)


def copying(config: FlowConfig) -> FlowStatus:
    """Give the status of a flow that has copied ten records, or is paused."""
    topic = TopicStatus(topic="t", partitions=1, lag_records=0, records=10, bytes=100)
    slots = () if config.pause is not None else ((TopicPartition("t", 0),),)
    return FlowStatus(
        flow=config.flow,
        state=FlowState.RUNNING,
        words="copying",
        topics=(topic,),
        slots=slots,
    )
