"""The laboratory's page: who may send, and how it looks in a browser, without clusters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.axe import violations
from tests.support.chromium import NEEDS_CHROMIUM, Watched, chromium
from tests.support.rest_server import RestClient
from tests.support.tryout import handed_over, serving_tryout

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def served() -> Iterator[RestClient]:
    """Serve the page of a topic whose group has a bad name."""
    with serving_tryout(handed_over(group=EVIL, arrived=4100)) as client:
        yield client


def test_pages_of_others_send_nothing(served: RestClient) -> None:
    """Not by a link, an image or a form; nor under a name that is not the server's."""
    for path in ("/send", "/send-message-by-time"):
        for site in ("cross-site", "same-site"):
            reply = served.with_headers(sec_fetch_site=site).call("GET", path)
            assert reply.status == 403
    assert served.with_headers(origin="http://evil.example").call("POST", "/stop").status == 403
    assert served.with_headers(host="evil.example").call("GET", "/").status == 421
    assert served.call("GET", "/reset").status == 405


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/send?topic=a/b", "topic: expected letters"),
        ("/send?topic=..", "topic: expected letters"),
        ("/send?records=0", "records: expected an integer from 1 to 100000"),
        ("/send-message-by-time?minutes=x", "minutes: expected an integer"),
        ("/send-message-by-time?rate=-1", "rate: expected an integer"),
        ("/?topic=%3Cb%3E", "topic: expected letters"),
    ],
)
def test_bad_input_is_named(served: RestClient, path: str, words: str) -> None:
    """What was sent, what was expected; nothing is begun."""
    reply = served.call("GET", path)
    assert reply.status == 400
    assert words in reply.text


def test_counts_for_scripts(served: RestClient) -> None:
    """The same numbers as JSON."""
    found = served.call("GET", "/count").json
    assert found["sent"] == 4200
    assert found["arrived"][1]["counted"] == {"distinct": 4100, "twice": 0, "others": 12}


@NEEDS_CHROMIUM
def test_the_page_in_a_browser(served: RestClient) -> None:
    """Words stay words, nothing is wider than the screen or keeps people out, and it follows."""
    with chromium() as browser:
        for width in (1280, 360):
            context = browser.new_context(
                base_url=served.base, viewport={"width": width, "height": 740}
            )
            tab = Watched(context.new_page())
            tab.page.goto("/")
            expect(tab.page.locator("#live")).to_have_text("live")
            expect(tab.page.locator("#groups h3")).to_have_text(EVIL)
            expect(tab.page.locator("#counts")).to_contain_text("100 to come")
            expect(tab.page.locator("#groups")).to_contain_text("6 of 6 have an owner: 3 members")
            tab.assert_fits()
            assert not violations(tab.page)
            assert not tab.troubles
