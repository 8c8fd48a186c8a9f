"""What a flow says about itself at one moment: for logs, views, REST and metrics alike."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
from kmirror.policy.lag_verdicts import DEFAULT_SLO, FlowJudgement, Slo, judge_flow
from kmirror.state.lags import NO_LAG, LagStatus
from kmirror.wire.control_orders import PauseOrder


class FlowState(Enum):
    """Where a flow is in its life; `TRANSITIONS` says what may follow what."""

    STARTING = "starting"
    WAITING = "waiting"
    RUNNING = "running"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    STOPPED = "stopped"
    COMPLETE = "complete"
    FENCED = "fenced"
    FAILED = "failed"


TRANSITIONS: dict[FlowState, frozenset[FlowState]] = {
    FlowState.STARTING: frozenset(
        {
            FlowState.WAITING,
            FlowState.RUNNING,
            FlowState.RESTARTING,
            FlowState.STOPPING,
            FlowState.STOPPED,
            FlowState.FENCED,
            FlowState.FAILED,
            FlowState.COMPLETE,
        }
    ),
    FlowState.WAITING: frozenset(
        {
            FlowState.STARTING,
            FlowState.RUNNING,
            FlowState.RESTARTING,
            FlowState.STOPPING,
            FlowState.STOPPED,
            FlowState.FENCED,
            FlowState.FAILED,
            FlowState.COMPLETE,
        }
    ),
    FlowState.RUNNING: frozenset(
        {
            FlowState.WAITING,
            FlowState.RESTARTING,
            FlowState.STOPPING,
            FlowState.STOPPED,
            FlowState.FENCED,
            FlowState.FAILED,
            FlowState.COMPLETE,
        }
    ),
    FlowState.RESTARTING: frozenset(
        {
            FlowState.WAITING,
            FlowState.STARTING,
            FlowState.STOPPING,
            FlowState.STOPPED,
            FlowState.FENCED,
            FlowState.FAILED,
        }
    ),
    FlowState.STOPPING: frozenset(
        {FlowState.RESTARTING, FlowState.STOPPED, FlowState.FENCED, FlowState.FAILED}
    ),
    FlowState.STOPPED: frozenset(),
    FlowState.COMPLETE: frozenset(),
    FlowState.FENCED: frozenset(),
    FlowState.FAILED: frozenset(),
}

ENDED = frozenset(state for state, following in TRANSITIONS.items() if not following)


def follow(current: FlowState, following: FlowState) -> FlowState:
    """Return *following*, after checking that it may follow *current* or is the same."""
    assert following is current or following in TRANSITIONS[current], f"{current} -> {following}"
    return following


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStatus:
    """
    One mirrored topic.

    Args:
        topic: Its name on the source.
        partitions: How many are mirrored.
        lag_records: Offsets between the committed positions and the source's ends.
        records: Copied by this process.
        bytes: Of those, as they lie in the source's batches.
        whole_records: How many of them travelled in the batches they were fetched in.
        skipped: Records, or damaged batches, that this process has given up.
        kept: The same, but they are in the topic for dead letters.
        unpacked: Why others did not, lately; empty when all did.
        lag: The lag in time, and what it means.
    """

    topic: str
    partitions: int
    lag_records: int
    records: int
    bytes: int
    whole_records: int = 0
    skipped: int = 0
    kept: int = 0
    unpacked: str = ""
    lag: LagStatus = NO_LAG


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedPartition:
    """
    A partition that stands still.

    Args:
        partition: On the source.
        kind: Why, for programs.
        reason: Why, and what the choices are, for people.
        at: The offset of which the reason speaks; `None` for none.
    """

    partition: TopicPartition
    kind: str
    reason: str
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedPartition:
    """
    A partition that somebody has paused.

    Args:
        partition: On the source.
        pause: Who wants it so, why, and until when.
    """

    partition: TopicPartition
    pause: PauseOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStatus:
    """
    A flow at one moment.

    Args:
        flow: Which one.
        state: Where it is in its life.
        words: The same for people, with the cause of whatever is not well.
        generation: The current start of its query; 0 before the first.
        topics: By name.
        parked: Partitions that stand still.
        paused: Partitions that somebody has paused.
        coverage: What of the selection is not copied; `None` before the topics are known.
        lag_records: The lag of all that is selected; `None` while it is not known.
        lag: The lag in time, of what is neither parked nor paused, and what it means.
        rpo_s: How old the oldest record is that only the source has; `None` when not known.
        looked_ms: When these two were looked at, milliseconds since the epoch; 0 for never.
        slo: What its operator wants of it.
        records: Copied by this process.
        bytes: Of those, as they lie in the source's batches.
        last_commit_ms: Wall time of the last commit on the target; 0 before the first.
        caught_up_share: Of the records that were there at the start, how much is copied: 0 to 1.
        slots: Which partitions each slot copies, by the newest plan; empty before the first.
        fenced_by: The process that has taken the flow over, as `Owner.process` says.
    """

    flow: Flow
    state: FlowState
    words: str
    generation: int = 0
    topics: tuple[TopicStatus, ...] = ()
    parked: tuple[ParkedPartition, ...] = ()
    paused: tuple[PausedPartition, ...] = ()
    coverage: Coverage | None = None
    lag_records: int | None = None
    lag: LagStatus = NO_LAG
    rpo_s: float | None = None
    looked_ms: int = 0
    slo: Slo = DEFAULT_SLO
    records: int = 0
    bytes: int = 0
    last_commit_ms: int = 0
    caught_up_share: float = 0.0
    slots: tuple[tuple[TopicPartition, ...], ...] = ()
    fenced_by: str = ""

    @property
    def moves(self) -> bool:
        """Whether records go over, or all of them have."""
        return self.state in {FlowState.RUNNING, FlowState.COMPLETE}

    def lag_s(self, now_ms: int) -> float | None:
        """Return the lag in time at *now_ms*: it grows while nobody looks."""
        if self.lag.seconds is None or not self.lag.seconds:
            return self.lag.seconds
        return self.lag.seconds + max(0, now_ms - self.looked_ms) / 1000

    def rpo_s_max(self, now_ms: int) -> float | None:
        """Return how old at most the oldest record is that only the source has, at *now_ms*."""
        if self.rpo_s is None:
            return None
        return self.rpo_s + max(0, now_ms - self.looked_ms) / 1000

    def judgement(self, now_ms: int) -> FlowJudgement:
        """Say how the flow stands against its SLO at *now_ms*."""
        return judge_flow(
            self.slo,
            trouble="" if self.moves else self.words,
            parked=len(self.parked),
            silent=0 if self.coverage is None else len(self.coverage.silent),
            lag=self.lag.verdict,
            lag_s=self.lag_s(now_ms),
            rpo_s=self.rpo_s,
        )

    @property
    def is_whole(self) -> bool:
        """Whether nothing of what is selected stands still or is left out, as far as is known."""
        left = self.parked or self.paused
        return not left and (self.coverage is None or self.coverage.is_complete)


class StatusBoard:
    """
    Where a flow's status hangs: the flow and its supervisor write, anybody reads.

    Args:
        flow: Which one.
    """

    def __init__(self, flow: Flow) -> None:
        self._status = FlowStatus(flow=flow, state=FlowState.STARTING, words="starting")
        self._lock = threading.Lock()

    @property
    def status(self) -> FlowStatus:
        """The flow at this moment."""
        return self._status

    def set_state(self, state: FlowState, words: str) -> None:
        """Note a change of state."""
        with self._lock:
            self._status = replace(
                self._status, state=follow(self._status.state, state), words=words
            )

    def wait_for(self, words: str) -> None:
        """Note that a flow that runs can not go on; one that does not run has its own words."""
        with self._lock:
            if self._status.state in {FlowState.RUNNING, FlowState.WAITING}:
                self._status = replace(self._status, state=FlowState.WAITING, words=words)

    def update(self, **changes: Any) -> None:
        """Replace some of the status's fields, but not its state."""
        with self._lock:
            self._status = replace(self._status, **changes)
