"""What a flow says in the log while it cannot go on, in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.ownership import Ownership
from kmirror.clock import ManualClock
from kmirror.ends.discovery import Discovered, Discovery, Mirrored
from kmirror.ends.gap_topic import GapTopic
from kmirror.ends.left_out_journal import LeftOutJournal
from kmirror.ends.positions import Positions
from kmirror.errors import ClusterUnavailable
from kmirror.flows.generation import Generation
from kmirror.flows.live_config import LiveConfig
from kmirror.flows.orders import FlowOrders
from kmirror.flows.parts import Parts
from kmirror.flows.planner import Planner
from kmirror.flows.watch import Snapshot
from kmirror.groups.consumers import Consumers
from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import Desk, LaneReport
from kmirror.pipeline.engine import Engine
from kmirror.plans.coverage import Coverage
from kmirror.plans.pauses import Rest
from kmirror.schedule.throttle import Throttle
from kmirror.state.meter import Meter
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


class NoLanes(Desk):
    """Nobody has taken up a plan."""

    def __init__(self) -> None: ...

    def planned(self, flow: str, generation: int) -> int:  # noqa: ARG002 - as the real one
        return 0


class UnreachablePlanner(Planner):
    """Plans nothing: a cluster is away each time."""

    tries = 0

    def plan(self, *_: object, **__: object) -> None:
        self.tries += 1
        raise ClusterUnavailable(f"cluster B ({ADDRESS}): could not do thing {self.tries}")


class KeptClaim(Ownership):
    """A claim that is good until a test says otherwise."""

    is_kept = True

    def __init__(self) -> None:
        """Open no clients."""

    @property
    def is_claimed(self) -> bool:
        return self.is_kept


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
        self.claim = KeptClaim()
        self.planner = UnreachablePlanner(
            config, self.progress, owner, slots=1, file=folder / "plan.json", bounded=False
        )
        parts = Parts(
            config=config,
            clients=fake_clients(config, FakeAdmin()),
            ownership=self.claim,
            discovery=unused(Discovery),
            positions=unused(Positions),
            planner=self.planner,
            gaps=unused(GapTopic),
            left_out=unused(LeftOutJournal),
            orders=NoOrders(),
            progress=self.progress,
            board=self.board,
            meter=Meter(),
            throttle=Throttle(self.clock),
            desk=NoLanes(),
            live=LiveConfig(config),
            clock=self.clock,
        )
        self.generation = Generation(
            1, parts, unused(Engine), unused(Consumers), offsets_partitions=1
        )
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
        watched.generation._showing.show(request if second % 3 else "")
        watched.generation._follow(Snapshot(discovered=WANTED, discoveries=1 + second // 5))
        watched.clock.advance(1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3, lines
    assert all(line.startswith(f"A->B: cluster B ({ADDRESS}): ") for line in lines)


def test_the_status_has_the_newest_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also those that the log leaves out, and none once it goes on."""
    watched = Watched(tmp_path)
    watched.lanes_fail("time-out")
    watched.generation._showing.show("")
    assert watched.board.status.state is FlowState.WAITING
    assert watched.board.status.words == (
        f"cluster B ({ADDRESS}): a transaction is repeated: TimeoutException: time-out"
    )
    watched.generation._showing.show("cluster A (nowhere:1): could not list topics: refused")
    assert watched.board.status.words.startswith("cluster A (nowhere:1)")
    watched.lanes_fail("")
    watched.generation._showing.show("")
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


def test_a_plan_that_cost_the_claim_ends_the_generation(tmp_path: Path) -> None:
    """Nothing could be written any more: the next generation claims the flow again."""
    watched = Watched(tmp_path)
    watched.claim.is_kept = False
    with pytest.raises(ClusterUnavailable):
        watched.generation._follow(Snapshot(discovered=WANTED, discoveries=1))
