"""The canaries of the flows of a process: they come, change and go with them."""

from __future__ import annotations

from kmirror.canary.canary import Canary
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.model import Flow
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import ENDED

_LAST_S_MAX = 0.5


class Canaries:
    """
    Runs canaries.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._of: dict[Flow, tuple[FlowConfig, Canary]] = {}

    def start(self, config: FlowConfig, observed: ObservedFlow) -> None:
        """Run the canary of a flow as its settings want it, instead of the one before."""
        before = self._of.get(config.flow)
        if before is not None and before[0] == config:
            return
        self.end(config.flow)
        if not config.canary.enabled:
            observed.meter.canary = None
            return
        figures = CanaryFigures(overdue_s=config.canary.overdue_s)
        observed.meter.canary = figures
        # A flow that has ended, or is another driver's, is not looked at from here.
        canary = Canary(
            config, figures, self._clock, writes=lambda: observed.board.status.state not in ENDED
        )
        self._of[config.flow] = (config, canary)
        canary.start()

    def end(self, flow: Flow) -> None:
        """End the canary of a flow, if it has one."""
        if (found := self._of.pop(flow, None)) is not None:
            found[1].close()

    def close(self) -> None:
        """End all of them."""
        canaries = [canary for _, canary in self._of.values()]
        for canary in canaries:
            canary.close()
        # All of them together have so long, however many they are.
        until_s = self._clock.monotonic_s() + _LAST_S_MAX
        for canary in canaries:
            canary.close(max(0.0, until_s - self._clock.monotonic_s()))
