"""What a flow says in the log while it cannot go on, in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.ownership import Ownership
from kmirror.clock import ManualClock
from kmirror.ends.discovery import Discovered, Discovery, Mirrored
from kmirror.ends.positions import Positions
from kmirror.errors import ClusterUnavailable
from kmirror.flows.generation import Generation, Parts
from kmirror.flows.orders import FlowOrders
from kmirror.flows.planner import Planner
from kmirror.flows.watch import Snapshot
from kmirror.groups.consumers import Consumers
from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import Desk, LaneReport
from kmirror.pipeline.executors import Executors
from kmirror.plans.coverage import Coverage
from kmirror.plans.pauses import Rest
from kmirror.schedule.throttle import Throttle
from kmirror.state.progress import Progress
from kmirror.state.status import FlowState, StatusBoard
from kmirror.wire.position import Owner
from tests.support.driver import A_TO_B
from tests.support.fake_flow import fake_clients, flow_config, unused

ADDRESS = "broker-b:9092"


WANTED = Discovered(
    mirrored=(
        Mirrored(source=TopicPartition("t", 0), target=TopicPartition("A.t", 0), topic_id="x"),
    ),
    coverage=Coverage(selected=1),
)


class UnreachablePlanner(Planner):
    """Plans nothing: a cluster is away each time."""

    tries = 0

    def plan(self, *_: object, **__: object) -> None:
        self.tries += 1
        raise ClusterUnavailable(f"cluster B ({ADDRESS}): could not do thing {self.tries}")


class NoOrders(FlowOrders):
    """Nobody has ordered anything."""

    def __init__(self) -> None:
        """Open no clients."""

    def rest(self, _mirrored: object) -> Rest:
        return Rest()


class Watched:
    """A generation whose query and clusters are not there."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.board = StatusBoard(A_TO_B)
        self.progress = Progress()
        config = flow_config(folder, ADDRESS)
        owner = Owner(driver="d", host="h", pid=1, started_ms=1, slots=1)
        self.planner = UnreachablePlanner(
            config, self.progress, owner, slots=1, file=folder / "plan.json", bounded=False
        )
        parts = Parts(
            config=config,
            clients=fake_clients(config, FakeAdmin()),
            ownership=unused(Ownership),
            discovery=unused(Discovery),
            positions=unused(Positions),
            planner=self.planner,
            orders=NoOrders(),
            progress=self.progress,
            board=self.board,
            throttle=Throttle(self.clock),
            desk=unused(Desk),
            spark=unused(SparkSession),
            executors=unused(Executors),
            clock=self.clock,
        )
        self.generation = Generation(1, parts, unused(Consumers), offsets_partitions=1)
        self.board.set_state(FlowState.RUNNING, "copying")

    def lanes_fail(self, cause: str) -> None:
        """Let a lane report why its transaction was lost."""
        failure = ClientError(name="TimeoutException", message=cause) if cause else None
        report: dict[str, Any] = {"flow": str(A_TO_B), "slot": 0, "generation": 1}
        self.progress.add(
            LaneReport(**report, last_commit_ms=0, last_failure=failure, partitions=())
        )


def test_an_outage_is_one_line_a_minute(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """However many requests fail, each with other words: of the watch, the lanes and the plans."""
    watched = Watched(tmp_path)
    for second in range(180):
        watched.lanes_fail(f"time-out {second}")
        request = f"cluster B ({ADDRESS}): could not ask for thing {second}"
        watched.generation._show(request if second % 3 else "")
        watched.generation._follow(Snapshot(discovered=WANTED, discoveries=1 + second // 5))
        watched.clock.advance(1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3, lines
    assert all(line.startswith(f"A->B: cluster B ({ADDRESS}): ") for line in lines)


def test_the_status_has_the_newest_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also those that the log leaves out, and none once it goes on."""
    watched = Watched(tmp_path)
    watched.lanes_fail("time-out")
    watched.generation._show("")
    assert watched.board.status.state is FlowState.WAITING
    assert watched.board.status.words == (
        f"cluster B ({ADDRESS}): a transaction is repeated: TimeoutException: time-out"
    )
    watched.generation._show("cluster A (nowhere:1): could not list topics: refused")
    assert watched.board.status.words.startswith("cluster A (nowhere:1)")
    watched.lanes_fail("")
    watched.generation._show("")
    assert watched.board.status.state is FlowState.RUNNING
    assert len(caplog.records) == 1


def test_a_plan_that_failed_waits_for_the_next_discovery(tmp_path: Path) -> None:
    """Trying it at every tick would block the flow for a time-out each."""
    watched = Watched(tmp_path)
    for _ in range(50):
        watched.generation._follow(Snapshot(discovered=WANTED, discoveries=1))
    assert watched.planner.tries == 1
    watched.generation._follow(Snapshot(discovered=WANTED, discoveries=2))
    assert watched.planner.tries == 2
