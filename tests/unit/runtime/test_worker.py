"""A worker that is given work, with flows and heartbeats that only note what they are told."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from kmirror.config.flows import FlowConfig
from kmirror.config.load import load
from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow
from kmirror.runtime.node_plan import NodePlan
from kmirror.runtime.pulse import Beats
from kmirror.runtime.worker import Work, Worker
from tests.support.driver import A_TO_B, write_properties
from tests.support.fake_host import FakeFlows, FakePulse

_S_MAX = 20.0


class Failing(FakePulse):
    """Its second heartbeats cannot be written at first."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = True

    def begin(self, name: str, beats: Beats) -> None:
        if self.fails and self.beating:
            raise ClusterUnavailable("no key store")
        super().begin(name, beats)

    def end(self, names: Iterable[str]) -> None:
        super().end(list(names))


def test_work_that_failed_half_way_is_done_again_and_nothing_twice(tmp_path: Path) -> None:
    plan = NodePlan(load(write_properties(tmp_path, "a:9092", "b:9092"), environ={}))
    flows, pulse = FakeFlows(), Failing()
    worker = Worker(flows, pulse, checks=False)
    work = plan.work([A_TO_B])
    assert len(work.beats) > 1
    for _ in range(2):
        with pytest.raises(ClusterUnavailable):
            worker.do(work)
    assert flows.told == ["add A->B"]
    pulse.fails = False
    worker.do(work)
    assert flows.told == ["add A->B"]
    assert pulse.beating == {str(flow): beats for flow, beats in work.beats.items()}
    worker.do(plan.work([]))
    assert (flows.told[-1], pulse.beating) == ("remove A->B", {})
    assert worker.status(Flow("A", "B")) is None


class Small(FakeFlows):
    """Counts as executors do: what runs has its room, and more needs cores."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room
        self.needed = 0

    def lack_for(self, flows: Iterable[FlowConfig]) -> str:
        count = len(list(flows))
        return "" if count <= max(self.room, self.needed) else "there is no room"

    def need(self, flows: Iterable[FlowConfig]) -> None:
        self.needed = len(list(flows))


def test_what_finds_no_room_says_so_and_begins_when_there_is_some(tmp_path: Path) -> None:
    lines = ("A->C.enabled = true", "C.bootstrap.servers = c:9092", "clusters = A, B, C")
    plan = NodePlan(load(write_properties(tmp_path, "a:9092", "b:9092", *lines), environ={}))
    both = [A_TO_B, Flow("A", "C")]
    assert set(both) == set(plan.flows)
    flows = Small(room=1)
    worker = Worker(flows, FakePulse())
    worker.do(plan.work(both))
    runs, other = (each.flow for each in plan.config.flows)
    assert set(flows.running) == {runs}, "the first that there is room for"
    assert flows.needed == 1
    assert "there is no room" in worker.trouble(other)
    assert worker.trouble(runs) == ""
    worker.do(plan.work([other]))
    assert set(flows.running) == {other}
    assert worker.trouble(other) == ""


def test_who_does_not_look_takes_over_whatever_there_is(tmp_path: Path) -> None:
    """A node's executors may be away for a moment: the flow waits for them, and says so."""
    plan = NodePlan(load(write_properties(tmp_path, "a:9092", "b:9092"), environ={}))
    flows = Small(room=0)
    worker = Worker(flows, FakePulse(), checks=False)
    worker.do(plan.work([A_TO_B]))
    assert set(flows.running) == {A_TO_B}
    assert flows.needed == 1


class Stuck(FakeFlows):
    """A change fails half way."""

    fails = True

    def change(self, config: FlowConfig, *, live: bool) -> bool:
        if self.fails:
            raise ClusterUnavailable("a key store is gone")
        return super().change(config, live=live)


def test_what_could_not_be_changed_begins_anew_or_ends(tmp_path: Path) -> None:
    """It is never two of them, and never one that nobody knows of."""

    def work(topics: str) -> Work:
        file = write_properties(tmp_path, "a:9092", "b:9092", topics=topics)
        return NodePlan(load(file, environ={})).work([A_TO_B])

    flows = Stuck()
    worker = Worker(flows, FakePulse(), checks=False)
    worker.do(work("one"))
    worker.do(work("other"))
    assert "a key store is gone" in worker.trouble(A_TO_B)
    worker.do(work("other"))
    assert flows.told == ["add A->B", "remove A->B", "add A->B"]
    assert worker.trouble(A_TO_B) == ""
    worker.do(work("third"))
    worker.do(Work())
    assert flows.running == {}


class Slow(FakeFlows):
    """Its flows end when they are let."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room
        self.may_end, self.was_added = threading.Event(), threading.Event()

    def add(self, config: FlowConfig) -> None:
        super().add(config)
        self.was_added.set()

    def remove(self, flow: Flow) -> None:
        assert self.may_end.wait(_S_MAX)
        super().remove(flow)


@pytest.mark.parametrize("room", [1, 2])
def test_what_begins_waits_for_what_ends_only_where_room_is_short(
    tmp_path: Path, room: int
) -> None:
    lines = ("A->C.enabled = true", "C.bootstrap.servers = c:9092", "clusters = A, B, C")
    plan = NodePlan(load(write_properties(tmp_path, "a:9092", "b:9092", *lines), environ={}))
    one, other = A_TO_B, Flow("A", "C")
    flows = Slow(room)
    worker = Worker(flows, FakePulse())
    worker.do(plan.work([one]))
    flows.was_added.clear()
    doing = threading.Thread(target=worker.do, args=(plan.work([other]),))
    doing.start()
    if room > 1:
        assert flows.was_added.wait(_S_MAX)
        assert set(flows.running) == {one, other}
    flows.may_end.set()
    doing.join(_S_MAX)
    assert set(flows.running) == {other}
    last = ["add A->C", "remove A->B"] if room > 1 else ["remove A->B", "add A->C"]
    assert flows.told == ["add A->B", *last]
