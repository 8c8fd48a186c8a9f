"""A cluster that does not answer is seen before any request gives up, in virtual time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.errors import ClusterUnavailable
from kmirror.flows.answers import Answers
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import ClusterState
from kmirror.state.progress import Progress
from tests.support.driver import A_TO_B
from tests.support.fake_flow import fake_clients, flow_config


class Mute(FakeAdmin):
    """A cluster that answers when it likes."""

    is_away = False
    asked = 0

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
        self.source, self.target = Mute(), Mute()
        clients = fake_clients(flow_config(folder, "broker-b:9092"), self.source)
        clients = replace(clients, target=self.target)
        self.answers = Answers(A_TO_B, clients, self.progress, self.clock)

    def pass_by(self, seconds: int, *, looks: bool = False) -> None:
        """Let time pass, in which both are asked, and somebody looks at the source's ends."""
        for _ in range(seconds):
            for ask in (self.answers._ask_target, self.answers._ask_source):
                with suppress(ClusterUnavailable):
                    ask()
            self.clock.advance(1)
            if looks:
                self.answers.heard_source()


def test_both_answer(tmp_path: Path) -> None:
    """The source is asked only if nobody else has an answer of it."""
    watched = Watched(tmp_path)
    watched.pass_by(60)
    assert watched.answers.silence() == ""
    asked = watched.source.asked
    assert asked > 0
    watched.answers.heard_source()
    watched.pass_by(60, looks=True)
    assert watched.answers.silence() == ""
    assert watched.source.asked == asked


def test_a_cluster_is_silent(tmp_path: Path) -> None:
    """Within 10 s, by name and address; when it answers again, that is over."""
    watched = Watched(tmp_path)
    watched.pass_by(5)
    watched.target.is_away = True
    watched.pass_by(8)
    assert watched.answers.silence() == "cluster B (broker-b:9092): no answer for 8 s"
    watched.target.is_away = False
    watched.pass_by(1)
    assert watched.answers.silence() == ""
    watched.source.is_away = True
    watched.pass_by(8)
    assert watched.answers.silence() == "cluster A (a:9092): no answer for 8 s"
    watched.answers.heard_source()
    assert watched.answers.silence() == ""


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
    watched.target.is_away = True
    for second in range(60):
        watched.progress.last_commit_ms = second
        watched.pass_by(1)
        assert watched.answers.silence() == ""
