"""A worker without a group, with flows that run nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kmirror.connect.model import ConnectorOffset, TargetState, WorkerState
from kmirror.connect.worker_face import HEALTHY, STARTING
from kmirror.control.caller import Caller, Role
from kmirror.errors import (
    AlreadyExists,
    BadRequest,
    ClusterUnavailable,
    NotAllowed,
    NotFound,
    Problem,
)
from kmirror.model import Flow, TopicPartition
from kmirror.state.status import FlowState, FlowStatus, ParkedPartition
from tests.support.connect_files import CHECKPOINT, HEARTBEAT, connector, posted
from tests.support.fake_host import FakeFlows
from tests.support.standing_worker import ADMIN, Standing, running

AB = Flow("A", "B")
RUNNING, PAUSED, STOPPED = TargetState.RUNNING, TargetState.PAUSED, TargetState.STOPPED
_S_MAX = 20.0


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[Standing]:
    """Give a worker that runs."""
    found = Standing(tmp_path)
    with running(found.herder):
        yield found


def test_a_worker_says_what_it_is(tmp_path: Path) -> None:
    found = Standing(tmp_path)
    assert found.herder.info().kafka_cluster_id == "an-id"
    assert found.herder.health() == STARTING
    with running(found.herder):
        found.wait(lambda: found.herder.health() == HEALTHY)


def test_three_connectors_are_one_flow(standing: Standing) -> None:
    """As the examples are posted; each has its own state and its own tasks."""
    for name in ("source", "checkpoint", "heartbeats"):
        ((connector_name, config),) = posted(f"connect-{name}.json").items()
        made = standing.herder.create(connector_name, config, RUNNING, ADMIN)
        assert made.config["name"] == connector_name
    names = standing.herder.connectors()
    assert names == ("public-test", "public-test-checkpoint", "public-test-heartbeats")
    standing.wait(lambda: {standing.state(name) for name in names} == {"RUNNING"})
    assert list(standing.flows.running) == [AB]
    assert standing.flows.configs[AB].consumers.follows_groups
    (task,) = standing.herder.tasks("public-test")
    assert task.config["task.assigned.partitions"] == "t-0"
    assert task.config["task.class"] == "org.apache.kafka.connect.mirror.MirrorSourceTask"
    assert standing.herder.connector("public-test").tasks == (task.id,)
    assert standing.herder.task_status("public-test", 0).state is WorkerState.RUNNING
    assert standing.herder.topics("public-test") == ("A_t",)
    assert standing.herder.topics("public-test-heartbeats") == ("heartbeats",)
    standing.herder.reset_topics("public-test", ADMIN)
    assert standing.herder.topics("public-test") == ()


def test_a_drivers_file_is_all_its_flows(standing: Standing) -> None:
    """Its tasks are numbered through them; it is refused where another connector has one."""
    ((name, config),) = posted("connect-bidirectional.json").items()
    standing.herder.create(name, config, RUNNING, ADMIN)
    standing.wait(lambda: standing.state(name) == "RUNNING")
    assert len(standing.flows.running) == 2
    tasks = standing.herder.tasks(name)
    assert [task.id.task for task in tasks] == list(range(len(tasks)))
    assert len(tasks) == sum(flow.slots or 1 for flow in standing.flows.configs.values())
    with pytest.raises(BadRequest, match="expected other aliases"):
        standing.herder.create("again", config, RUNNING, ADMIN)


def test_who_exists_is_told_and_what_does_not_is_not_found(standing: Standing) -> None:
    herder = standing.herder
    standing.create("c")
    with pytest.raises(AlreadyExists, match=r"^Connector c already exists$"):
        standing.create("c")
    with pytest.raises(BadRequest, match="expected other aliases: c is a MirrorSourceConnector"):
        standing.create("d")
    for call, words in (
        (lambda: herder.connector("x"), "Connector x not found"),
        (lambda: herder.tasks("x"), "Connector x not found"),
        (lambda: herder.offsets("x"), "Connector x not found"),
        (lambda: herder.delete("x", ADMIN), "Connector x not found"),
        (lambda: herder.patch_config("x", {}, ADMIN), "Connector x not found"),
        (lambda: herder.status("x"), "No status found for connector x"),
        (lambda: herder.task_status("x", 0), "No status found for task x-0"),
        (lambda: herder.task_status("c", 7), "No status found for task c-7"),
        (lambda: herder.set_state("x", PAUSED, ADMIN), "Unknown connector x"),
        (lambda: herder.restart_task("x", 0, ADMIN), "Unknown connector: x"),
        (lambda: herder.restart_task("c", 7, ADMIN), "Unknown task: c-7"),
    ):
        with pytest.raises(NotFound, match=f"^{words}$"):
            call()


def test_settings_are_replaced_and_changed(standing: Standing) -> None:
    standing.create("c", topics="a")
    standing.wait(lambda: standing.state("c") == "RUNNING")
    info, created = standing.herder.put_config("c", connector(topics="b"), ADMIN)
    assert (info.config["topics"], created) == ("b", False)
    standing.wait(lambda: "live A->B" in standing.flows.told)
    changes: dict[str, str | None] = {"topics": None, "tasks.max": "3"}
    standing.herder.patch_config("c", changes, ADMIN)
    standing.wait(lambda: len(standing.herder.tasks("c")) == 3)
    assert "topics" not in standing.herder.connector("c").config
    assert standing.herder.put_config("d", connector(HEARTBEAT), ADMIN)[1]
    with pytest.raises(BadRequest, match=r"contains the following 1 error\(s\):\n.*tasks\.max"):
        standing.herder.patch_config("c", {"tasks.max": "-3"}, ADMIN)


def test_what_is_wanted_happens(standing: Standing) -> None:
    """Paused lanes stay; what is stopped is gone, and groups are not followed without it."""
    standing.create("c")
    standing.wait(lambda: standing.state("c") == "RUNNING")
    standing.herder.create("g", connector(CHECKPOINT), RUNNING, ADMIN)
    standing.wait(lambda: standing.flows.told[-1] == "change A->B", "groups are followed")
    standing.herder.set_state("c", PAUSED, ADMIN)
    standing.wait(lambda: standing.state("c") == "PAUSED")
    assert standing.flows.told[-1] == "live A->B"
    pause = standing.flows.configs[AB].pause
    assert pause is not None
    assert str(pause.author) == "by connector c: its target state is PAUSED"
    assert standing.state("g") == "RUNNING"
    standing.herder.set_state("c", STOPPED, ADMIN)
    assert standing.herder.status("c").tasks == ()
    standing.wait(lambda: not standing.flows.running)
    assert standing.state("g") == "UNASSIGNED"
    assert "no MirrorSourceConnector of these aliases runs" in (
        standing.herder.status("g").connector.trace
    )
    standing.herder.set_state("c", RUNNING, ADMIN)
    standing.wait(lambda: standing.state("g") == "RUNNING")
    standing.herder.delete("c", ADMIN)
    standing.wait(lambda: not standing.flows.running)
    assert standing.herder.connectors() == ("g",)


def test_a_connector_begins_as_somebody_wants_it(standing: Standing) -> None:
    standing.create("c", STOPPED)
    standing.herder.create("h", connector(HEARTBEAT), PAUSED, ADMIN)
    assert standing.state("c") == "STOPPED"
    assert standing.state("h") == "PAUSED"
    assert not standing.pulse.beating
    standing.herder.set_state("h", RUNNING, ADMIN)
    standing.wait(lambda: standing.state("h") == "RUNNING")
    standing.pulse.wrong["A->B"] = ClusterUnavailable("away")
    assert standing.herder.status("h").tasks[0].trace == "away"


def test_restarts_reach_what_has_failed(standing: Standing) -> None:
    standing.create("c")
    standing.wait(lambda: standing.state("c") == "RUNNING")
    status = standing.herder.restart("c", include_tasks=True, only_failed=True, by=ADMIN)
    assert status.connector.state is WorkerState.RUNNING
    park(standing.flows)
    assert standing.herder.task_status("c", 0).state is WorkerState.FAILED
    status = standing.herder.restart("c", include_tasks=True, only_failed=True, by=ADMIN)
    assert status.tasks[0].state is WorkerState.RESTARTING
    standing.wait(lambda: standing.flows.told[-1] == "live A->B", "what is parked is tried")
    standing.herder.restart_task("c", 0, ADMIN)
    standing.wait(lambda: standing.flows.told[-1] == "restart A->B")
    standing.flows.ends(AB, FlowState.FENCED, "another has it")
    assert standing.state("c") == "FAILED"
    standing.herder.restart("c", include_tasks=False, only_failed=False, by=ADMIN)
    standing.wait(lambda: standing.flows.told.count("restart A->B") == 2)
    with pytest.raises(NotFound, match="Unknown connector: x"):
        standing.herder.restart("x", include_tasks=False, only_failed=False, by=ADMIN)


def park(flows: FakeFlows) -> None:
    status = flows.running[AB]
    parked = ParkedPartition(partition=TopicPartition("t", 0), kind="DataGap", reason="gone")
    flows.running[AB] = FlowStatus(
        flow=AB, state=status.state, words="", slots=status.slots, parked=(parked,)
    )


def test_what_cannot_run_says_why(standing: Standing) -> None:
    standing.flows.room = 0
    standing.create("c")
    standing.wait(lambda: standing.state("c") == "FAILED")
    assert "there is no room" in standing.herder.status("c").connector.trace
    standing.flows.room = 1
    problem = Problem(where="connector c", key="k", value="v", expected="something else")
    standing.flows.problems = (problem,)
    standing.herder.put_config("c", connector(topics="b"), ADMIN)
    standing.wait(lambda: "something else" in standing.herder.status("c").connector.trace)
    standing.flows.problems = ()
    standing.herder.put_config("c", connector(topics="a"), ADMIN)
    standing.wait(lambda: standing.state("c") == "RUNNING")


def test_offsets_are_moved_of_what_is_stopped(standing: Standing) -> None:
    standing.herder.create("h", connector(HEARTBEAT), RUNNING, ADMIN)
    moved = ConnectorOffset(
        partition={"sourceClusterAlias": "A", "targetClusterAlias": "B"}, offset={"offset": 0}
    )
    with pytest.raises(BadRequest, match=r"^Connectors must be in the STOPPED state before"):
        standing.herder.alter_offsets("h", (moved,), ADMIN)
    standing.herder.set_state("h", STOPPED, ADMIN)
    assert "altered successfully" in standing.herder.alter_offsets("h", (moved,), ADMIN)
    assert "reset successfully" in standing.herder.reset_offsets("h", ADMIN)
    assert standing.herder.offsets("h") == ()
    with pytest.raises(BadRequest, match="need to be provided"):
        standing.herder.alter_offsets("h", (), ADMIN)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_not_is_refused(standing: Standing, role: Role) -> None:
    """Who operates may pause, stop and restart, and change nothing else."""
    standing.create("c")
    herder, by = standing.herder, Caller(name="bob", role=role, address="here")
    for call in (
        lambda: herder.create("d", connector(), RUNNING, by),
        lambda: herder.put_config("c", connector(), by),
        lambda: herder.patch_config("c", {}, by),
        lambda: herder.delete("c", by),
        lambda: herder.alter_offsets("c", (), by),
        lambda: herder.reset_offsets("c", by),
        lambda: herder.set_logger("root", "INFO", everywhere=False, by=by),
    ):
        with pytest.raises(NotAllowed):
            call()
    for order in (
        lambda: herder.set_state("c", PAUSED, by),
        lambda: herder.restart("c", include_tasks=False, only_failed=False, by=by),
        lambda: herder.restart_task("c", 0, by),
        lambda: herder.reset_topics("c", by),
    ):
        if role is Role.OPERATOR:
            order()
        else:
            with pytest.raises(NotAllowed):
                order()


def test_what_checkpoints_and_heartbeats_are_about_has_offset_0(standing: Standing) -> None:
    """As Connect keeps it; a reset forgets it until it is written of again."""
    standing.create("source")
    standing.create("groups", **{"connector.class": CHECKPOINT})
    standing.create("beats", **{"connector.class": HEARTBEAT})
    place = TopicPartition("A.t", 3)
    standing.wait(lambda: AB in standing.flows.running)
    standing.flows.checkpoints = {AB: {"g": (place,)}}
    wanted = {
        "groups": {"partition": 3, "topic": "A.t", "group": "g"},
        "beats": {"sourceClusterAlias": "A", "targetClusterAlias": "B"},
    }
    for name, partition in wanted.items():
        zero = ConnectorOffset(partition=partition, offset={"offset": 0})
        standing.wait(lambda name=name, zero=zero: standing.herder.offsets(name) == (zero,))
        standing.herder.set_state(name, STOPPED, ADMIN)
        standing.herder.reset_offsets(name, ADMIN)
        assert standing.herder.offsets(name) == ()
        standing.herder.alter_offsets(name, (zero,), ADMIN)
        assert standing.herder.offsets(name) == (zero,)
        forgotten = ConnectorOffset(partition=partition, offset=None)
        standing.herder.alter_offsets(name, (forgotten,), ADMIN)
        assert standing.herder.offsets(name) == ()
        standing.herder.set_state(name, RUNNING, ADMIN)
        standing.wait(lambda name=name, zero=zero: standing.herder.offsets(name) == (zero,))
