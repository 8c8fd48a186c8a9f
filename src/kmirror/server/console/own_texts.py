"""Our own texts, which have Markdown for the pages of docs/, as HTML."""

from __future__ import annotations

import re

from kmirror.errors import visible
from kmirror.pages.text import marked as with_code

# The pages are not served here, so they are named.
_PAGE = re.compile(r"\[([^\]]+)\]\(([\w/-]+\.md)(?:#[\w-]+)?\)")
_STRESSED = re.compile(r"(?<![\w.*])\*(\w[^*`]*)\*(?![\w*])")


def marked(text: str) -> str:
    """
    Give a text for a page: names are code, and all of it is escaped.

    Args:
        text: The meaning of an event, or the description of a setting.
    """
    # Names of others may be in it: what nobody would see is escaped.
    return with_code(_STRESSED.sub(r"“\1”", _PAGE.sub(r"\1 (docs/\2)", visible(text))))
