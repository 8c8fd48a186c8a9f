"""Debian's Chromium, for tests of pages: nothing is fetched for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt install chromium")
_SEEN_MS_MAX = 60_000
# Pages have few colours; a picture with so many is a third as large, and looks the same.
_COLOURS = 128


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield the browser."""
    with sync_playwright() as playwright:
        expect.set_options(timeout=_SEEN_MS_MAX)
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a browser."""
    with chromium() as found:
        yield found


class Watched:
    """
    A tab, and everything in it that no page of ours has.

    Args:
        page: The tab.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.troubles: list[str] = []
        page.set_default_timeout(_SEEN_MS_MAX)
        page.on("console", lambda each: self.troubles.append(each.text))
        page.on("pageerror", lambda each: self.troubles.append(str(each)))
        page.on("dialog", lambda each: self.troubles.append(each.message))

    def assert_fits(self) -> None:
        """Refuse a page that is wider than the screen."""
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.page.viewport_size["width"], self.page.url  # type: ignore[index]


def open_tab(browser: Browser, base: str, width: int) -> Iterator[Watched]:
    """
    Give a tab; at its end it has nothing to complain of.

    Args:
        browser: What opens it.
        base: Where addresses of pages begin.
        width: Of the screen, pixels.
    """
    context = browser.new_context(base_url=base, viewport={"width": width, "height": 740})
    watched = Watched(context.new_page())
    yield watched
    context.close()
    assert not watched.troubles


def save_picture(page: Page, path: Path) -> None:
    """Write down what a tab shows, as a small file."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    path.parent.mkdir(exist_ok=True)
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
