"""The page of `kmirror lab web` in a browser, beside clusters that a test has already."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kmirror_lab.cluster.state import save, state_of
from kmirror_lab.fixtures import ClusterPair
from playwright.sync_api import Locator, expect

from kmirror.cli.exits import Exit
from tests.support.chromium import Watched, chromium
from tests.support.driver import KMIRROR, start_logged

# Enough for the test, and no more than a busy machine sends one by one.
_RATE = 100
_SENT_MS_MAX = 240_000


class LabPage:
    """
    The page, as somebody uses it who plays a hand-over.

    Args:
        tab: It.
    """

    def __init__(self, tab: Watched) -> None:
        self._page = tab.page

    def send_one(self, topic: str) -> None:
        """Send a record to a topic by the form: it is there, and the page shows the topic."""
        self._page.goto("/")
        form = self._page.locator("form[data-act='/send']")
        form.locator("[name=topic]").fill(topic)
        form.get_by_role("button", name="Send").click()
        expect(self._page.locator("h1")).to_have_text(topic)
        expect(self._page.locator("#sent")).to_contain_text(re.compile("^1records"))

    def begin(self, topic: str, seconds: int) -> None:
        """Begin to send to a topic."""
        asked = {"topic": topic, "seconds": seconds, "rate": _RATE, "wait": "false"}
        answer = self._page.request.post("/send-message-by-time", params=asked)  # type: ignore[arg-type]
        assert answer.status == 202, answer.text()
        expect(self._page.locator(".sending")).to_contain_text("so far")

    def wait_owned(self, partitions: int, *, members: int) -> None:
        """Wait until the page says that every partition has an owner, of so many members."""
        words = f"{partitions} of {partitions} have an owner: {members} member"
        expect(self._page.locator("#groups .group")).to_contain_text(words)

    def wait_sent(self) -> int:
        """Wait until everything is sent, and give how many records that were."""
        expect(self._page.locator(".sending")).to_contain_text("sent ", timeout=_SENT_MS_MAX)
        return int(
            (self._page.locator("#sent").text_content() or "").split("r")[0].replace(",", "")
        )

    def wait_equal(self, topic: str, records: int) -> None:
        """Wait until counts are equal, and log sizes and offsets."""
        for cluster in ("A", "B"):
            tile = self._tile(f"{cluster}: {topic}")
            expect(tile).to_contain_text("equal")
            expect(tile).to_contain_text(f"{records:,}")
        expect(self._page.locator("#groups .group")).to_contain_text("log size = consumer offset")

    def _tile(self, title: str) -> Locator:
        return self._page.locator("#counts .tiles > div", has_text=title)


@contextmanager
def lab_page(folder: Path, pair: ClusterPair) -> Iterator[LabPage]:
    """
    Run `kmirror lab web`, and yield its page; nothing of ours is wrong in it.

    Args:
        folder: For its files.
        pair: The clusters.
    """
    lab = folder / "lab"
    save(lab, state_of([pair.a, pair.b]))
    free = "127.0.0.1:0"
    command = [KMIRROR, "lab", "web", "--folder", lab, "--listen", free, "--console", free]
    served = start_logged(command, folder / "lab-web.log", folder / "lab-web-tmp")
    try:
        address = served.wait_for_address("the page:")
        beside = served.wait_for_address("the console:")
        with chromium() as browser:
            tab = Watched(browser.new_context(base_url=address).new_page())
            tab.page.goto(beside)
            expect(tab.page.locator("#flows")).to_contain_text("A→B")
            yield LabPage(tab)
            assert not tab.troubles
        assert served.stop() == Exit.OK, served.text
    finally:
        served.kill()
