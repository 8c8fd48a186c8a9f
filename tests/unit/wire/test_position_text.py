"""The text beside a position."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.wire.position import (
    METADATA_BYTES_MAX,
    Owner,
    PositionMetadata,
    decode_owner,
    decode_position,
)

OWNER = Owner(driver="d", host="h", pid=1, started_ms=2, slots=3)
HOLD = replace(OWNER, hold="failover")


def test_golden_texts() -> None:
    """The connector writes the same."""
    full = PositionMetadata(target_offset=7, topic_id="oT6Ki3EFRcWv-7hNrYDwrQ", source_epoch=0)
    assert full.encode() == '{"t":7,"id":"oT6Ki3EFRcWv-7hNrYDwrQ","se":0}'
    assert PositionMetadata(target_offset=0).encode() == '{"t":0}'
    assert OWNER.encode() == '{"driver":"d","host":"h","pid":1,"started_ms":2,"slots":3}'


def test_who_holds_a_flow() -> None:
    """A driver's entry is what it was before there were holds."""
    assert decode_owner(HOLD.encode()) == HOLD
    assert decode_owner(OWNER.encode()) == OWNER
    assert str(HOLD) == "process 1 on h (kmirror failover)"
    assert str(OWNER) == "process 1 on h (driver d)"


def test_whose_an_entry_is() -> None:
    """Two flows may have the same group; an older version's entry does not say."""
    named = replace(OWNER, flow="a->b-c")
    assert decode_owner(named.encode()) == named
    assert named.encode().endswith(',"flow":"a->b-c"}')


def test_unknown_keys_are_ignored() -> None:
    """A newer version may add some."""
    assert decode_position('{"t":7,"new":[1]}') == PositionMetadata(target_offset=7)
    assert decode_owner(OWNER.encode()[:-1] + ',"new":1}') == OWNER


@pytest.mark.parametrize(
    "text", [None, "", "x", "null", "[]", "{}", '{"t":-1}', '{"t":true}', '{"t":"1"}', "[" * 4000]
)
def test_garbage_is_none(text: str | None) -> None:
    """The offset was then set by hand."""
    assert decode_position(text) is None
    assert decode_owner(text) is None


def test_wrong_details_are_dropped() -> None:
    """What is readable stays usable."""
    assert decode_position('{"t":1,"id":5,"e":-1}') == PositionMetadata(target_offset=1)


def test_long_host_names_fit() -> None:
    """The broker refuses commits with longer texts."""
    owner = Owner(driver="d" * 36, host="ä" * 9999, pid=1, started_ms=2, slots=3)
    assert len(owner.encode().encode()) <= METADATA_BYTES_MAX
    assert decode_owner(owner.encode()) is not None
