"""The names by which brokers know a flow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kmirror.model import Flow
from kmirror.wire.flow_names import (
    client_id,
    namesakes,
    offset_map_topic,
    offsets_topic,
    owner_transactional_id,
    position_group,
    slot_transactional_ids,
)

_ALIASES = st.text("ab-.0", min_size=1, max_size=6)
_FLOWS = st.builds(Flow, _ALIASES, _ALIASES)


def test_they_stay_as_they_are() -> None:
    """Positions, ACLs and quotas go by them."""
    flow = Flow("us-east", "eu")
    assert position_group(flow) == "__kmirror-us-east-eu"
    assert offset_map_topic(flow) == "__kmirror-offsets-us-east-eu"
    assert offsets_topic(flow.source) == "mm2-offsets.us-east.internal"
    assert slot_transactional_ids(flow, 7) == ("kmirror-us-east-eu-7", "kmirror-us-east-eu-7-b")
    assert owner_transactional_id(flow) == "kmirror-us-east-eu-owner"
    assert client_id(flow) == "us-east->eu|kmirror"


def test_namesakes() -> None:
    """Every other place where the dash between source and target might be."""
    assert not namesakes(Flow("us.east", "eu"))
    assert namesakes(Flow("us", "east-dr")) == (Flow("us-east", "dr"),)
    assert namesakes(Flow("a-b", "c-d")) == (Flow("a", "b-c-d"), Flow("a-b-c", "d"))
    assert namesakes(Flow("-", "-")) == ()


@given(_FLOWS, _FLOWS)
def test_who_is_no_namesake_shares_no_name(one: Flow, other: Flow) -> None:
    """Not even one flow's slot with another one's owner."""
    same = one == other or other in namesakes(one)
    assert (position_group(one) == position_group(other)) == same
    assert (offset_map_topic(one) == offset_map_topic(other)) == same
    assert bool(_transactional_ids(one) & _transactional_ids(other)) == same
    assert (client_id(one) == client_id(other)) == (one == other)


def _transactional_ids(flow: Flow) -> set[str]:
    slots = [slot_transactional_ids(flow, slot) for slot in range(2)]
    return {owner_transactional_id(flow), *(name for pair in slots for name in pair)}
