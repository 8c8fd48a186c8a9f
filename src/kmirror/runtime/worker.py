"""Runs what connectors are made of: flows on the process's Spark, and heartbeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from kmirror.config.changes import ChangeKind, flow_change
from kmirror.config.flows import FlowConfig
from kmirror.errors import MirrorError, Problem
from kmirror.model import Flow
from kmirror.runtime.pulse import Beats
from kmirror.state.meter import CheckpointKey
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import ENDED, FlowState, FlowStatus

# So often what found no room, or could not begin, is tried again.
RETRY_INTERVAL_S = 30.0
_ENDING_MAX = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """
    What a worker has to do.

    Args:
        flows: Flows with their settings.
        beats: Heartbeats, by the clusters that they speak of.
    """

    flows: Mapping[Flow, FlowConfig] = field(default_factory=dict)
    beats: Mapping[Flow, Beats] = field(default_factory=dict)


class Flows(Protocol):
    """What runs flows: `FlowHost` does."""

    def check(self, flows: Sequence[FlowConfig]) -> tuple[Problem, ...]:
        """Return what Spark and the clients do not take of settings that are right otherwise."""
        ...

    def lack_for(self, flows: Iterable[FlowConfig]) -> str:
        """Say what these flows, and no others, would lack; empty when there is room."""
        ...

    def need(self, flows: Iterable[FlowConfig]) -> None:
        """Have room for these flows, and no others, from now on."""
        ...

    def find(self, flow: Flow) -> FlowStatus | None:
        """Return what a flow does; `None` for one that is not here."""
        ...

    def observed(self) -> tuple[ObservedFlow, ...]:
        """Return all that is known of every flow at this moment."""
        ...

    def add(self, config: FlowConfig) -> None:
        """Run one more flow."""
        ...

    def remove(self, flow: Flow) -> None:
        """End a flow in good order, as far as there is time, and forget it."""
        ...

    def change(self, config: FlowConfig, *, live: bool) -> bool:
        """Give a flow other settings; tells whether it has them."""
        ...

    def restart(self, flow: Flow) -> None:
        """Begin a flow anew, whatever has become of it."""
        ...


class HeartbeatWriter(Protocol):
    """What writes heartbeats: `Pulse` does."""

    def begin(self, name: str, beats: Beats) -> None:
        """Write *beats*, until they are ended by their name."""
        ...

    def end(self, names: Iterable[str]) -> None:
        """Write these no more; a name that there is not is none of them."""
        ...

    def begun(self, name: str) -> bool:
        """Whether those of *name* were written at least once, or could not be."""
        ...

    def trouble(self, name: str) -> MirrorError | None:
        """Return why the last of those of *name* was not written; `None` when it was."""
        ...


class Worker:
    """
    The name is Connect's (`org.apache.kafka.connect.runtime.Worker`). One thread gives it work, any
    may ask.

    Args:
        host: Runs flows.
        pulse: Writes heartbeats.
        checks: Settings are looked at before they are used; otherwise somebody has done so.
    """

    def __init__(self, host: Flows, pulse: HeartbeatWriter, *, checks: bool = True) -> None:
        self._host = host
        self._checks = checks
        self._pulse = pulse
        self._work = Work()
        self._troubles: dict[Flow, str] = {}

    def do(self, work: Work) -> None:
        """Do this, and nothing else, from now on; what ends has ended in good order then."""
        before = self._work
        gone = {flow: each for flow, each in before.flows.items() if flow not in work.flows}
        # Those that end take some seconds; where there is room for all, nobody waits for them.
        has_room = not self._host.lack_for((*gone.values(), *work.flows.values()))
        with ThreadPoolExecutor(max_workers=_ENDING_MAX) as pool:
            ending = [pool.submit(self._remove, flow) for flow in gone]
            if not has_room:
                wait(ending)
            self._begin(work)
        # Whatever comes of those that end: what has begun is not begun again.
        self._work = replace(before, flows={**gone, **work.flows})
        for each in ending:
            each.result()
        # Only now: what there is room for is judged by what ran before.
        self._host.need(self._running(work))
        # Whatever comes of the heartbeats: these flows are here now, and are not added again.
        self._work = replace(before, flows=work.flows)
        new = {flow: beats for flow, beats in work.beats.items() if before.beats.get(flow) != beats}
        self._pulse.end(map(str, {*new, *(before.beats.keys() - work.beats.keys())}))
        for flow, beats in new.items():
            self._pulse.begin(str(flow), beats)
        self._work = work

    def _begin(self, work: Work) -> None:
        """Run what does not run yet, and change what shall run otherwise."""
        before = self._work
        for flow, config in work.flows.items():
            if flow not in before.flows or flow in self._troubles:
                self._try(flow, partial(self._add, config, work))
            elif (change := flow_change(before.flows[flow], config)) is not None:
                live = change.kind is ChangeKind.LIVE
                self._try(flow, partial(self._change, config, work, live=live))

    def has_any(self, flows: Iterable[Flow]) -> bool:
        """Tell whether any of *flows* runs here, or has ended here for good."""
        return any(self.status(flow) is not None for flow in flows)

    def status(self, flow: Flow) -> FlowStatus | None:
        """Return what a flow does; `None` where it does not run."""
        return self._host.find(flow)

    def fenced_by(self, flow: Flow) -> str:
        """Return the process that has taken a flow over (`Owner.process`); empty for none."""
        status = self.status(flow)
        if status is None or status.state is not FlowState.FENCED:
            return ""
        return status.fenced_by

    def trouble(self, flow: Flow) -> str:
        """Say why a flow does not run that should; empty when there is nothing to say."""
        return self._troubles.get(flow, "")

    def beats(self, flow: Flow) -> tuple[bool, MirrorError | None]:
        """Return whether heartbeats have begun, and what is wrong with them."""
        return self._pulse.begun(str(flow)), self._pulse.trouble(str(flow))

    def checkpoints(self) -> Mapping[Flow, frozenset[CheckpointKey]]:
        """Return of which groups and target partitions flows have written checkpoints."""
        found = {}
        for each in self._host.observed():
            with each.meter.lock:
                found[each.board.status.flow] = frozenset(each.meter.checkpoints)
        return found

    def restart(self, flow: Flow) -> None:
        """Begin a flow anew, whatever has become of it."""
        if self.status(flow) is not None:
            self._host.restart(flow)

    def retry(self, flow: Flow) -> None:
        """Try what a flow has parked, or begin it anew if it has ended for good."""
        status = self.status(flow)
        if status is None:
            return
        if status.state in ENDED:
            self._host.restart(flow)
        else:
            # Whatever settings come, what is parked is tried with them.
            self._host.change(replace(self._work.flows[flow]), live=True)

    def restart_beats(self, flow: Flow) -> None:
        """Begin heartbeats anew."""
        beats = self._work.beats.get(flow)
        if beats is not None:
            self._pulse.end([str(flow)])
            self._pulse.begin(str(flow), beats)

    def _add(self, config: FlowConfig, work: Work) -> None:
        self._troubles.pop(config.flow, None)
        if trouble := self._check(config, work):
            self._troubles[config.flow] = trouble
            return
        if self.status(config.flow) is not None:
            self._host.remove(config.flow)  # it has other settings than it should
        self._host.add(config)

    def _change(self, config: FlowConfig, work: Work, *, live: bool) -> None:
        if trouble := self._check(config, work):
            self._remove(config.flow)
            self._troubles[config.flow] = trouble
            return
        self._host.change(config, live=live)

    def _check(self, config: FlowConfig, work: Work) -> str:
        """Say why a flow cannot run with these settings; empty when it can."""
        if not self._checks:
            return ""
        if lack := self._host.lack_for(self._running(work, config)):
            return f"{config.flow}: {lack} (start the worker with more)"
        return "\n".join(map(str, self._host.check([config])))

    def _running(self, work: Work, *more: FlowConfig) -> tuple[FlowConfig, ...]:
        """Return the flows that run here already, and *more*."""
        flows = (each for flow, each in work.flows.items() if self.status(flow) is not None)
        return (*(each for each in flows if each not in more), *more)

    def _remove(self, flow: Flow) -> None:
        self._troubles.pop(flow, None)
        if self.status(flow) is not None:
            self._host.remove(flow)

    def _try(self, flow: Flow, do: Callable[[], None]) -> None:
        """One flow's trouble is its own."""
        try:
            do()
        except MirrorError as error:
            self._troubles[flow] = str(error)
