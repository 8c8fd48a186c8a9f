"""The console without a mouse: every dialog by keys alone, and one always sees where one is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from kmirror.events.emit import emit
from kmirror.events.table import FLOW_INCOMPLETE
from kmirror.model import Flow
from tests.support.answering_console import answering_console
from tests.support.chromium import NEEDS_CHROMIUM, Watched, open_tab
from tests.support.console_pages import DIALOGS, WIDTHS, every_page, open_all, wait_loaded
from tests.support.rest_server import RestClient

pytestmark = NEEDS_CHROMIUM
_STEPS_MAX = 600
DESK, TELEPHONE = WIDTHS
# The links to the other pages, and the tools beside them.
_ON_EVERY_PAGE = 15
_PAGES = every_page("topic-0000", "billing")
# Between them, these have everything that one can come to.
_FEW = ("/", "/flows/B-%3EA", "/audit/A-%3EB?windows=all", "/move?flow=A-%3EB&kind=failover")
_MORE = ("/flows/A-%3EB/left-out", "/events?level=DEBUG", "/config?show=all&q=topics", "/clusters")
# Where the focus is: whether one sees it, with nothing above it.
_SEEN = """() => {
    const on = document.activeElement;
    if (on === document.body) return null;
    const style = getComputedStyle(on), box = on.getBoundingClientRect();
    const mark = on.querySelector("rect") ? getComputedStyle(on.querySelector("rect")) : style;
    const isMarked = parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== "none"
        || mark.stroke !== "none" && parseFloat(mark.strokeWidth) >= 2;
    const x = Math.max(box.x, 0) + Math.min(box.width, innerWidth) / 2, y = box.y + box.height / 2;
    const top = document.elementFromPoint(Math.min(x, innerWidth - 1), y);
    const isOpen = top && (on.contains(top) || top.contains(on));
    const label = on.getAttribute("aria-label") ?? on.getAttribute("name") ?? on.textContent.trim();
    return [on.matches(":focus-visible") && isMarked, isOpen, label];
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console whose clusters seem to answer questions, and obey no order."""
    with answering_console(tmp_path_factory.mktemp("console")) as client:
        yield client


@pytest.fixture(scope="module")
def one_tab(browser: Browser, served: RestClient) -> Iterator[Watched]:
    """Open a tab."""
    yield from open_tab(browser, served.base, DESK)


@pytest.fixture
def tab(one_tab: Watched) -> Iterator[Watched]:
    """Give it; no test has anything to complain of."""
    one_tab.page.set_viewport_size({"width": DESK, "height": 740})
    yield one_tab
    assert not one_tab.troubles


@pytest.mark.parametrize(("path", "opener", "name", "filled"), DIALOGS)
def test_a_dialog_by_keys(tab: Watched, path: str, opener: str, name: str, filled: str) -> None:
    """It is found, opened, filled, sent, answers, and closes: then one is where one was."""
    page = tab.page
    page.goto(path)
    wait_loaded(page)
    go_to(page, opener)
    page.keyboard.press("Enter")
    dialog = page.locator(f"dialog#{name}")
    expect(dialog).to_be_visible()
    for field in filled.split():
        go_to(page, field)
        page.keyboard.type("A->B" if field == "flow" else "by keys")
    page.keyboard.press("Enter" if "flow" in filled else "Tab")
    if "flow" not in filled:
        go_to(page, "Do it")
        page.keyboard.press("Enter")
    expect(dialog.locator("button").first).to_be_enabled()
    if dialog.is_visible():
        expect(dialog.locator("output:not(.less)")).not_to_be_empty()
        page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_function(f"label => ({_SEEN})()?.[2] === label", arg=opener)
    # There is no cluster that could obey, and the dialog has said so.
    tab.troubles[:] = [each for each in tab.troubles if "responded with a status of" not in each]


def test_records_are_given_up_by_keys(tab: Watched) -> None:
    """What is ordered is chosen by keys, too; it asks for more then, and is tried first."""
    page = tab.page
    page.goto("/flows/A-%3EB/topics/topic-0000")
    go_to(page, "Order for topic-0000-1")
    page.keyboard.press("Enter")
    dialog = page.locator("#order")
    expect(dialog).to_be_visible()
    go_to(page, "verb", back=True)
    page.keyboard.type("Skip")
    for field, words in (("to", "1241"), ("reason", "by keys"), ("flow", "A")):
        go_to(page, field)
        page.keyboard.type(words)
    go_to(page, "Try without doing it")
    page.keyboard.press("Space")
    expect(dialog.locator("output")).to_contain_text("the flow's name is A->B, and not A")
    tab.troubles[:] = [each for each in tab.troubles if "400" not in each]


@pytest.mark.parametrize(
    ("path", "width"),
    [
        *((path, DESK) for path in (*_FEW, *_MORE)),
        *((path, TELEPHONE) for path in _FEW),
        *(
            pytest.param(path, width, marks=pytest.mark.long)
            for width, done in ((DESK, (*_FEW, *_MORE)), (TELEPHONE, _FEW))
            for path in _PAGES
            if path not in done
        ),
    ],
)
def test_one_sees_where_one_is(tab: Watched, path: str, width: int) -> None:
    """Whatever Tab comes to is marked, and lies under nothing; and it comes to an end."""
    tab.page.set_viewport_size({"width": width, "height": 740})
    tab.page.goto(path)
    wait_loaded(tab.page)
    open_all(tab.page)
    for number in range(_STEPS_MAX):
        tab.page.keyboard.press("Tab")
        seen = tab.page.evaluate(_SEEN)
        if seen is None:
            break
        assert seen[:2] == [True, True], (number, seen)
    assert _ON_EVERY_PAGE <= number < _STEPS_MAX - 1


def test_keys_lead_to_every_page(tab: Watched) -> None:
    """To those that the list of keys names, and it names them all."""
    page = tab.page
    page.goto("/")
    page.keyboard.press("?")
    names = page.locator("#keys dt:has(kbd + kbd)").all_inner_texts()
    shown = page.locator("#keys dt:has(kbd + kbd) + dd").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    linked = page.locator(".bar nav a").all_inner_texts()
    # Offsets and the API are for who looks one up.
    assert {*shown, "Offsets", "API"} == set(linked)
    for keys, name in zip(names, shown, strict=True):
        with page.expect_navigation():
            for key in keys.split():
                page.keyboard.press(key)
        expect(page.locator(".bar [aria-current]")).to_have_text(name)


def test_tables_by_keys(tab: Watched) -> None:
    """One filters, goes on to what is left, opens it, and comes back to the same view."""
    page = tab.page
    page.goto("/flows/A-%3EB")
    page.keyboard.press("/")
    page.keyboard.type("topic-0001")
    expect(page.locator("#partitions .table-head")).to_contain_text("3 partitions")
    go_to(page, "topic-0001")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("topic-0001")
    page.go_back()
    expect(page.locator("[type=search]")).to_have_value("topic-0001")
    expect(page.locator("#partitions .table-head")).to_contain_text("3 partitions")


def test_news_takes_nobody_away(tab: Watched) -> None:
    """A part that is replaced while somebody is in it, or in its dialog, has them afterwards."""
    page = tab.page
    page.goto("/events")
    go_to_first(page, "summary")
    before = page.evaluate(_SEEN)
    emit(FLOW_INCOMPLETE, flow=Flow("A", "B"), reason="while somebody reads")
    expect(page.get_by_text("while somebody reads").first).to_be_visible()
    assert page.evaluate(_SEEN) == before
    page.goto("/flows/A-%3EB")
    go_to(page, "Order for topic-0001-2")
    page.keyboard.press("Enter")
    expect(page.locator("#order")).to_be_visible()
    page.evaluate("document.querySelector('#partitions table').outerHTML += ''")
    page.keyboard.press("Escape")
    expect(page.locator("#order")).to_be_hidden()
    expect(page.get_by_role("button", name="Order for topic-0001-2")).to_be_focused()


def test_help_by_keys(tab: Watched) -> None:
    """The list of keys opens by one, closes by another, and leads back."""
    tab.page.goto("/")
    go_to(tab.page, "Light or dark")
    tab.page.keyboard.press("?")
    expect(tab.page.locator("#keys")).to_be_visible()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("#keys")).to_be_hidden()
    assert tab.page.evaluate(_SEEN)[2] == "Light or dark"


def go_to(page: Page, label: str, *, back: bool = False) -> None:
    """Go on with Tab, or back, until it is at something."""
    for _ in range(_STEPS_MAX):
        seen = page.evaluate(_SEEN)
        if seen and seen[2] == label:
            return
        page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"Tab does not come to {label}")


def go_to_first(page: Page, tag: str) -> None:
    """Go on with Tab until it is at an element of a kind."""
    for _ in range(_STEPS_MAX):
        if page.evaluate("document.activeElement.localName") == tag:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to a {tag}")
