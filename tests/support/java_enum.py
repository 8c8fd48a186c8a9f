"""The codes of an enum of the connector, whose texts Python has."""

from __future__ import annotations

import re
from pathlib import Path

_SOURCES = Path(__file__).parents[2] / "connector" / "src" / "main" / "java" / "io" / "kmirror"


def codes_of(path: str, enum: str) -> tuple[str, ...]:
    """
    Return what its members are called in reports, in their order.

    Args:
        path: Its file, from `io/kmirror`.
        enum: Its name.
    """
    text = re.sub(r"/\*.*?\*/", "", (_SOURCES / path).read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.search(rf"enum {enum} \{{([A-Z_,\s]+)[;}}]", text)
    assert found is not None, f"{path}: no enum {enum}"
    return tuple(re.findall(r"\w+", found[1].lower()))
