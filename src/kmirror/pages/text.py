"""Texts and pictures as HTML has them, safe whatever is in them."""

from __future__ import annotations

import base64
import json
import re

from markupsafe import Markup, escape

NARROW_MAX = "45rem"
"""Below it the letters of wide plots would be too small."""

_CODE = re.compile(r"`([^`]*)`")
_PIECES = re.compile(r"[^\s.]*\.|[^\s.]+|\s+")
_WHOLE_CHARS = 28  # a telephone shows some more in a line


def marked(text: str) -> Markup:
    """Write a text; names between backticks become code."""
    # Every other part stood between backticks.
    parts = _CODE.split(text)
    return Markup().join(code(part) if at % 2 else escape(part) for at, part in enumerate(parts))


def code(text: str) -> Markup:
    """
    Write code that breaks between its words, and behind dots.

    Hyphens would otherwise be the first places to break, in the middle of names.
    """
    pieces = Markup("<wbr>").join(_piece(each) for each in _PIECES.findall(text))
    return Markup("<code>{}</code>").format(pieces)


def _piece(text: str) -> Markup:
    whole = "{}" if text.isspace() or len(text) > _WHOLE_CHARS else "<span>{}</span>"
    return Markup(whole).format(text)


def embedded(value: object) -> Markup:
    """Write JSON so that nothing in it ends the element that it stands in."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def data_address(svg: str) -> str:
    """Write a picture into its own address."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
