"""How dead letters look."""

from __future__ import annotations

from kmirror.cli.dlq_view import letter_lines
from kmirror.errors import one_line
from kmirror.model import TopicPartition
from kmirror.wire.dead_letters import DeadLetter

LETTER = DeadLetter(
    number=1,
    at_ms=0,
    flow="A->B",
    source=TopicPartition("t", 0),
    topic_id="",
    target="A.t",
    offset=7,
    end=8,
    timestamp_ms=None,
    reason="too_large",
    words="large\x1b[2J",
    key=b"\x1b]0;title\x07",
    value=b"x" * 5000,
    headers=(("\x9b31m", b"\x00"),),
    key_bytes=10,
    value_bytes=5000,
    header_count=1,
    headers_bytes=20,
    is_truncated=False,
)


def test_nothing_controls_the_terminal() -> None:
    """Whatever is in key, value, headers or words."""
    text = "".join(letter_lines(LETTER, None))
    assert text.isprintable()
    assert "... (--raw FILE writes all of it)" in text
    assert one_line("a\nb\x1b") == "a\\nb\\x1b"
