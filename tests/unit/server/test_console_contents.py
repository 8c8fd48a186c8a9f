"""Bytes of records as somebody wants to see them, and our own texts."""

from __future__ import annotations

import pytest

from kmirror.api.topic_answers import Content, Form
from kmirror.server.console.contents import in_lines, shown
from kmirror.server.console.own_texts import marked

ORDER = """{"order": 1.10, "order":1.1,"tags": [ "a, {b}", "\\\\" ,"\\"c" ], "none":[], "of":{} }"""
LINES = """\
{
  "order": 1.10,
  "order": 1.1,
  "tags": [
    "a, {b}",
    "\\\\",
    "\\"c"
  ],
  "none": [],
  "of": {}
}"""


def test_json_in_lines() -> None:
    """Each value as it was written: no number is rounded, and no name that is there twice lost."""
    assert in_lines(ORDER) == LINES
    assert in_lines(LINES) == LINES
    assert in_lines("[1]") == "[\n  1\n]"


@pytest.mark.parametrize("text", ["", "42", '"a"', "no {json", "{} {}", "[" * 100_000])
def test_what_is_none_stays(text: str) -> None:
    assert in_lines(text) == text


def test_deep_values_are_no_spaces() -> None:
    deep = "[" * 500 + "]" * 500
    assert len(in_lines(deep)) < 50 * len(deep)


def test_what_is_wanted() -> None:
    """What is no text is hexadecimal anyway; of what is cut nobody knows whether it was JSON."""
    text = Content(form=Form.TEXT, text="[1]", size_bytes=3)
    cut = Content(form=Form.TEXT, text="[1]", size_bytes=9, is_cut=True)
    raw = Content(form=Form.HEX, text="00 ff", size_bytes=2)
    assert [shown(text, form).text for form in ("", "json", "hex", "x")] == [
        "[1]",
        "[\n  1\n]",
        "5b 31 5d",
        "[1]",
    ]
    assert shown(cut, "json").text == "[1]"
    assert {shown(raw, form).text for form in ("", "json", "hex")} == {"00 ff"}


def test_our_own_texts_are_html() -> None:
    """Names are code, pages are named, and all else is as it stands."""
    text = "Set `a<b` in *Move*, not a*b*c or .*; see [rights](acls.md#a-b) <i>"
    found = str(marked(text))
    assert "<code><span>a&lt;b</span></code> in “Move”, not a*b*c or .*;" in found
    assert found.endswith("see rights (docs/acls.md) &lt;i&gt;")
    assert "\x07" not in marked("a\x07b")
