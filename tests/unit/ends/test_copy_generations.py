"""How generations of copies are called, and what their names must never be taken for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kmirror.ends.copy_generations import next_numbers
from kmirror.flows.transform import flow_transform
from kmirror.model import Flow
from kmirror.policy.filters import NameFilter
from kmirror.policy.replication import DefaultReplicationPolicy
from kmirror.policy.selection import TopicSelection
from tests.support.fake_flow import flow_config


def selection(source: str, target: str, **generations: int) -> TopicSelection:
    """Give what a flow selects of everything."""
    return TopicSelection(
        flow=Flow(source, target),
        filter=NameFilter((".*",)),
        policy=DefaultReplicationPolicy(),
        generations=tuple(generations.items()),
    )


def test_names_there_and_back() -> None:
    """The first one has the topic's own name."""
    third = selection("A", "B", t=3)
    assert [third.remote_topic(topic) for topic in ("t", "u")] == ["A.t.g3", "A.u"]
    for copy in ("A.t", "A.t.g2", "A.t.g3"):
        assert third.upstream_topic(copy) == "t"
    assert third.upstream_topic("A.t.g4") == "t.g4"


def test_a_flow_back_leaves_it_alone() -> None:
    """It came from there."""
    assert selection("B", "A").refusal("A.t.g2") is not None


def test_a_flow_onwards_takes_it() -> None:
    """As any other topic."""
    assert selection("B", "C").remote_topic("A.t.g2") == "B.A.t.g2"


def test_a_topic_that_is_really_called_so() -> None:
    """Its copy would be written to the other's generation: it is refused, and by name."""
    third = selection("A", "B", t=3)
    for topic in ("t.g2", "t.g3"):
        assert third.refusal(topic) == (
            "its name on the target is that of a generation of the copy of t"
        )
    assert third.refusal("t.g4") is None


def test_the_next_free_name(tmp_path: Path) -> None:
    """Neither one that the target has, nor one that a topic of the source will have there."""
    config = replace(flow_config(tmp_path), generations=(("u", 4),))
    numbers = next_numbers(
        config, ["t", "u", "v"], source=["t", "u", "v", "v.g2"], target=["A.t", "A.t.g2"]
    )
    assert numbers == {"t": 3, "u": 5, "v": 3}


def test_the_query_writes_there(tmp_path: Path) -> None:
    """Other topics keep the policy's rule."""
    config = replace(flow_config(tmp_path), generations=(("t", 2),))
    assert flow_transform(config).target_topic == (
        "case topic when 't' then 'A.t.g2' else concat('A.', topic) end"
    )


def test_kmirror_events_goes_nowhere() -> None:
    """MirrorMaker 2's default filter does not know it."""
    assert selection("B", "A").refusal("kmirror-events") == "it is an internal topic"
