"""What copies have gone on without: its page, a dead letter, and who may replay it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from kmirror.api.client import ApiClient
from kmirror.api.left_out import ReplayRequest
from kmirror.console.left_out import LeftOut
from kmirror.errors import ApiRefused
from tests.support import console_answers
from tests.support.chromium import NEEDS_CHROMIUM, Watched
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient

GOOD = ReplayRequest(reason="x", flow="A->B")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console whose target seems to answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeftOut, "gaps", lambda *_, **__: console_answers.left_out())
        patch.setattr(LeftOut, "letter", lambda *_: console_answers.letter())
        with serving_console(tmp_path_factory.mktemp("console")) as client:
            yield client


@NEEDS_CHROMIUM
def test_what_was_left_out(tab: Watched) -> None:
    """With offsets and reason; from there to what is kept of it, and back to its place."""
    tab.page.goto("/flows/A-%3EB")
    tab.page.get_by_role("link", name="Left out").click()
    part = tab.page.locator("#left-out")
    expect(part).to_contain_text("4 gaps, the newest first")
    expect(part).to_contain_text("<img src=x onerror")
    expect(part).to_contain_text("replayed")
    tab.assert_fits()
    part.get_by_role("link", name="7", exact=True).click()
    expect(tab.page.locator("#letter")).to_contain_text("max.message.bytes is 1,048,588")
    expect(tab.page.locator("#letter")).to_contain_text("00 01")
    tab.assert_fits()
    tab.page.get_by_role("button", name="Replay…").click()
    dialog = tab.page.locator("#replay")
    dialog.locator("[name=reason]").fill("it fits now")
    dialog.locator("[name=flow]").fill("A")
    dialog.get_by_role("button", name="Try without doing it").click()
    expect(dialog.locator("#replay-answer")).to_contain_text("the flow's name is A->B, and not A")
    tab.troubles[:] = [each for each in tab.troubles if "400" not in each]


def test_who_may_replay(tmp_path: Path) -> None:
    """Admins alone; and who may not see records sees no dead letter."""
    with serving_console(tmp_path, role="operator") as client:
        with pytest.raises(ApiRefused, match="needs the role admin") as refused:
            ApiClient(client.base).replay(GOOD)
        assert refused.value.status == 403
        assert client.get("/api/v1/flows/A-%3EB/dead-letters/7x").status == 400
    with serving_console(tmp_path, role="viewer") as client:
        assert client.get("/api/v1/flows/A-%3EB/dead-letters/7").status == 403
        assert client.get("/flows/A-%3EB/dead-letters/7").status == 403


def test_a_target_that_does_not_answer(tmp_path: Path) -> None:
    """It says so, and no empty list."""
    with serving_console(tmp_path) as client:
        reply = client.post("/api/v1/flows/A-%3EB/dead-letters/replay", {"reason": "x"})
        assert reply.status == 400
        assert "flow: is missing" in reply.json["message"]
        with pytest.raises(ApiRefused, match="cluster B") as refused:
            ApiClient(client.base).replay(GOOD)
        assert refused.value.status == 503
