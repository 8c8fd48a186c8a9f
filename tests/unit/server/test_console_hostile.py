"""Words that nobody should run, nor trust, wherever clusters, files and people can put them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.answering_console import answering_console
from tests.support.chromium import NEEDS_CHROMIUM, Watched, open_tab
from tests.support.console_pages import (
    WIDTHS,
    answer,
    every_page,
    open_all,
    open_dialog,
    show_all_fields,
    wait_loaded,
)
from tests.support.rest_server import RestClient

pytestmark = NEEDS_CHROMIUM
HOSTILE = (
    "<img src=x onerror=alert(1)><script>alert(2)</script>\" onfocus='alert(3)' autofocus x='"
    "javascript:alert(4) {{7*7}} &lt; %3C ../../ \x00\x07\x1b[2J\r\n\u202eexe.gnp\u2066\u200b"
    + "W"
    * 300
)
_WIDEST = """() => [...document.querySelectorAll("main *, dialog *")].filter((each) => {
    const box = each.getBoundingClientRect();
    const scrolls = each.closest(".table-scroll, .tabs, pre, .hidden, thead, svg");
    return box.width && box.right > innerWidth + 1 && !scrolls;
}).map((each) => each.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console where every word is hostile."""
    with answering_console(tmp_path_factory.mktemp("console"), HOSTILE) as client:
        yield client


@pytest.fixture(scope="module")
def tab(browser: Browser, served: RestClient) -> Iterator[Watched]:
    """Give a tab; at its end, nothing has run."""
    yield from open_tab(browser, served.base, WIDTHS[0])


@pytest.mark.parametrize("path", every_page(HOSTILE, HOSTILE))
def test_words_are_words(tab: Watched, path: str) -> None:
    """
    Nothing of them runs, nothing is hidden or turned round, and a page keeps its width.

    That is so on a desk and on a telephone, and also in a dialog, and in what it answers.
    """
    tab.page.goto(path)
    wait_loaded(tab.page)
    open_all(tab.page)
    assert_harmless(tab)
    if dialog := open_dialog(tab.page):
        show_all_fields(dialog)
        answer(dialog, "bad", HOSTILE)
        assert_harmless(tab)
    assert not tab.troubles


def assert_harmless(tab: Watched) -> None:
    """Refuse a page that is wider than the screen, or has something in it that nobody sees."""
    text = tab.page.locator("body").text_content() or ""
    assert not set(text) & set("\x00\x07\x1b\u202e\u2066\u200b")
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": 740})
        assert not tab.page.evaluate(_WIDEST)
        tab.assert_fits()
