"""What a flow says in the log while it cannot go on, in virtual time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from kmirror.clock import ManualClock
from kmirror.ends.discovery import Discovered, Mirrored
from kmirror.errors import ClusterUnavailable
from kmirror.flows.generation import Generation, Parts
from kmirror.flows.watch import Snapshot
from kmirror.groups.consumers import Consumers
from kmirror.model import Flow, TopicPartition
from kmirror.pipeline.desk import LaneReport
from kmirror.plans.coverage import Coverage
from kmirror.schedule.throttle import Throttle
from kmirror.state.progress import Progress
from kmirror.state.status import FlowState, StatusBoard

FLOW = Flow("A", "B")
ADDRESS = "broker-b:9092"


WANTED = Discovered(
    mirrored=(
        Mirrored(source=TopicPartition("t", 0), target=TopicPartition("A.t", 0), topic_id="x"),
    ),
    coverage=Coverage(selected=1),
)


class UnreachablePlanner:
    """Plans nothing: a cluster is away each time."""

    mirrored = ()
    is_unsettled = False
    undecided = ()

    def __init__(self) -> None:
        self.tries = 0

    def plan(self, *_: object, **__: object) -> None:
        self.tries += 1
        raise ClusterUnavailable(f"cluster B ({ADDRESS}): could not do thing {self.tries}")


class Watched:
    """A generation whose query and clusters are not there."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.board = StatusBoard(FLOW)
        self.progress = Progress()
        self.planner = UnreachablePlanner()
        parts = SimpleNamespace(
            config=SimpleNamespace(flow=FLOW),
            clients=SimpleNamespace(target_rdkafka={"bootstrap.servers": ADDRESS}),
            planner=self.planner,
            positions=None,
            progress=self.progress,
            board=self.board,
            throttle=Throttle(self.clock),
            clock=self.clock,
        )
        self.generation = Generation(
            1, cast("Parts", parts), cast("Consumers", None), offsets_partitions=1
        )
        self.board.set_state(FlowState.RUNNING, "copying")

    def lanes_fail(self, cause: str) -> None:
        """Let a lane report why its transaction was lost."""
        report: dict[str, Any] = {"flow": str(FLOW), "slot": 0, "generation": 1}
        self.progress.add(LaneReport(**report, last_commit_ms=0, last_failure=cause, partitions=()))


def test_an_outage_is_one_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """However many requests fail, each with other words: of the watch, the lanes and the plans."""
    watched = Watched()
    for second in range(180):
        watched.lanes_fail(f"time-out {second}")
        request = f"cluster B ({ADDRESS}): could not ask for thing {second}"
        watched.generation._show(request if second % 3 else "")
        watched.generation._follow(Snapshot(discovered=WANTED, discoveries=1 + second // 5))
        watched.clock.advance(1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3, lines
    assert all(line.startswith(f"A->B: cluster B ({ADDRESS}): ") for line in lines)


def test_the_status_has_the_newest_words(caplog: pytest.LogCaptureFixture) -> None:
    """Also those that the log leaves out, and none once it goes on."""
    watched = Watched()
    watched.lanes_fail("time-out")
    watched.generation._show("")
    assert watched.board.status.state is FlowState.WAITING
    assert watched.board.status.words == (
        f"cluster B ({ADDRESS}): a transaction is repeated: time-out"
    )
    watched.generation._show("cluster A (nowhere:1): could not list topics: refused")
    assert watched.board.status.words.startswith("cluster A (nowhere:1)")
    watched.lanes_fail("")
    watched.generation._show("")
    assert watched.board.status.state is FlowState.RUNNING
    assert len(caplog.records) == 1


def test_a_plan_that_failed_waits_for_the_next_discovery() -> None:
    """Trying it at every tick would block the flow for a time-out each."""
    watched = Watched()
    for _ in range(50):
        watched.generation._follow(Snapshot(discovered=WANTED, discoveries=1))
    assert watched.planner.tries == 1
    watched.generation._follow(Snapshot(discovered=WANTED, discoveries=2))
    assert watched.planner.tries == 2
