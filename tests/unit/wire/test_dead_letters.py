"""What lanes write of what they leave out, and what tells of replays."""

from __future__ import annotations

import pytest

from kmirror.model import Flow, TopicPartition
from kmirror.wire.dead_letters import (
    Headers,
    Replayed,
    decode_letter,
    decode_replayed,
    numbers_of,
    replay_transactional_id,
    replays_topic,
)

_OURS: Headers = tuple(
    (f"kmirror.dlq.{name}", text.encode())
    for name, text in {
        "flow": "A->B",
        "topic": "t",
        "topic.id": "id",
        "partition": "3",
        "target": "A.t",
        "offset": "7",
        "end": "8",
        "key.size": "-1",
        "value.size": "5",
        "headers": "2",
        "headers.size": "40",
        "timestamp": "1000",
        "timestamp.type": "create_time",
        "reason": "too_large",
        "error": "RecordTooLargeException",
        "words": "too large",
    }.items()
)
_THEIRS: Headers = (("h", b"1"), ("kmirror.dlq.flow", b"a letter that is a letter"))


def test_a_letter() -> None:
    """Its own headers come first, whatever they are called."""
    letter = decode_letter(42, 5000, None, b"value", (*_THEIRS, *_OURS))
    assert letter is not None
    assert (letter.number, letter.at_ms, letter.flow) == (42, 5000, "A->B")
    assert letter.source == TopicPartition("t", 3)
    assert (letter.offset, letter.end, letter.timestamp_ms) == (7, 8, 1000)
    assert letter.headers == _THEIRS
    assert letter.size_bytes == 45
    assert not letter.is_truncated
    assert not letter.is_batch


def test_what_was_cut_off() -> None:
    """It says so."""
    letter = decode_letter(42, 5000, None, b"v", (*_OURS, ("kmirror.dlq.truncated", b"true")))
    assert letter is not None
    assert letter.is_truncated


@pytest.mark.parametrize("headers", [(), _THEIRS, _OURS[:5], (*_OURS, ("kmirror.dlq.end", b"x"))])
def test_others_records_are_none(headers: Headers) -> None:
    """Somebody else may have written them."""
    assert decode_letter(1, 1, None, None, headers) is None


def test_a_replay_is_of_one_topic() -> None:
    """One that was made anew has other letters."""
    told = [Replayed(dlq_id=dlq_id, number=7, at_ms=5, by="me") for dlq_id in ("old", "new")]
    read = [decode_replayed(*each.encode()) for each in told]
    assert read == told
    assert numbers_of(told, "new") == {7: told[1]}
    assert decode_replayed(b"[", b"{}") is None
    assert decode_replayed(None, None) is None


def test_names() -> None:
    """Those of the flow; the id is covered by the right to the flow's other ids."""
    assert replays_topic(Flow("A", "B")) == "__kmirror-dlq-A-B"
    assert replay_transactional_id(Flow("A", "B")) == "kmirror-A-B-dlq"
