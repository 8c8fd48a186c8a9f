"""What a test sees of `kmirror top`, on a screen that nobody else sees."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from textual.widgets import DataTable

from kmirror.cli.top_app import TopApp

SEEN_S_MAX = 60.0


async def until(condition: Callable[[], bool], what: str) -> None:
    """Wait until something is on the screen."""
    async with asyncio.timeout(SEEN_S_MAX):
        while not condition():
            await asyncio.sleep(0.05)
    assert condition(), what


def drawn(app: TopApp) -> str:
    """Give the words on the screen, without what gives them colours and places."""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", app.export_screenshot())
    return " ".join(found).replace("&#160;", " ").replace("&gt;", ">")


def rows(app: TopApp, name: str) -> list[list[str]]:
    """Give a table's cells."""
    table = app.screen_stack[0].query_one(name, DataTable)
    return [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]
