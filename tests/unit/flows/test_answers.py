"""A cluster that does not answer is seen before any request gives up, in virtual time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.admin.base import Outage
from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.errors import ClusterUnavailable
from kmirror.flows.answers import Answers
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import ClusterState
from kmirror.state.progress import Progress
from kmirror.state.status import FlowState, StatusBoard
from tests.support.driver import A_TO_B
from tests.support.fake_flow import fake_clients, flow_config


class Cluster(FakeAdmin):
    """A cluster that may be away, and counts who asks."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.asked = 0
        self.refused = 0
        self.renewals = 0

    def outage(self) -> Outage:
        return Outage(
            times=self.refused,
            why=f"{self.refused} x Connection refused",
            renewals=self.renewals,
        )

    def describe(self) -> ClusterState:
        self.asked += 1
        if self.is_away:
            raise ClusterUnavailable("away")
        return super().describe()


class Watched:
    """A flow whose clusters are asked when a test says so."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.progress = Progress()
        self.progress.begin({TopicPartition("t", 0): 0})
        self.source, self.target = Cluster(), Cluster()
        clients = fake_clients(flow_config(folder, "broker-b:9092"), self.source)
        clients = replace(clients, target=self.target)
        self.board = StatusBoard(A_TO_B)
        self.board.set_state(FlowState.RUNNING, "copying")
        self.of_jvm = ""
        self.answers = Answers(
            A_TO_B,
            clients,
            self.progress,
            self.board,
            of_jvm=lambda: self.of_jvm,
            clock=self.clock,
        )

    def pass_by(self, seconds: int, *, source: bool = True, target: bool = True) -> None:
        """Let time pass, in which clusters answer or not."""
        self.source.is_away, self.target.is_away = not source, not target
        for _ in range(seconds):
            self.clock.advance(1)
            for cluster in (self.answers._source, self.answers._target):
                with suppress(ClusterUnavailable):
                    cluster.ask()


def test_both_answer(tmp_path: Path) -> None:
    """Each is asked every 2 s."""
    watched = Watched(tmp_path)
    watched.pass_by(60)
    assert watched.answers.silence() == ""
    assert watched.source.asked == watched.target.asked == 30


def test_a_cluster_is_silent(tmp_path: Path) -> None:
    """Within 10 s, by name and address; when it answers again, that is over."""
    watched = Watched(tmp_path)
    watched.pass_by(6)
    watched.pass_by(8, target=False)
    assert watched.answers.silence() == "cluster B (broker-b:9092): no answer for 7 s"
    watched.pass_by(1)
    assert watched.answers.silence() == ""
    watched.pass_by(9, source=False)
    assert watched.answers.silence() == "cluster A (a:9092): no answer for 7 s"
    watched.answers.heard_source()
    assert watched.answers.silence() == ""


def test_who_refuses_connections_is_silent_at_once(tmp_path: Path) -> None:
    """It says why; who has answered somebody since then is given time again."""
    watched = Watched(tmp_path)
    watched.pass_by(6)
    watched.source.refused = 2
    assert watched.answers.silence() == ""
    watched.pass_by(4, source=False)
    told = "cluster A (a:9092): no answer for 3 s (2 x Connection refused)"
    assert watched.answers.silence() == told
    watched.answers.heard_source()
    watched.pass_by(4, source=False)
    assert watched.answers.silence() == ""
    watched.source.refused = 3
    told = "cluster A (a:9092): no answer for 4 s (3 x Connection refused)"
    assert watched.answers.silence() == told


def test_both_are_silent(tmp_path: Path) -> None:
    """Neither hides the other."""
    watched = Watched(tmp_path)
    watched.pass_by(6)
    watched.pass_by(8, source=False, target=False)
    words = "no answer for 7 s"
    told = f"cluster A (a:9092): {words}; cluster B (broker-b:9092): {words}"
    assert watched.answers.silence() == told


def test_silence_is_shown_while_others_wait(tmp_path: Path) -> None:
    """Whoever looks after the flow may wait for the same cluster; a flow that ends is let end."""
    watched = Watched(tmp_path)
    watched.pass_by(6)
    watched.answers.show()
    assert watched.board.status.state is FlowState.RUNNING
    watched.pass_by(8, source=False)
    watched.answers.show()
    assert watched.board.status.state is FlowState.WAITING
    assert watched.board.status.words == "cluster A (a:9092): no answer for 7 s"
    watched.board.set_state(FlowState.STOPPING, "finishing the open transactions")
    watched.answers.show()
    assert watched.board.status.words == "finishing the open transactions"


def test_a_jvm_that_hangs_is_shown_at_once(tmp_path: Path) -> None:
    """Although clusters answer, and whoever looks after the flow waits for the JVM."""
    watched = Watched(tmp_path)
    watched.pass_by(6)
    watched.of_jvm = "Spark's JVM: no answer for 7 s"
    watched.answers.show()
    assert watched.board.status.state is FlowState.WAITING
    assert watched.board.status.words == "Spark's JVM: no answer for 7 s"


def test_who_is_not_asked_is_not_silent(tmp_path: Path) -> None:
    """With very many partitions it takes a while until there is something to ask."""
    watched = Watched(tmp_path)
    watched.clock.advance(60)
    assert watched.answers.silence() == ""
    watched.pass_by(1)
    watched.clock.advance(60)
    assert watched.answers.silence() == ""


def test_commits_are_answers(tmp_path: Path) -> None:
    """On a link that is full, questions take their time."""
    watched = Watched(tmp_path)
    for second in range(60):
        watched.progress.last_commit_ms = second
        watched.pass_by(1, target=False)
        assert watched.answers.silence() == ""


def test_who_has_answered_somebody_is_not_asked(tmp_path: Path) -> None:
    """The ends of the source's logs are asked for every second or so, and the target for orders."""
    watched = Watched(tmp_path)
    for _ in range(60):
        watched.answers.heard_source()
        watched.answers.heard_target()
        watched.pass_by(1)
    assert watched.source.asked == watched.target.asked == 0
    assert watched.answers.silence() == ""


def test_a_cluster_that_lets_new_clients_in(tmp_path: Path) -> None:
    """Those of the lanes are old ones; but as long as nobody is let in, it is only waited."""
    watched = Watched(tmp_path)
    watched.pass_by(10)
    watched.target.renewals = 1
    watched.pass_by(60, target=False)
    watched.answers.check()
    watched.pass_by(10)
    with pytest.raises(ClusterUnavailable, match="let new clients in"):
        watched.answers.check()
