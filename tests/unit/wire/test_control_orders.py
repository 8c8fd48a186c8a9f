"""Orders as they lie in the control topic."""

from __future__ import annotations

import pytest

from kmirror.model import Flow, TopicPartition
from kmirror.wire.control_orders import (
    Author,
    ControlRecord,
    Obeyed,
    PauseOrder,
    PauseVerb,
    Reloaded,
    ReloadOrder,
    ReloadOutcome,
    Scope,
    SeekOrder,
    control_topic,
    decode_control,
)

ANN = Author(by="ann@ops", at_ms=1_000, reason="disk")


@pytest.mark.parametrize(
    "record",
    [
        PauseOrder(verb=PauseVerb.PAUSE, scope=Scope(), author=ANN),
        PauseOrder(verb=PauseVerb.PARK, scope=Scope(topic="t"), author=ANN, until_ms=2_000),
        PauseOrder(
            verb=PauseVerb.RESUME,
            scope=Scope(topic="t", partition=0),
            author=Author(by="bob", at_ms=1),
        ),
        SeekOrder(verb="seek", partition=TopicPartition("t", 3), offset=7, author=ANN),
        SeekOrder(verb="skip", partition=TopicPartition("t", 3), offset=7, author=ANN, done_ms=9),
        Obeyed(generation=3, up_to=12),
        ReloadOrder(number="a1", author=ANN, dry_run=True),
        Reloaded(
            number="a1",
            driver="host:1",
            file="/etc/mm2.properties",
            outcome=ReloadOutcome.APPLIED,
            lines=("A->B: topics: a -> b",),
        ),
    ],
)
def test_what_is_written_is_read(record: ControlRecord) -> None:
    """Every kind, with and without what may be left out."""
    found: ControlRecord | None = decode_control(*record.encode())
    assert found == record


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b"{}"),
        (b'["pause"]', None),
        (b'["pause"]', b"[]"),
        (b'["pause"]', b'{"verb":"stop","by":"a","at_ms":1}'),
        (b'["pause","t","0"]', b'{"verb":"pause","by":"a","at_ms":1}'),
        (b'["pause","t",0,1]', b'{"verb":"pause","by":"a","at_ms":1}'),
        (b'["pause"]', b'{"verb":"pause"}'),
        (b'["seek","t",0]', b'{"verb":"jump","offset":1,"by":"a","at_ms":1}'),
        (b'["seek","t",0]', b'{"verb":"seek","offset":"1","by":"a","at_ms":1}'),
        (b'["driver"]', b'{"generation":1}'),
        (b'["reload"]', b'{"number":"a1","dry_run":0,"by":"a","at_ms":1}'),
        (b'["reloaded"]', b'{"number":"a","driver":"d","file":"f","outcome":"so","lines":[]}'),
        (b'["other"]', b"{}"),
        (b"\xff", b"\xff"),
        (b"[" * 100_000, b"{}"),
    ],
)
def test_what_is_none_of_ours_is_no_order(key: bytes | None, value: bytes | None) -> None:
    """A record that cannot be read orders nothing, and ends nothing."""
    assert decode_control(key, value) is None


def test_the_topic_has_the_flows_name() -> None:
    """As its group has: a target's alias may have characters that a topic's name may not."""
    assert control_topic(Flow("A", "B")) == "__kmirror-control-A-B"
    assert control_topic(Flow("A", "b c")) == "__kmirror-control-A-b_20_c"
