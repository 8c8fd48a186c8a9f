"""Keeps a flow's lanes to what the file lets them read."""

from __future__ import annotations

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.flows.planner import Planner
from kmirror.model import TopicPartition
from kmirror.pipeline.desk import Desk
from kmirror.plans.limits import ReadLoad, allot, encode, is_bound
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.state.progress import Progress

_INTERVAL_S = 1.0
# With ten thousand partitions their loads are some hundredths of a second's work.
_SHARE = 0.02
# Lag that is copied within this time is no backlog.
_BACKLOG_S = 2.0
_BACKLOG_RECORDS = 100
# Rates are those of the last seconds: a single one may have had no commit.
_FORGET_SHARE = 0.5


class FlowLimits:
    """
    The limits of one generation.

    Args:
        config: The flow.
        planner: Knows which slot has what.
        progress: Knows the load.
        desk: Hands the limits to the lanes.
        clock: Where time comes from.
    """

    def __init__(
        self, config: FlowConfig, planner: Planner, progress: Progress, desk: Desk, clock: Clock
    ) -> None:
        self._flow = str(config.flow)
        self._rules = config.limits
        self._planner = planner
        self._progress = progress
        self._desk = desk
        self._clock = clock
        self._counts: dict[TopicPartition, tuple[int, int]] = {}
        self._rates: dict[TopicPartition, tuple[float, float]] = {}
        self._counted_s = clock.monotonic_s()
        # Lanes of an earlier generation may have had some.
        self._told: str | None = None
        self._is_bound = False
        self._task = PeriodicTask(clock, _INTERVAL_S, self._run, at_once=True, share=_SHARE)

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*, at once."""
        self._rules = config.limits
        self._run()

    def look(self) -> bool:
        """Do what is due; tells whether something is behind because of a limit."""
        self._task.run_if_due()
        return self._is_bound

    def _run(self) -> None:
        """Divide what may be read among the slots, by the load of the last seconds."""
        text = ""
        if self._rules:
            loads = self._loads()
            self._is_bound = is_bound(self._rules, loads)
            text = encode(allot(self._rules, loads, self._planner.slots))
        else:
            self._is_bound = False
        if text != self._told:
            self._desk.limit(self._flow, text)
            self._told = text

    def _loads(self) -> list[ReadLoad]:
        now_s = self._clock.monotonic_s()
        passed_s = now_s - self._counted_s
        is_lag_known = self._progress.knows_ends
        parked = {entry.partition for entry in self._progress.parked}
        loads = []
        for tp, slot in self._planner.slot_of.items():
            records, copied_bytes, lag = self._progress.counts(tp)
            rates = self._rate(tp, records, copied_bytes, passed_s)
            is_backlog = lag > max(_BACKLOG_RECORDS, rates[0] * _BACKLOG_S)
            is_behind = tp not in parked and (is_backlog or not is_lag_known)
            loads.append(
                ReadLoad(partition=tp, slot=slot, bytes_per_s=rates[1], is_behind=is_behind)
            )
        if passed_s > 0:
            self._counted_s = now_s
        return loads

    def _rate(
        self, tp: TopicPartition, records: int, copied_bytes: int, passed_s: float
    ) -> tuple[float, float]:
        """Return records and bytes a second, lately."""
        before = self._counts.get(tp, (records, copied_bytes))
        old = self._rates.get(tp, (0.0, 0.0))
        if passed_s <= 0:
            return old
        self._counts[tp] = (records, copied_bytes)
        new = ((records - before[0]) / passed_s, (copied_bytes - before[1]) / passed_s)
        self._rates[tp] = (
            old[0] * _FORGET_SHARE + new[0] * (1 - _FORGET_SHARE),
            old[1] * _FORGET_SHARE + new[1] * (1 - _FORGET_SHARE),
        )
        return self._rates[tp]
