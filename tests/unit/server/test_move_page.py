"""The page Move in a browser: what a move would do, then the move, step by step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from kmirror.console.moves import Moves
from tests.support import console_answers
from tests.support.chromium import NEEDS_CHROMIUM, Watched
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console whose clusters seem to answer a dry run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Moves, "plan", lambda _self, _flow, asked: console_answers.move_plan(asked))
        with serving_console(tmp_path_factory.mktemp("console")) as client:
            yield client


def test_first_it_is_looked_at(tab: Watched) -> None:
    """What would be lost, and read again, by group and partition."""
    tab.page.goto("/")
    tab.page.locator("body").press("g")
    tab.page.locator("body").press("m")
    tab.page.get_by_role("button", name="See what it would do").click()
    plan = tab.page.locator("#move-plan")
    expect(plan).to_contain_text("All 2 groups would go on at B.")
    expect(plan).to_contain_text("billing has read 20 of them on A and will read them again")
    expect(plan.locator("tbody tr:has(th[scope=row])")).to_have_count(5)
    tab.assert_fits()
    tab.page.locator("[name=kind]").select_option("promote")
    tab.page.get_by_role("button", name="See what it would do").click()
    expect(plan).to_contain_text("groups still have members on A: billing: stop these")


def test_then_it_is_done(tab: Watched) -> None:
    """With a reason and the flow's name; the page shows how it goes on, and what it looked at."""
    tab.page.goto("/move?flow=A-%3EB&kind=failover")
    tab.page.get_by_role("button", name="Failover…").click()
    dialog = tab.page.locator("#move")
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.locator("#move-answer")).to_be_empty()
    dialog.locator("[name=reason]").fill(console_answers.EVIL)
    dialog.locator("[name=flow]").fill("A")
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.locator("#move-answer")).to_contain_text("the flow's name is A->B, and not A")
    tab.troubles[:] = [each for each in tab.troubles if "400" not in each]
    dialog.locator("[name=flow]").fill("A->B")
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog).to_be_hidden()
    moves = tab.page.locator("#moves")
    expect(moves.locator(".move").first).to_contain_text("It did not come to its end.")
    expect(moves).to_contain_text("<img src=x onerror")
    # News of the move has not taken away what was looked at.
    expect(tab.page.locator("#move-plan")).to_contain_text("All 2 groups would go on at B.")
    tab.assert_fits()
