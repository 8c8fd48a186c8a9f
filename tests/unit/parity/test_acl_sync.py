"""ACLs copied on clusters in memory: what is told, how often, and what the file asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.config.load import load
from kmirror.errors import ClusterError, ClusterUnavailable, NotAuthorized
from kmirror.model import Flow
from kmirror.parity.acl_sync import AclSync
from kmirror.parity.flow_plan import apply_flow, asked_again, plan_flow
from kmirror.plans.acl_binding import AclBinding
from tests.support.bindings import acl
from tests.support.fake_flow import fake_clients
from tests.unit.parity.test_settings_sync import FILE, heard

DENIED = NotAuthorized("B: not authorized to change its ACLs", hint="grant Alter")


class Memory:
    """What a flow has created, and everything that was written down of it."""

    def __init__(self) -> None:
        self.found: set[AclBinding] = set()
        self.written: list[tuple[str, AclBinding]] = []
        self.refuses: ClusterError | None = None

    def read(self) -> frozenset[AclBinding]:
        return frozenset(self.found)

    def note(self, bindings: Iterable[AclBinding], state: str) -> None:
        if self.refuses is not None:
            raise self.refuses
        for each in bindings:
            self.found.add(each)
            self.written.append((state, each))

    def forget(self, bindings: Iterable[AclBinding]) -> None:
        for each in bindings:
            self.found.discard(each)
            self.written.append(("forgotten", each))


class World:
    """Two clusters, and what gives the one the ACLs of the other."""

    def __init__(self, folder: Path, *lines: str) -> None:
        file = folder / "mm2.properties"
        file.write_text(FILE + "".join(f"{line}\n" for line in lines))
        self.config = load(file, environ={}).flow(Flow("A", "B"))
        self.source, self.target = FakeAdmin("A"), FakeAdmin("B")
        self.source.acls().bindings = {acl("t1"), acl("t2", "WRITE"), acl("t3", "ALL", "bob")}
        self.clients = replace(fake_clients(self.config, self.source), target=self.target)
        self.memory = Memory()
        self.sync = AclSync(
            self.config,
            self.clients,
            ManualClock(),
            self.memory if self.config.acls.is_exact else None,
        )


def test_they_are_copied_and_told_once(tmp_path: Path) -> None:
    """One line for a round, none for a round without news; nothing is ever taken away."""
    world = World(tmp_path)
    copies = {acl("A.t1"), acl("A.t3", "READ", "bob")}
    with heard() as lines:
        world.sync.sync()
        world.sync.sync()
        world.source.acls().bindings = {acl("t4")}
        world.sync.sync()
    assert lines == [
        "topic_acls.changed: A->B: allow User:alice Read on topic A.t1 (as on t1), allow User:bob "
        "Read on topic A.t3 (All on t3, and a copy is written by the flow alone)",
        "topic_acls.changed: A->B: allow User:alice Read on topic A.t4 (as on t4)",
    ]
    assert world.target.acls().bindings == {*copies, acl("A.t4")}


@pytest.mark.parametrize("line", ["enabled = false", "interval.seconds = -1"])
def test_the_file_switches_it_off(tmp_path: Path, line: str) -> None:
    world = World(tmp_path, f"sync.topic.acls.{line}")
    world.sync.sync()
    assert not world.target.acls().bindings


@pytest.mark.parametrize("end", ["source", "target"])
@pytest.mark.parametrize("is_asked", [False, True])
def test_a_missing_right(tmp_path: Path, end: str, is_asked: bool) -> None:
    """It is told once; it is a failure only of who has asked for ACLs."""
    world = World(tmp_path, *(["sync.topic.acls.enabled = true"] if is_asked else []))
    cluster = world.source if end == "source" else world.target
    cluster.acls().unreadable = cluster.acls().unalterable = DENIED
    with heard() as lines:
        world.sync.sync()
        world.sync.sync()
    name = "kept" if is_asked else "left"
    assert lines == [f"topic_acls.{name}: A->B: ACLs of topics are not copied: {DENIED}"]
    plan = plan_flow(world.config, world.source, world.target)
    assert plan.is_possible is not is_asked
    assert apply_flow(world.target, plan).is_complete is not is_asked
    assert not world.target.acls().bindings
    cluster.acls().unreadable = cluster.acls().unalterable = None
    world.sync.sync()
    assert world.target.acls().bindings


def test_a_target_that_only_reads(tmp_path: Path) -> None:
    """What is planned is shown as what cannot be done, if somebody wants it."""
    world = World(tmp_path, "sync.topic.acls.enabled = true")
    world.target.acls().unalterable = DENIED
    plan = plan_flow(world.config, world.source, world.target)
    assert len(plan.acls.plan.create) == 2
    assert not plan.is_possible


def test_a_cluster_that_is_away_is_no_obstacle(tmp_path: Path) -> None:
    """It is trouble, as everywhere."""
    world = World(tmp_path)
    world.target.acls().unalterable = ClusterUnavailable("timed out")
    with pytest.raises(ClusterUnavailable):
        world.sync.sync()


EXACT = "kmirror.acls = exact"
COPIES = {acl("A.t1")}


@pytest.fixture
def exact(tmp_path: Path) -> World:
    """Give clusters with an ACL of a topic, and one of a group that somebody else has copied."""
    world = World(tmp_path, EXACT)
    group = acl("g1", resource="GROUP")
    world.source.acls().bindings = {acl("t1"), group}
    world.target.acls().bindings = {group}
    return world


def test_what_is_gone_is_removed_if_it_was_ours(exact: World) -> None:
    """When it is gone for the second time; what others have given stays, whatever it is."""
    theirs = acl("g1", resource="GROUP")
    with heard() as lines:
        exact.sync.sync()
        exact.source.acls().bindings = {acl("other")}
        exact.sync.sync()
        assert exact.target.acls().bindings == {theirs, *COPIES}
        exact.sync.sync()
    assert exact.target.acls().bindings == {theirs}
    assert lines == [
        "topic_acls.changed: A->B: allow User:alice Read on topic A.t1 (as on topic t1)",
        "topic_acls.changed: A->B: remove allow User:alice Read on topic A.t1 "
        "(the source has it no more)",
    ]
    assert [state for state, _ in exact.memory.written] == ["creating", "created", "forgotten"]


def test_what_comes_back_in_time_is_not_removed(exact: World) -> None:
    """A broker that knows less than the others took nothing away."""
    exact.sync.sync()
    for bindings in ({acl("other")}, {acl("t1")}, {acl("other")}):
        exact.source.acls().bindings = bindings
        exact.sync.sync()
    assert exact.target.acls().bindings >= COPIES


def test_nothing_at_all_is_no_evidence(exact: World) -> None:
    """Brokers that were started without their authorizer have nothing to show."""
    exact.sync.sync()
    exact.source.acls().bindings.clear()
    for _ in range(3):
        exact.sync.sync()
    assert exact.target.acls().bindings >= COPIES


def test_no_right_is_no_evidence(exact: World) -> None:
    """What may not be read is not gone."""
    exact.sync.sync()
    exact.source.acls().unreadable = DENIED
    for _ in range(3):
        exact.sync.sync()
    assert exact.target.acls().bindings >= COPIES


def test_what_cannot_be_written_down_is_not_created(exact: World) -> None:
    """Else it would never be taken away again."""
    exact.memory.refuses = ClusterError("no")
    with pytest.raises(ClusterError, match="no"):
        exact.sync.sync()
    assert not exact.target.acls().bindings & COPIES


@pytest.mark.parametrize(
    ("error", "is_known"), [(ClusterUnavailable("away"), True), (ClusterError("no"), False)]
)
def test_what_was_not_created_is_not_ours(
    exact: World, error: ClusterError, is_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else may create it now; only of a lost answer nobody knows what came of it."""
    refused = dict.fromkeys(COPIES, error)
    monkeypatch.setattr(exact.target.acls(), "create", lambda _: refused)
    if error.retriable:
        with pytest.raises(ClusterUnavailable):
            exact.sync.sync()
    else:
        exact.sync.sync()
    assert (exact.memory.found == COPIES) is is_known


def test_a_hand_that_was_faster(exact: World) -> None:
    """What somebody has taken away already is forgotten, so that it is not ours any more."""
    exact.sync.sync()
    exact.source.acls().bindings = {acl("other")}
    exact.target.acls().bindings.clear()
    exact.sync.sync()
    exact.sync.sync()
    assert not exact.memory.found


def test_applied_once_is_enough(exact: World) -> None:
    """Also what is removed; and a plan shows it before."""
    memory = exact.memory
    apply_flow(
        exact.target, plan_flow(exact.config, exact.source, exact.target, memory=memory), memory
    )
    exact.source.acls().bindings = {acl("t2")}
    plan = plan_flow(exact.config, exact.source, exact.target, memory=memory)
    assert [gone.binding for gone in plan.acls.plan.remove] == [*COPIES]
    outcome = apply_flow(exact.target, plan, memory)
    assert (len(outcome.acls.created), len(outcome.acls.removed)) == (1, 1)
    assert not plan_flow(exact.config, exact.source, exact.target, memory=memory)


@pytest.mark.parametrize("comes_back", [False, True])
def test_an_apply_asks_twice_before_it_takes_away(exact: World, comes_back: bool) -> None:
    """As a running flow does; meanwhile some time has passed."""
    memory, clock = exact.memory, ManualClock()
    exact.sync.sync()
    exact.source.acls().bindings = {acl("other")}
    plan = plan_flow(exact.config, exact.source, exact.target, memory=memory)
    if comes_back:
        exact.source.acls().bindings = {acl("t1")}
    plan = asked_again(plan, exact.config, exact.clients, memory, clock)
    assert clock.monotonic_s() == 10
    assert apply_flow(exact.target, plan, memory).is_complete
    assert (exact.target.acls().bindings >= COPIES) is comes_back
