"""Bytes of records as somebody wants to see them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from kmirror.api.topic_answers import Content, Form

FORMS = {"": "as they are", "json": "JSON in lines", "hex": "hexadecimal"}
"""What can be asked for: texts stay texts, and what is none is hexadecimal, whatever is wanted."""
_INDENT = "  "
# Deeper values stand below each other: a text of brackets alone would be spaces for the most part.
_DEPTH_MAX = 20
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_OPENS, _CLOSES = frozenset("{["), frozenset("}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """
    What is shown of bytes.

    Args:
        form: What it is.
        text: It.
    """

    form: str
    text: str


def shown(part: Content, form: str) -> Shown:
    """
    Show bytes.

    Args:
        part: They.
        form: What is wanted, one of `FORMS`.
    """
    if part.form is Form.TEXT and form == "hex":
        return Shown(form=Form.HEX.value, text=part.text.encode().hex(" "))
    text = part.text
    if part.form is Form.TEXT and form == "json" and not part.is_cut:
        text = in_lines(text)
    return Shown(form=part.form.value, text=text)


def in_lines(text: str) -> str:
    """
    Give JSON a line for each value; what is no JSON stays as it is.

    Nothing is read and written again: numbers, and names that are there twice, stay as they are.

    Args:
        text: It.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    out, depth, before = list[str](), 0, ""
    for token in _TOKENS.findall(text):
        depth -= token in _CLOSES
        if before == "," or (before in _OPENS) != (token in _CLOSES):
            out.append("\n" + _INDENT * min(depth, _DEPTH_MAX))
        out.append(": " if token == ":" else token)
        depth += token in _OPENS
        before = token
    return "".join(out).lstrip("\n")
