"""docs/connectors.md has every key of a worker's file."""

from __future__ import annotations

import re
from pathlib import Path

from kmirror.config.keys.connect import CONNECT_KEYS

PAGE = Path(__file__).parents[3] / "docs" / "connectors.md"


def test_the_page_has_the_keys_of_the_table() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## The worker's file")[2]
    listed = re.findall(r"^\| `([^`]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    assert listed == list(CONNECT_KEYS)
