"""Write a page, where what draws it is installed."""

from __future__ import annotations

from pathlib import Path

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import check_folder, refuse
from kmirror.pages.page import Page


def check_page(path: Path | None) -> None:
    """Exit, before anything is done, if a page that is wanted cannot be drawn or written."""
    if path is None:
        return
    try:
        # What draws and fills templates is an extra: everything else works without.
        from kmirror.pages import html  # noqa: F401, PLC0415
    except ImportError as error:
        refuse(f"{error.name} is missing (pip install 'kmirror[pages]')", Exit.START_FAILED)
    check_folder(path)


def write_page(page: Page, path: Path) -> None:
    """Write a page, or exit if it cannot be."""
    from kmirror.pages.html import html  # noqa: PLC0415

    try:
        path.write_text(html(page), encoding="utf-8")
    except OSError as error:
        refuse(f"{path}: {error.strerror}", Exit.START_FAILED)
