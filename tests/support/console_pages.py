"""Every page of the console and every dialog, and when a page has come."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

WIDTHS = (1280, 360)
"""Of a desk, and of a telephone."""
API = "/api"
"""The longest page, of hundreds of things of one kind."""
_TOPIC, _MOVE = "/flows/A-%3EB/topics/topic-0000", "/move?flow=A-%3EB&kind=failover"
DIALOGS = [
    (_TOPIC, "Order for topic-0000-1", "order", "reason"),
    ("/flows/A-%3EB/left-out", "Replay all dead letters…", "replay", "reason flow"),
    ("/config", "Reload…", "act", "reason"),
    ("/plan", "Apply…", "act", "reason flow"),
    (_MOVE, "Failover…", "move", "reason flow"),
    (_MOVE, "Let it copy again…", "move", "reason flow"),
    *(
        pytest.param(*each, marks=pytest.mark.long)
        for each in (
            (_TOPIC, "Pause…", "order", "reason"),
            ("/flows/A-%3EB/dead-letters/7", "Replay…", "replay", "reason flow"),
            (_MOVE, "Drill…", "move", "reason flow"),
        )
    ),
]
"""Where a dialog is, the button that opens it, what it is, and which of its fields are filled."""
_OPENERS = "[data-order], [data-replay], [data-act], [data-move]"


def every_page(topic: str, group: str) -> list[str]:
    """
    Return the addresses of all pages, with what they ask clusters for.

    Args:
        topic: The topic that pages of topics are about.
        group: The group that a page is about.
    """
    flow = "/flows/A-%3EB"
    named, of_group = quote(topic, safe=""), quote(group, safe="")
    return [
        *("/", "/flows/B-%3EA", f"{flow}/topics", f"{flow}/slots", f"{flow}/left-out"),
        *(f"{flow}/plots", f"{flow}/topics/{named}/settings"),
        *(f"{flow}/topics/{named}", f"{flow}/dead-letters/7", f"{flow}/explain"),
        *(f"{flow}/explain?topic={named}", f"{flow}/records?topic={named}&partition=0"),
        *("/groups", f"/groups/A-%3EB/{of_group}", "/events?level=DEBUG", "/audit"),
        *("/audit/A-%3EB?windows=all", f"/audit/A-%3EB/topics/{named}", "/canary", "/plan"),
        f"/offsets?flow=A-%3EB&side=source&topic={named}&partition=0&offset=1240",
        *(_MOVE, "/move?flow=A-%3EB&kind=promote", "/config?show=all&q=topics", "/clusters", API),
    ]


def wait_loaded(page: Page) -> None:
    """Wait until nothing of a page is awaited from a cluster."""
    expect(page.locator("h1")).to_have_count(1)
    expect(page.locator(".skeleton")).to_have_count(0)


def open_all(page: Page) -> None:
    """Open whatever a page shows only when it is asked to."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")


def open_dialog(page: Page) -> Locator | None:
    """Open what is ordered on a page last, if anything is, and give the dialog."""
    openers = page.locator(_OPENERS)
    if not openers.count():
        return None
    openers.last.click()
    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    return dialog


def show_all_fields(dialog: Locator) -> None:
    """Have a dialog show all that it can ask for."""
    dialog.evaluate("each => each.querySelectorAll('[data-for]').forEach((e) => e.hidden = false)")


def answer(dialog: Locator, tone: str, words: str) -> None:
    """
    Have a dialog say what an order came to.

    Args:
        dialog: It.
        tone: `ok`, `bad`, `less` or nothing.
        words: What it says.
    """
    dialog.locator("output").evaluate("(said, found) => tell(said, ...found)", [tone, words])
