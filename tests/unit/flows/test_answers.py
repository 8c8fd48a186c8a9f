"""A cluster that does not answer is seen before any request gives up, in virtual time."""

from __future__ import annotations

from pathlib import Path

from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.flows.answers import Answers
from kmirror.model import TopicPartition
from kmirror.state.progress import Progress
from tests.support.driver import A_TO_B
from tests.support.fake_flow import fake_clients, flow_config


class Watched:
    """A flow whose target is asked when a test says so."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.progress = Progress()
        self.progress.begin({TopicPartition("t", 0): 0})
        clients = fake_clients(flow_config(folder, "broker-b:9092"), FakeAdmin())
        self.answers = Answers(A_TO_B, clients, self.progress, self.clock)

    def pass_by(self, seconds: int, *, source: bool = True, target: bool = True) -> None:
        """Let time pass, in which clusters answer or not."""
        for _ in range(seconds):
            self.clock.advance(1)
            if source:
                self.answers.heard_source()
            if target:
                self.answers._ask()


def test_both_answer(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.pass_by(60)
    assert watched.answers.silence() == ""


def test_a_cluster_is_silent(tmp_path: Path) -> None:
    """Within 10 s, by name and address; when it answers again, that is over."""
    watched = Watched(tmp_path)
    watched.pass_by(5)
    watched.pass_by(8, target=False)
    assert watched.answers.silence() == "cluster B (broker-b:9092): no answer for 8 s"
    watched.pass_by(1)
    assert watched.answers.silence() == ""
    watched.pass_by(8, source=False)
    assert watched.answers.silence() == "cluster A (a:9092): no answer for 8 s"


def test_commits_are_answers(tmp_path: Path) -> None:
    """On a link that is full, questions take their time."""
    watched = Watched(tmp_path)
    for second in range(60):
        watched.progress.last_commit_ms = second
        watched.pass_by(1, target=False)
        assert watched.answers.silence() == ""


def test_a_flow_with_nothing_to_copy_asks_the_source_itself(tmp_path: Path) -> None:
    """All of it is parked, or its topics are still to come: nobody reads, and nothing is wrong."""
    watched = Watched(tmp_path)
    watched.progress.begin({})
    watched.pass_by(60, source=False)
    assert watched.answers.silence() == ""
