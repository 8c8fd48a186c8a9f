"""What a driver tells `kmirror status` of its flows."""

from __future__ import annotations

import json

import pytest

from kmirror.model import Flow
from kmirror.state.told import from_json, to_json, told
from tests.support.synthetic_flow import NOW_MS, running_flow

AB = Flow("A", "B")


def test_it_comes_back_as_it_was_told() -> None:
    """Over HTTP and JSON."""
    flows = (told(running_flow(AB, topics=2, partitions=2, lag=1000), NOW_MS),)
    assert from_json(json.loads(json.dumps(to_json(flows)))) == flows
    (flow,) = flows
    assert flow.verdict in {"IN_SYNC", "BEHIND", "BROKEN"}
    assert [topic for topic, _ in flow.topics] == ["topic-0000", "topic-0001"]
    assert {kind for _, kind, _ in flow.bottlenecks} == {"target"}


@pytest.mark.parametrize(
    "others",
    [[{}], [{"flow": 1}], ["text"], [{"flow": {"source": "A", "target": "B"}, "state": 1}]],
)
def test_what_somebody_else_says_is_refused(others: list[object]) -> None:
    """Another program may listen there, or another version."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        from_json(others)  # type: ignore[arg-type]
