"""What a flow says about itself at one moment: for logs, views, REST and metrics alike."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
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
        {FlowState.STARTING, FlowState.STOPPING, FlowState.STOPPED, FlowState.FAILED}
    ),
    FlowState.STOPPING: frozenset({FlowState.STOPPED, FlowState.FENCED, FlowState.FAILED}),
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
        unpacked: Why others did not, lately; empty when all did.
    """

    topic: str
    partitions: int
    lag_records: int
    records: int
    bytes: int
    whole_records: int = 0
    unpacked: str = ""


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
        records: Copied by this process.
        bytes: Of those, as they lie in the source's batches.
        last_commit_ms: Wall time of the last commit on the target; 0 before the first.
        caught_up_share: Of the records that were there at the start, how much is copied: 0 to 1.
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
    records: int = 0
    bytes: int = 0
    last_commit_ms: int = 0
    caught_up_share: float = 0.0

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
        self.update(state=follow(self._status.state, state), words=words)

    def update(self, **changes: Any) -> None:
        """Replace some of the status's fields."""
        with self._lock:
            self._status = replace(self._status, **changes)
