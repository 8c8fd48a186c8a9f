"""All that a process knows of one of its flows at the moment."""

from __future__ import annotations

from dataclasses import dataclass, field

from kmirror.model import Flow
from kmirror.policy.bottlenecks import SlotFacts, SlotJudgement, judge_slot
from kmirror.state.meter import Meter
from kmirror.state.progress import Progress
from kmirror.state.status import StatusBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedFlow:
    """
    A flow and what is known of it; it lives as long as the flow does.

    Args:
        board: Its status.
        progress: How far it is.
        meter: What is measured beside that.
        slots: How many it has.
    """

    board: StatusBoard
    progress: Progress = field(default_factory=Progress)
    meter: Meter = field(default_factory=Meter)
    slots: int = 1

    @classmethod
    def of(cls, flow: Flow, *, slots: int) -> ObservedFlow:
        """Return what is known of a flow that has not begun."""
        return cls(board=StatusBoard(flow), slots=slots)

    def bottlenecks(self) -> tuple[SlotJudgement, ...]:
        """Say what has held up each slot in the last 10 s; of slots that have reported."""
        lags: dict[int, tuple[int, float]] = {}
        with self.meter.lock:
            for partition, meter in self.meter.partitions.items():
                lag = self.progress.lags.of(partition)
                if lag is not None and lag.lag:
                    records, seconds = lags.get(meter.slot, (0, 0.0))
                    lags[meter.slot] = (records + lag.lag, max(seconds, lag.seconds))
            unpacked = next(
                (each.unpacked for each in self.board.status.topics if each.unpacked), ""
            )
            return tuple(
                judge_slot(
                    SlotFacts(
                        slot=number,
                        times=slot.lately,
                        lag_records=lags.get(number, (0, 0.0))[0],
                        lag_s=lags.get(number, (0, 0.0))[1],
                        source_throttled=slot.client("consumer", "fetch-throttle-time-avg") > 0,
                        target_throttled=slot.client("producer", "produce-throttle-time-avg") > 0,
                        unpacked=unpacked,
                    )
                )
                for number, slot in sorted(self.meter.slots.items())
            )
