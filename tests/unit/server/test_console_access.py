"""The console for everybody: axe-core over every page, and over every dialog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.answering_console import answering_console
from tests.support.axe import violations
from tests.support.chromium import NEEDS_CHROMIUM, Watched, open_tab
from tests.support.console_pages import (
    API,
    DIALOGS,
    WIDTHS,
    answer,
    every_page,
    open_all,
    show_all_fields,
    wait_loaded,
)
from tests.support.rest_server import RestClient

pytestmark = NEEDS_CHROMIUM
Look = tuple[int, Literal["light", "dark"]]
DESK, TELEPHONE = WIDTHS
_LOOKS: list[list[Look]] = [
    [(DESK, "light"), (TELEPHONE, "dark")],
    [(DESK, "dark"), (TELEPHONE, "light")],
]
# Between them, these see every rule on both screens, and every colour; the others both at once.
LOOKS = pytest.mark.parametrize(
    "looks",
    [_LOOKS[0], pytest.param(_LOOKS[1], marks=pytest.mark.long)],
    ids=lambda looks: "-".join(f"{width}{scheme}" for width, scheme in looks),
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console whose clusters seem to answer everything."""
    with answering_console(tmp_path_factory.mktemp("console")) as client:
        yield client


@pytest.fixture(scope="module")
def tab(browser: Browser, served: RestClient) -> Iterator[Watched]:
    """Give a tab."""
    yield from open_tab(browser, served.base, DESK)


@LOOKS
@pytest.mark.parametrize("path", every_page("topic-0000", "billing"))
def test_axe_finds_nothing(tab: Watched, path: str, looks: list[Look]) -> None:
    """On no page, whether light or dark, wide or narrow, with all of it opened."""
    tab.page.goto(path)
    wait_loaded(tab.page)
    if path != API:
        open_all(tab.page)
    assert not [each for look in looks for each in seen(tab.page, look)]


@pytest.mark.long
@pytest.mark.parametrize("looks", _LOOKS)
def test_axe_finds_nothing_in_all_of_the_api(tab: Watched, looks: list[Look]) -> None:
    """Nor in what its page shows only when it is asked to."""
    tab.page.goto(API)
    open_all(tab.page)
    assert not [each for look in looks for each in seen(tab.page, look)]


@LOOKS
@pytest.mark.parametrize(("path", "opener", "name", "_filled"), DIALOGS)
def test_axe_finds_nothing_in_a_dialog(
    tab: Watched, path: str, opener: str, name: str, _filled: str, looks: list[Look]
) -> None:
    """Nor in what is asked there, and answered."""
    tab.page.goto(path)
    wait_loaded(tab.page)
    tab.page.get_by_role("button", name=opener).first.click()
    dialog = tab.page.locator(f"dialog#{name}")
    expect(dialog).to_be_visible()
    show_all_fields(dialog)
    found = []
    for look, tone in zip(looks, ("bad", "ok"), strict=True):
        answer(dialog, tone, "cluster A: said so")
        found += seen(tab.page, look, "dialog[open]")
    assert not found


@LOOKS
def test_axe_finds_nothing_where_nothing_is(
    browser: Browser, served: RestClient, looks: list[Look]
) -> None:
    """On the page that says that something is not there, and in the list of keys."""
    page = browser.new_page(base_url=served.base)
    page.goto("/flows/none")
    found = [each for look in looks for each in seen(page, look)]
    page.locator("#help").click()
    found += [each for look in looks for each in seen(page, look, "dialog[open]")]
    page.close()
    assert not found


def test_axe_finds_what_is_there(tab: Watched) -> None:
    """Where there are barriers: if it found nothing here, nothing above would mean anything."""
    tab.page.goto("/canary")
    main = tab.page.locator("main")
    main.evaluate("each => { each.innerHTML = '<svg role=img></svg><input>'; }")
    main.evaluate("each => { each.lastChild.before('pale'); each.style.color = '#ccc'; }")
    rules = {each.split(": ")[2] for each in seen(tab.page, (DESK, "light"))}
    assert {"svg-img-alt", "label", "color-contrast"} <= rules


def seen(page: Page, look: Look, within: str | None = None) -> list[str]:
    """Return what axe-core finds on a screen of some width, in light or dark."""
    width, scheme = look
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    return [f"{width} {scheme}: {each}" for each in violations(page, within)]
