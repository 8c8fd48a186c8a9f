"""The console in a real browser: flows that never ran, words that nobody should run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until
from playwright.sync_api import Browser, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from kmirror.audit.standing import FlowStanding
from kmirror.config.flows import FlowConfig
from kmirror.events.emit import emit
from kmirror.events.table import FLOW_INCOMPLETE
from kmirror.model import Flow, TopicPartition
from kmirror.wire.audit_windows import AuditVerdict
from tests.support.chromium import NEEDS_CHROMIUM, Watched, open_tab
from tests.support.console_pages import WIDTHS
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient
from tests.support.synthetic_audit import audited

PATHS = [
    *("/", "/flows/A-%3EB", "/flows/B-%3EA", "/flows/A-%3EB/topics", "/flows/A-%3EB/slots"),
    *("/flows/A-%3EB/plots?range=24h", "/flows/A-%3EB/topics/topic-0000/settings"),
    *("/flows/A-%3EB/topics/topic-0000", "/groups", "/events", "/plan", "/offsets", "/api"),
    *("/config", "/clusters"),
    *("/audit", "/audit/A-%3EB", "/canary"),
    *("/flows/A-%3EB/explain", "/flows/A-%3EB/records", "/move", "/flows/A-%3EB/left-out"),
]
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console."""
    with serving_console(tmp_path_factory.mktemp("console")) as client:
        yield client


def test_no_page_is_wider_than_the_screen(browser: Browser, served: RestClient) -> None:
    """Nor does one break a rule of its own: no errors, no violations of the policy, no dialogs."""
    emit(FLOW_INCOMPLETE, flow=Flow("A", "B"), reason=EVIL)
    for tab in open_tab(browser, served.base, WIDTHS[0]):
        for path in PATHS:
            tab.page.goto(path, wait_until="load")
            expect(tab.page.locator("h1")).to_have_count(1)
            for width in WIDTHS:
                tab.page.set_viewport_size({"width": width, "height": 740})
                tab.assert_fits()
        tab.page.goto("/events")
        expect(tab.page.get_by_text("<img src=x onerror").first).to_be_visible()


def test_a_page_follows(tab: Watched) -> None:
    """What happens is there without a click, and the tab says that it follows."""
    tab.page.goto("/events")
    expect(tab.page.locator("#live")).to_have_text("live")
    emit(FLOW_INCOMPLETE, flow=Flow("A", "B"), reason="seen by itself")
    expect(tab.page.get_by_text("seen by itself").first).to_be_visible()
    expect(tab.page.locator("#events li time").first).to_contain_text("ago")
    expect(tab.page.locator("#events .table-head time")).to_contain_text("for ")


def _go(tab: Watched, key: str, path: str) -> None:
    """Press `g` and *key*; again where a busy machine held them further apart than they may be."""

    def arrived() -> bool:
        tab.page.locator("body").press("g")
        tab.page.keyboard.press(key)
        try:
            tab.page.wait_for_url(f"**{path}", timeout=5_000)
        except PlaywrightTimeout:
            return False
        return True

    wait_until(arrived, f"the keys g and {key} lead to {path}", timeout_s=60)


def test_keys_and_filters(tab: Watched) -> None:
    """Without a mouse: to the filter, to another page, and the address is that of the view."""
    tab.page.goto("/flows/A-%3EB")
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("topic-0001")
    expect(tab.page.locator("#partitions .table-head")).to_contain_text("3 partitions")
    assert tab.page.url.endswith("?q=topic-0001")
    tab.page.locator("h1").click()
    tab.page.keyboard.press("?")
    expect(tab.page.locator("#keys")).to_be_visible()
    tab.page.keyboard.press("Escape")
    _go(tab, "e", "/events")
    tab.page.goto("/flows/A-%3EB/plots")
    tab.page.locator("body").press("4")
    tab.page.wait_for_url("**/plots?range=24h")
    expect(tab.page.locator(".ranges [aria-current]")).to_have_text("24 h")
    tab.page.goto("/flows/A-%3EB")
    tab.page.locator("[name=sort]").select_option("-topic")
    expect(tab.page.locator("#partitions tbody th").first).to_contain_text("topic-0001-2")
    assert tab.page.url.endswith("?sort=-topic")


def test_columns_are_chosen(tab: Watched) -> None:
    """They stay so when the page is there again, and while it follows."""
    tab.page.goto("/flows/A-%3EB")
    cell = tab.page.locator("#partitions td[data-label='Position']").first
    expect(cell).to_be_visible()
    tab.page.get_by_text("Columns", exact=True).click()
    tab.page.get_by_label("Position", exact=True).uncheck()
    tab.page.keyboard.press("Escape")
    expect(cell).to_be_hidden()
    expect(tab.page.locator("#partitions td[data-label='Source end']").first).to_be_visible()
    tab.page.reload()
    expect(cell).to_be_hidden()
    tab.assert_fits()


def test_a_dash_says_why(tab: Watched) -> None:
    """Not to a pointer alone: a list beside the values has it, and whoever touches the dash."""
    tab.page.goto("/clusters")
    tab.page.set_viewport_size({"width": WIDTHS[1], "height": 740})
    bubble = tab.page.locator(".bubble")
    tab.page.locator("#cluster-1 .facts .unknown").first.click()
    expect(bubble).to_have_text("Cluster id: it has not answered yet")
    tab.page.locator("h1").click()
    expect(bubble).to_be_hidden()
    told = tab.page.locator("#processes .dashes")
    told.locator("summary").focus()
    tab.page.keyboard.press("Enter")
    expect(told.locator("dd")).to_have_text("it is no Java")
    expect(told.locator("dt")).to_contain_text("Heap, Heap at most")
    tab.assert_fits()
    tab.page.set_viewport_size({"width": WIDTHS[0], "height": 740})


def test_a_plot_is_read_with_keys(tab: Watched) -> None:
    """Arrows go from moment to moment, and stay there while the page follows; so does a pointer."""
    tab.page.goto("/flows/A-%3EB/plots")
    plot = tab.page.locator(".plot[role=slider]").first
    # A driver looks every 5 s, and a curve needs three looks.
    expect(plot).to_be_visible(timeout=60_000)
    said = tab.page.locator(".chart output").first
    expect(said).to_be_empty()
    plot.focus()
    plot.press("Home")
    expect(said).to_contain_text("720")
    first = plot.get_attribute("aria-valuetext")
    assert first == said.text_content()
    plot.press("End")
    expect(plot).not_to_have_attribute("aria-valuetext", first or "")
    plot.hover()
    expect(said).not_to_be_empty()


def test_light_and_dark(tab: Watched) -> None:
    """What somebody has chosen stays, on the next page, too."""
    tab.page.emulate_media(color_scheme="light")
    tab.page.goto("/")
    light = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.page.locator("#theme").click()
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    tab.page.goto("/plan")
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_an_order_says_why_it_was_not_given(tab: Watched) -> None:
    """It needs a reason; what the clusters refuse is said in the dialog."""
    tab.page.goto("/flows/A-%3EB/topics/topic-0000")
    tab.page.get_by_role("button", name="Order for topic-0000-1").click()
    dialog = tab.page.locator("#order")
    expect(dialog.locator("h2")).to_have_text("topic-0000-1 of A->B")
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.locator("#order-answer")).to_be_empty()
    dialog.locator("[name=verb]").select_option("skip")
    expect(dialog.locator("[name=flow]")).to_be_visible()
    dialog.locator("[name=flow]").fill("A")
    dialog.locator("[name=reason]").fill(EVIL)
    dialog.get_by_role("button", name="Try without doing it").click()
    answer = dialog.locator("#order-answer")
    expect(answer).to_contain_text("the flow's name is A->B, and not A")
    tab.troubles[:] = [each for each in tab.troubles if "400" not in each]
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_an_admin_reloads_and_applies(tab: Watched) -> None:
    """Both ask for a reason, and what nobody answers is said in the dialog."""
    tab.page.goto("/config")
    expect(tab.page.locator("#disk")).to_contain_text("a reload would change nothing")
    tab.page.get_by_role("button", name="Reload").click()
    dialog = tab.page.locator("#act")
    expect(dialog.locator("[name=flow]")).to_be_hidden()
    dialog.get_by_role("button", name="Close").click()
    tab.page.get_by_role("button", name="Apply the plan of A->B").click()
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.locator("#act-answer")).to_be_empty()
    dialog.locator("[name=reason]").fill(EVIL)
    dialog.locator("[name=flow]").fill("A")
    dialog.get_by_role("button", name="Try without doing it").click()
    expect(dialog.locator("#act-answer")).to_have_text("the flow's name is A->B, and not A")
    tab.troubles[:] = [each for each in tab.troubles if "400" not in each]


def test_windows_of_an_audit(browser: Browser, tmp_path: Path) -> None:
    """A window in a band leads to its row; filters and keys work; a report is a file to keep."""
    for width in (1280, 360):
        with serving_console(tmp_path, stand=_stand) as client:
            context = browser.new_context(
                base_url=client.base, viewport={"width": width, "height": 740}
            )
            watched = Watched(context.new_page())
            page = watched.page
            page.goto("/")
            page.locator("body").press("g")
            page.locator("body").press("a")
            page.wait_for_url("**/audit")
            page.locator("a.button[href='/audit/A-%3EB']").first.click()
            expect(page.locator("#windows tbody tr:not(.why)")).to_have_count(1)
            expect(page.locator(".why").get_by_text(EVIL)).to_be_visible()
            window = page.locator(".band a")
            window.focus()
            page.keyboard.press("Enter")
            assert page.url.endswith("#w-t-0-1000")
            expect(page.locator("tr:target th")).to_contain_text("different")
            # From the difference to the records of both sides there, and back.
            page.locator("tr:target td[data-label='Differs at'] a").click()
            expect(page.locator("[name=at]")).to_have_value("1007")
            page.get_by_role("link", name="Back to its window").click()
            expect(page.locator("tr:target th")).to_contain_text("different")
            page.goto("/audit/A-%3EB")
            page.locator("[name=windows]").select_option("identical")
            expect(page.locator("#windows tbody tr:not(.why)")).to_have_count(2)
            with page.expect_download() as download:
                page.get_by_role("link", name="Download the unsigned report").click()
            assert download.value.suggested_filename == "kmirror-audit-A-B.html"
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            context.close()
            assert not watched.troubles


def _stand(config: FlowConfig) -> FlowStanding:
    same, other = AuditVerdict.IDENTICAL, AuditVerdict.DIFFERENT
    now_ms = time.time_ns() // 1_000_000
    verdicts = {TopicPartition("t", 0): [same, other, same]}
    return audited(config.flow, verdicts, now_ms=now_ms, words=EVIL)


def test_who_only_looks_has_no_buttons(browser: Browser, tmp_path: Path) -> None:
    """And is told who may."""
    with serving_console(tmp_path, role="viewer") as client:
        page = browser.new_page(base_url=client.base)
        page.goto("/flows/A-%3EB")
        expect(page.get_by_text("needs the role operator")).to_be_visible()
        expect(page.locator("[data-order]")).to_have_count(0)
        page.close()
