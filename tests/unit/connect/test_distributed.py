"""Two workers of a group, with topics in memory and flows that run nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.connect.config_state import ConfigFold, ConfigState
from kmirror.connect.connector_offsets import ConnectorOffsets
from kmirror.connect.distributed import DistributedHerder
from kmirror.connect.loggers import Loggers
from kmirror.connect.model import ConnectorOffset, TargetState
from kmirror.connect.status_state import Statuses, StatusFold
from kmirror.connect.worker_face import HEALTHY, HerderParts
from kmirror.connect.zero_offsets import MemoryOffsets, ZeroOffsets
from kmirror.control.caller import Caller, Role
from kmirror.errors import AlreadyExists, RebalanceNeeded
from kmirror.model import Flow
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.runtime.worker import Worker
from kmirror.state.status import FlowState
from kmirror.wire.connect_configs import ClusterLoggerLevel, ConfigRecord
from kmirror.wire.connect_statuses import StatusRecord
from tests.support.connect_files import HEARTBEAT, connector, worker
from tests.support.fake_flow import unused
from tests.support.fake_host import FakeFlows, FakePulse

ADMIN = Caller(name="ann", role=Role.ADMIN, address="here")
RUNNING, PAUSED, STOPPED = TargetState.RUNNING, TargetState.PAUSED, TargetState.STOPPED
_S_MAX = 20.0


class Topics:
    """What lies on the workers' cluster."""

    def __init__(self) -> None:
        self.config, self.status = ConfigFold(), StatusFold()
        self.lock = threading.Lock()
        self.claimed_by: object = None
        self.listeners: list[Callable[[ConfigRecord], object]] = []
        # Whoever writes so often finds that another one has claimed.
        self.rivals = 0


class MemoryStore:
    """One worker's view of them."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics

    def snapshot(self) -> ConfigState:
        with self._topics.lock:
            return self._topics.config.state()

    def claim(self) -> ConfigState:
        self._topics.claimed_by = self
        return self.snapshot()

    def write(self, records: Sequence[ConfigRecord]) -> ConfigState:
        with self._topics.lock:
            if self._topics.rivals or self._topics.claimed_by is not self:
                self._topics.rivals -= 1
                raise RebalanceNeeded("another one has claimed")
            for record in records:
                self._topics.config.take(record, self._topics.config.state().version)
        for listener in self._topics.listeners:
            for record in records:
                listener(record)
        return self.snapshot()

    def put_logger_level(self, logger: str, level: str) -> None:
        for listener in self._topics.listeners:
            listener(ClusterLoggerLevel(logger=logger, level=level))

    def statuses(self) -> Statuses:
        with self._topics.lock:
            return self._topics.status.state()

    def put_statuses(self, records: Sequence[StatusRecord]) -> None:
        with self._topics.lock:
            for record in records:
                self._topics.status.take(record)


class Told:
    """The other workers, as a test says."""

    def __init__(self) -> None:
        self.own: frozenset[str] = frozenset()
        self.lost: frozenset[str] = frozenset()
        self.back: frozenset[str] = frozenset()
        self.owned: dict[str, str] = {}
        self.is_member = True
        self.leads = False
        self.leaves = False
        self.number = 1_800_000_000_000
        self.held: set[str] = set()

    def mine(
        self, parts: Mapping[str, Collection[str]], running: Collection[str]
    ) -> frozenset[str]:
        assert all(parts.values())
        assert set(running) <= set(parts)
        return self.own

    def take_lost(self) -> frozenset[str]:
        lost, self.lost = self.lost, frozenset()
        return lost

    def may_take_back(self, fenced: Mapping[str, str]) -> frozenset[str]:
        return frozenset(fenced) & self.back

    def owners(self) -> Mapping[str, str]:
        return self.owned

    def holds(self, flows: Collection[str]) -> bool:
        return not self.held.isdisjoint(flows)


class Member:
    """A worker of the group."""

    def __init__(self, name: str, folder: Path, topics: Topics) -> None:
        self.id = f"{name}:8083"
        self.flows, self.pulse, self.others = FakeFlows(), FakePulse(), Told()
        config, clock = worker(folder), SystemClock()
        self.levels: list[tuple[str, str]] = []
        zeros = ZeroOffsets(MemoryOffsets(), clock)
        parts = HerderParts(
            config=config,
            worker=Worker(self.flows, self.pulse),
            worker_id=self.id,
            cluster_id="an-id",
            loggers=Loggers(lambda name, level: self.levels.append((name, level)), clock),
            offsets=ConnectorOffsets(config, zeros, unused(JvmClients), clock),
            clock=clock,
        )
        self.herder = DistributedHerder(parts, MemoryStore(topics), self.others)
        topics.listeners.append(self.herder.listen)

    def state(self, name: str) -> str:
        return self.herder.status(name).connector.state.value

    @contextmanager
    def running(self) -> Iterator[None]:
        stop = threading.Event()
        thread = threading.Thread(target=self.herder.run, args=(stop,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(_S_MAX)


class Pair:
    """Two workers; the first leads."""

    def __init__(self, folder: Path) -> None:
        self.topics = Topics()
        self.one, self.two = (Member(name, folder, self.topics) for name in ("one", "two"))
        self.one.others.leads = True

    def give(self, share: str, owner: Member) -> None:
        """Let a worker have something, and the other not."""
        for each in (self.one, self.two):
            others = each.others
            others.owned[share] = owner.id
            if each is owner:
                others.own |= {share}
            else:
                others.own -= {share}
                others.lost |= {share}


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    """Give two workers that run."""
    found = Pair(tmp_path)
    with ExitStack() as stack:
        for each in (found.one, found.two):
            stack.enter_context(each.running())
        yield found


def wait(condition: Callable[[], object], what: str = "it is so") -> None:
    wait_until(lambda: bool(condition()), what, timeout_s=_S_MAX)


def test_a_flow_runs_where_it_is_given_to_and_all_can_tell(pair: Pair) -> None:
    pair.two.herder.create("c", connector(), RUNNING, ADMIN)
    assert pair.one.herder.shared() == ("A->B",)
    assert pair.one.state("c") == "UNASSIGNED"
    assert "waits for a worker" in pair.one.herder.status("c").connector.trace
    pair.give("A->B", pair.one)
    wait(lambda: pair.one.state("c") == pair.two.state("c") == "RUNNING")
    assert not pair.two.flows.running
    assert pair.two.herder.status("c").tasks[0].worker_id == pair.one.id
    flow = Flow("A", "B")
    assert (pair.one.herder.owner(flow), pair.two.herder.owner(flow)) == ("", pair.one.id)
    wait(lambda: pair.two.herder.topics("c") == ("A.t",))
    pair.two.herder.reset_topics("c", ADMIN)
    assert pair.two.herder.topics("c") == ()
    pair.give("A->B", pair.two)
    wait(lambda: pair.one.herder.status("c").connector.worker_id == pair.two.id)
    wait(lambda: pair.one.state("c") == "RUNNING" and not pair.one.flows.running)


def test_a_flow_that_another_had_meanwhile_begins_anew(pair: Pair) -> None:
    """Whatever has become of it here: it was fenced, or will be."""
    pair.one.herder.create("c", connector(), RUNNING, ADMIN)
    pair.give("A->B", pair.one)
    wait(lambda: pair.one.flows.told == ["add A->B"])
    pair.one.others.lost = frozenset({"A->B"})
    wait(lambda: pair.one.flows.told == ["add A->B", "remove A->B", "add A->B"])


def test_what_lies_where_a_late_claim_has_left_it_begins_anew(pair: Pair) -> None:
    pair.one.herder.create("c", connector(), RUNNING, ADMIN)
    pair.give("A->B", pair.one)
    wait(lambda: pair.one.flows.told == ["add A->B"])
    pair.one.others.back = frozenset({"A->B"})
    flow = Flow("A", "B")
    pair.one.flows.running[flow] = replace(pair.one.flows.running[flow], fenced_by="1234abcd")
    pair.one.flows.ends(flow, FlowState.FENCED, "another has it")
    wait(lambda: pair.one.flows.told == ["add A->B", "remove A->B", "add A->B"])
    wait(lambda: pair.one.state("c") == "RUNNING")


def test_who_leaves_copies_until_another_has_claimed(pair: Pair) -> None:
    pair.one.herder.create("c", connector(), RUNNING, ADMIN)
    pair.give("A->B", pair.one)
    wait(lambda: pair.one.flows.running)
    pair.one.others.leaves = True
    pair.give("A->B", pair.two)
    wait(lambda: pair.two.flows.running)
    assert pair.one.flows.told == ["add A->B"]


def test_requests_reach_the_worker_that_has_it(pair: Pair) -> None:
    pair.one.herder.create("c", connector(), RUNNING, ADMIN)
    pair.give("A->B", pair.one)
    wait(lambda: pair.two.state("c") == "RUNNING")
    pair.two.herder.restart("c", include_tasks=True, only_failed=False, by=ADMIN)
    wait(lambda: "restart A->B" in pair.one.flows.told)
    assert pair.two.flows.told == []
    pair.two.herder.set_state("c", PAUSED, ADMIN)
    wait(lambda: pair.two.state("c") == "PAUSED")
    pair.two.herder.set_logger("org.apache", "DEBUG", everywhere=True, by=ADMIN)
    assert ("org.apache", "DEBUG") in pair.one.levels
    pair.two.herder.set_state("c", STOPPED, ADMIN)
    wait(lambda: not pair.one.flows.running)
    assert pair.two.state("c") == "STOPPED"
    pair.one.others.leads = True
    wait(lambda: not MemoryStore(pair.topics).statuses().tasks.get("c"))
    pair.two.herder.delete("c", ADMIN)
    wait(lambda: "c" not in MemoryStore(pair.topics).statuses().connectors)
    assert pair.one.herder.connectors() == ()


def test_two_that_write_at_once_do_so_one_after_the_other(pair: Pair) -> None:
    """Whoever comes second decides again, by what the first has written."""
    pair.topics.rivals = 3
    pair.one.herder.create("c", connector(), RUNNING, ADMIN)
    with pytest.raises(AlreadyExists):
        pair.two.herder.create("c", connector(), RUNNING, ADMIN)
    pair.topics.rivals = 100
    with pytest.raises(RebalanceNeeded, match="a rebalance is expected"):
        pair.two.herder.delete("c", ADMIN)


def test_who_is_not_heard_changes_nothing(pair: Pair) -> None:
    wait(lambda: pair.two.herder.health() == HEALTHY)
    pair.two.others.is_member = False
    with pytest.raises(RebalanceNeeded):
        pair.two.herder.create("c", connector(), RUNNING, ADMIN)
    assert pair.one.herder.connectors() == ()


def test_offsets_wait_until_nobody_has_the_flow(pair: Pair) -> None:
    pair.one.herder.create("h", connector(HEARTBEAT), STOPPED, ADMIN)
    moved = ConnectorOffset(
        partition={"sourceClusterAlias": "A", "targetClusterAlias": "B"}, offset={"offset": 0}
    )
    pair.two.herder.alter_offsets("h", (moved,), ADMIN)
    assert pair.two.state("h") == "STOPPED"
