"""What one of several nodes has to do."""

from __future__ import annotations

import os
from pathlib import Path

from kmirror.config.load import load
from kmirror.model import Flow
from kmirror.runtime.node_plan import NodePlan

AB, BA, CB = Flow("A", "B"), Flow("B", "A"), Flow("C", "B")


def plan(folder: Path) -> NodePlan:
    lines = ["clusters = A, B, C", "A->B.enabled = true", "C->B.enabled = true"]
    lines += [f"{alias}.bootstrap.servers = {alias.lower()}:1" for alias in "ABC"]
    file = folder / "mm2.properties"
    file.write_text("\n".join(lines))
    return NodePlan(load(file, environ=os.environ))


def beats(found: NodePlan, *mine: Flow) -> set[Flow]:
    return {pair.flow for each in found.work(mine).beats.values() for pair in each.pairs}


def test_each_flow_is_shared_by_itself(tmp_path: Path) -> None:
    found = plan(tmp_path)
    assert found.shares == {"A->B": ("A->B",), "C->B": ("C->B",)}
    assert set(found.work([AB]).flows) == {AB}
    assert found.work([]).flows == {}


def test_heartbeats_of_a_pair_go_with_one_flow(tmp_path: Path) -> None:
    """Those of clusters without a flow between them, too: with the first."""
    found = plan(tmp_path)
    one, other = beats(found, AB), beats(found, CB)
    assert not one & other
    assert one | other == {each.flow for each in found.config.heartbeats}
    assert {AB, BA} <= one
    assert {CB, Flow("B", "C")} <= other
    assert beats(found) == set()


def test_one_thread_writes_all_that_goes_to_a_cluster(tmp_path: Path) -> None:
    found = plan(tmp_path).work([AB, CB])
    assert sorted(each.pairs[0].flow.target for each in found.beats.values()) == ["A", "B", "C"]
    assert all(each.has_flows for each in found.beats.values())
