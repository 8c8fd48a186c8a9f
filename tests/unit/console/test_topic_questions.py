"""Bytes of records as people read them."""

from __future__ import annotations

import pytest

from kmirror.console.topic_questions import content
from kmirror.errors import one_line


@pytest.mark.parametrize(
    ("part", "form", "text"),
    [
        (b"", "text", ""),
        (b'{"a":\n\t1}', "text", '{"a":\n\t1}'),
        ("Grüße".encode(), "text", "Grüße"),
        (b"<script>alert(1)</script>", "text", "<script>alert(1)</script>"),
        (b"\x00\x01", "hex", "00 01"),
        (b"\x1b[31mred", "hex", "1b 5b 33 31 6d 72 65 64"),
        # What turns the reading direction round, or cannot be seen, would lie about the rest.
        ("a\u202eb".encode(), "hex", "61 e2 80 ae 62"),
        (b"\xff\xfe", "hex", "ff fe"),
        (b"ab\xc3", "hex", "61 62 c3"),
    ],
)
def test_what_is_no_text_is_told_as_numbers(part: bytes, form: str, text: str) -> None:
    found = content(part, len(part))
    assert found is not None
    assert (found.form.value, found.text, found.is_cut) == (form, text, False)


def test_what_is_cut_says_so() -> None:
    """In the midst of a character, too: it is left out."""
    found = content("ab€".encode()[:4], 500)
    assert found is not None
    assert (found.form.value, found.text, found.size_bytes, found.is_cut) == (
        "text",
        "ab",
        500,
        True,
    )
    assert content(None, None) is None


def test_a_name_shows_what_cannot_be_seen() -> None:
    assert one_line("trace-id") == "trace-id"
    assert one_line("a\x1b\u202eb") == r"a\x1b\u202eb"
