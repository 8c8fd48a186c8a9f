"""The records of `kmirror-events`."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kmirror.wire.gap_events import GapEvent, decode_gap

EVENT = GapEvent(
    flow="A->B",
    kind="overtaken",
    topic="orders",
    partition=3,
    copy="A.orders",
    log="source",
    start=120,
    end=500,
    records=380,
    reaction="continue",
    status="resolved",
    offset=500,
    metric="kmirror_gap_overtaken_records",
    reason="data gap",
    at_ms=1_700_000_000_000,
)
LEFT_OUT = replace(
    EVENT,
    kind="too_large",
    end=121,
    records=1,
    reaction="dlq",
    offset=121,
    letter_topic="kmirror-dlq.A",
    letter=42,
)


def test_golden() -> None:
    """`to` is the last offset; the key is that of the newest finding of a kind."""
    key, value = EVENT.encode()
    assert key == b"A->B|overtaken|orders|3"
    assert json.loads(value) == {
        "version": 1,
        "flow": "A->B",
        "kind": "overtaken",
        "topic": "orders",
        "partition": 3,
        "copy": "A.orders",
        "log": "source",
        "from": 120,
        "to": 499,
        "records": 380,
        "reaction": "continue",
        "status": "resolved",
        "offset": 500,
        "metric": "kmirror_gap_overtaken_records",
        "reason": "data gap",
        "at_ms": 1_700_000_000_000,
        "letter_topic": None,
        "letter": None,
    }


def test_each_record_that_was_left_out_is_kept() -> None:
    """Not the newest alone: their keys have the offset."""
    key, value = LEFT_OUT.encode()
    assert key == b"A->B|too_large|orders|3|120"
    fields = json.loads(value)
    assert (fields["from"], fields["to"], fields["offset"]) == (120, 120, 121)
    assert (fields["letter_topic"], fields["letter"]) == ("kmirror-dlq.A", 42)


@pytest.mark.parametrize(
    "event", [EVENT, LEFT_OUT, replace(EVENT, start=None, end=None, records=None, offset=None)]
)
def test_there_and_back(event: GapEvent) -> None:
    """What is not known stays unknown."""
    assert decode_gap(event.encode()[1]) == event


@pytest.mark.parametrize("value", [None, b"", b"{", b"[]", b'{"version":2}', b'{"version":1}'])
def test_what_is_none_of_ours(value: bytes | None) -> None:
    """Somebody else's records, and those of a later version."""
    assert decode_gap(value) is None
