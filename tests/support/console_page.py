"""The console in a browser, as somebody uses it who is on call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.chromium import open_tab
from tests.support.console_pages import WIDTHS, wait_loaded

_DONE_MS_MAX = 120_000


class ConsolePage:
    """
    A tab of the console of one flow.

    Args:
        page: It.
        flow: The flow's name.
    """

    def __init__(self, page: Page, flow: str) -> None:
        self.page = page
        self._flow = flow
        self.name = quote(flow, safe="")
        self.path = f"/flows/{self.name}"

    def shows(self, path: str, *words: str) -> None:
        """Open a page: it says so once the clusters have answered, and nothing is in its way."""
        self.page.goto(path)
        wait_loaded(self.page)
        for each in words:
            expect(self.page.locator("main")).to_contain_text(each, timeout=_DONE_MS_MAX)
        expect(self.page.locator("main")).not_to_contain_text("No answer.")

    def order(self, verb: str, topic: str, partition: int, **given: str | bool) -> str:
        """
        Order something of a partition by its button.

        Args:
            verb: `pause`, `resume`, `park`, `skip` or `seek`.
            topic, partition: Which one.
            given: What else is filled in, by the field's name.

        Returns:
            What the console says, once it has seen that the driver obeys.
        """
        self.page.goto(f"{self.path}/topics/{topic}")
        self.page.get_by_role("button", name=f"Order for {topic}-{partition}").click()
        dialog = self.page.locator("#order")
        dialog.locator("[name=verb]").select_option(verb)
        dialog.locator("[name=reason]").fill(f"{verb} by hand")
        for name, value in given.items():
            field = dialog.locator(f"[name={name}]")
            if isinstance(value, bool):
                field.set_checked(value)
            else:
                field.fill(value)
        if verb in {"skip", "seek"}:
            dialog.locator("[name=flow]").fill(self._flow)
        dialog.get_by_role("button", name="Do it").click()
        return self._answer(dialog)

    def expect_state(self, partition: str, state: str, reason: str = "") -> None:
        """Wait until the page says how a partition is, without being asked again."""
        row = self.page.locator("#partitions tbody tr", has=self.page.get_by_text(partition))
        expect(row.first).to_contain_text(state, timeout=_DONE_MS_MAX)
        if reason:
            expect(self.page.locator("#partitions .why").first).to_contain_text(reason)

    def act(self, button: str, **given: str) -> str:
        """
        Reload the file, or apply the plan, on the page Config; then the page is there again.

        Args:
            button: What its label begins with.
            given: What is filled in besides the reason.

        Returns:
            What the console says of it.
        """
        self.shows("/config")
        self.page.get_by_role("button", name=re.compile(f"^{button}")).click()
        dialog = self.page.locator("#act")
        for name, value in {"reason": f"{button} by hand", **given}.items():
            dialog.locator(f"[name={name}]").fill(value)
        dialog.get_by_role("button", name="Do it").click()
        said = self._answer(dialog)
        with self.page.expect_navigation():
            dialog.get_by_role("button", name="Close").click()
        return said

    def move(self, kind: str) -> Locator:
        """
        Look at a move, order it, and give what the page has of it at its end.

        Args:
            kind: `failover`, `promote` or `failback`.
        """
        self.page.goto("/move")
        self.page.locator("[name=kind]").select_option(kind)
        self.page.get_by_role("button", name="See what it would do").click()
        wait_loaded(self.page)
        self.page.get_by_role("button", name=f"{kind.capitalize()}…").click()
        dialog = self.page.locator("#move")
        dialog.locator("[name=reason]").fill(f"{kind} by hand")
        dialog.locator("[name=flow]").fill(self._flow)
        dialog.get_by_role("button", name="Do it").click()
        expect(dialog).to_be_hidden()
        moved = self.page.locator(".move").first
        expect(moved).to_contain_text(f"{kind} by hand")
        expect(moved.locator(".doing")).to_have_count(0, timeout=_DONE_MS_MAX)
        expect(moved.locator(".pill")).to_have_text("done")
        return moved

    def replay(self, button: str) -> str:
        """
        Replay dead letters from the page that is open, and give what became of them.

        Args:
            button: What its label begins with.
        """
        self.page.get_by_role("button", name=re.compile(f"^{button}")).click()
        dialog = self.page.locator("#replay")
        dialog.locator("[name=reason]").fill("replayed by hand")
        dialog.locator("[name=flow]").fill(self._flow)
        dialog.get_by_role("button", name="Replay", exact=True).click()
        return self._answer(dialog, "bad|ok")

    @staticmethod
    def _answer(dialog: Locator, tone: str = "ok") -> str:
        said = dialog.locator("output")
        expect(said).to_have_class(re.compile(f"^({tone})$"), timeout=_DONE_MS_MAX)
        return said.text_content() or ""


@contextmanager
def console_page(browser: Browser, address: str, flow: str) -> Iterator[ConsolePage]:
    """
    Open the console; at the end its pages have had nothing to complain of.

    Args:
        browser: What opens it.
        address: Its `http://host:port`.
        flow: The flow's name.
    """
    for tab in open_tab(browser, address, WIDTHS[0]):
        yield ConsolePage(tab.page, flow)
