"""What `kmirror plan` and `kmirror apply` print, on clusters in memory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from kmirror.admin.fake import FakeAdmin
from kmirror.cli.plan_view import (
    draw_error,
    draw_outcome,
    draw_plan,
    plain_error,
    plain_outcome,
    plain_plan,
)
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow
from kmirror.parity.deletions import DeletionOutcome
from kmirror.parity.flow_plan import apply_flow, plan_flow
from kmirror.plans.deletions import DeletionPlan, DueDeletion, LeftCopy
from kmirror.plans.topics import NewTopic
from kmirror.wire.deletions import GoneTopic
from tests.support.fake_flow import flow_config

PAGE = (Path(__file__).parents[3] / "docs" / "parity.md").read_text(encoding="utf-8")
AWAY = ClusterUnavailable("cluster B (b:9092): could not list topics: timed out")


def new(name: str, partitions: int = 1, **settings: str) -> NewTopic:
    """Give a topic."""
    configs = tuple((key.replace("_", "."), value) for key, value in settings.items())
    return NewTopic(name=name, partitions=partitions, replication_factor=1, configs=configs)


@pytest.fixture
def config(tmp_path: Path) -> FlowConfig:
    """Give a flow of every topic."""
    return flow_config(tmp_path)


@pytest.fixture
def clusters() -> tuple[FakeAdmin, FakeAdmin]:
    """Give a source, and a target that has drifted; one topic cannot be mirrored at all."""
    source, target = FakeAdmin("A"), FakeAdmin("B")
    source.create_topics(
        [new("orders", 4, retention_ms="5"), new("fresh", 2, cleanup_policy=""), new("x" * 248)]
    )
    target.create_topics([new("A.orders", 1, retention_ms="9", segment_bytes="1")])
    return source, target


def shown(drawn: RenderableType) -> list[str]:
    """Give the lines of a narrow terminal without colours: it breaks them, not we."""
    console = Console(width=40, color_system=None)
    with console.capture() as captured:
        console.print(drawn, soft_wrap=True)
    return [line.rstrip() for line in captured.get().splitlines() if line.strip()]


def test_a_plan_and_what_became_of_it(
    config: FlowConfig, clusters: tuple[FakeAdmin, FakeAdmin]
) -> None:
    """A line for each step, with a reason in each; what is done is said in the same words."""
    plan = plan_flow(config, *clusters)
    steps = [
        'create A.fresh: 2 partitions, replication factor 1, cleanup.policy = "" '
        "(fresh has no copy)",
        "grow   A.orders: 1 become 4 partitions (as many as the source has)",
        "change A.orders: retention.ms: 9 becomes 5 (as orders has it)",
        f"cannot {'x' * 248}: its name on the target would have 250 characters, Kafka allows 249 "
        "(exclude it)",
    ]
    assert shown(draw_plan(plan)) == ["A->B", *steps]
    assert plan
    assert not plan.is_possible
    assert clusters[1].topics()["A.orders"].partitions == 1
    outcome = apply_flow(clusters[1], plan)
    assert shown(draw_outcome(outcome)) == ["A->B", *steps]
    assert not outcome.is_complete
    again = plan_flow(config, *clusters)
    assert not again
    assert shown(draw_plan(again)) == ["A->B  nothing to change", steps[-1]]


def test_nothing_to_do(config: FlowConfig) -> None:
    """One line says so."""
    plan = plan_flow(config, FakeAdmin(), FakeAdmin())
    assert shown(draw_plan(plan)) == ["A->B  nothing to change"]
    assert shown(draw_outcome(apply_flow(FakeAdmin(), plan))) == ["A->B  nothing was to be changed"]


def test_a_step_that_the_target_refuses(
    config: FlowConfig, clusters: tuple[FakeAdmin, FakeAdmin]
) -> None:
    """It is no step of the plan, but a line of its own; doing it is told in the same way."""
    source, target = clusters
    target.delete_topic("A.orders")
    unknown = new("A.orders", 4, retention_ms="9", cleanup_policy="delete")
    target.create_topics([unknown])

    def refuse(*_: object, **__: object) -> dict[str, ClusterUnavailable]:
        return {"A.orders": AWAY}

    target.alter_topic_configs = refuse  # type: ignore[method-assign]  # a cluster that times out
    plan = plan_flow(config, source, target)
    lines = shown(draw_plan(plan))
    assert f"cannot A.orders: cleanup.policy, retention.ms: {AWAY}" in lines
    assert not any(line.startswith("change") for line in lines)
    outcome = apply_flow(target, plan)
    assert f"cannot A.orders: cleanup.policy, retention.ms: {AWAY}" in shown(draw_outcome(outcome))
    assert not outcome.is_complete


def test_every_field_is_explained(
    config: FlowConfig, clusters: tuple[FakeAdmin, FakeAdmin]
) -> None:
    """What is new in an answer is new on the page."""
    plan = plan_flow(config, *clusters)
    outcome = apply_flow(clusters[1], plan)
    answers = [plain_plan(plan), plain_outcome(outcome), plain_error(Flow("A", "B"), AWAY)]
    table = PAGE[PAGE.index("| field | meaning |") :]
    explained = set(re.findall(r"`(\w+)`", table))
    for answer in json.loads(json.dumps(answers)):
        assert answer.keys() <= explained
        for rows in answer.values():
            if isinstance(rows, list) and rows:
                assert rows[0].keys() <= explained
    assert shown(draw_error(Flow("A", "B"), AWAY)) == ["A->B  not known", str(AWAY)]


def test_copies_of_deleted_topics(config: FlowConfig) -> None:
    """A line for each, with the time at which it would be deleted."""
    gone = GoneTopic(
        topic="old",
        topic_id="id",
        copy="A.old",
        copy_id="copy",
        seen_ms=0,
        by="ann",
        policy="delete-after=1d",
    )
    due = DueDeletion(gone=gone, at_ms=86_400_000)
    left = LeftCopy(topic="audit", why="the source does not say whether it is there")
    deletions = DeletionPlan(
        note=(gone,), back=(gone,), delete=(due,), waiting=(due,), left=(left,)
    )
    plan = plan_flow(config, FakeAdmin(), FakeAdmin(), deletions=deletions)
    seen = "A.old: old was deleted, seen 1970-01-01 00:00:00 UTC"
    lines = [
        "A->B",
        "note   A.old: old was deleted (id id): delete-after=1d",
        "free   A.old: old is there again (id id)",
        f"delete {seen} (delete-after=1d)",
        f"wait   {seen}; would be deleted at 1970-01-02 00:00:00 UTC (delete-after=1d)",
        "leave  audit: the source does not say whether it is there",
    ]
    assert shown(draw_plan(plan)) == lines
    assert plan
    done = DeletionOutcome(noted=(gone,), back=(gone,), left=(left,), failed=(left,))
    outcome = apply_flow(FakeAdmin(), plan, deletions=done)
    assert shown(draw_outcome(outcome)) == [*lines[:3], *lines[4:], lines[-1]]
    assert not outcome.is_complete
