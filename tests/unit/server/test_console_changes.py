"""A page that is open while flows come, stop, and go to another worker: in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from kmirror.connect.model import TargetState
from kmirror.connect.standalone import StandaloneHerder
from kmirror.model import Flow
from kmirror.state.observed import ObservedFlow
from tests.support.chromium import NEEDS_CHROMIUM, open_tab
from tests.support.console_server import serving_workers_console
from tests.support.standing_worker import ADMIN, Standing
from tests.support.synthetic_flow import running_flow

ADMINS = "kmirror.console = 127.0.0.1:0\nkmirror.console.anonymous.role = admin\n"
FLOW = "/flows/A-%3EB"

pytestmark = NEEDS_CHROMIUM


class OneOfSome(StandaloneHerder):
    """A worker beside others."""

    has_it = ""

    def owner(self, flow: Flow) -> str:  # noqa: ARG002 - another has all or nothing here
        return self.has_it


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """
    A worker, what it runs, and a tab that shows its console.

    Args:
        standing: The worker.
        flows: What it runs.
        page: The tab.
    """

    standing: Standing
    flows: list[ObservedFlow]
    page: Page

    def have(self, state: TargetState) -> None:
        """Have the connector be in a state."""
        self.standing.herder.set_state("ours", state, ADMIN)


@pytest.fixture
def scene(browser: Browser, tmp_path: Path) -> Iterator[Scene]:
    """Give a worker without connectors; at its end the tab has nothing to complain of."""
    standing = Standing(tmp_path, OneOfSome, ADMINS)
    flow = running_flow(Flow("A", "B"), topics=2, partitions=3, now_ms=time.time_ns() // 1_000_000)
    flows = [flow]
    with serving_workers_console(standing.config, standing.herder, flows) as client:
        for tab in open_tab(browser, client.base, 1280):
            yield Scene(standing=standing, flows=flows, page=tab.page)
            # That is how a browser says that it was told so.
            tab.troubles[:] = [each for each in tab.troubles if "404" not in each]


def test_the_first_flow_comes(scene: Scene) -> None:
    """And the last one goes: each time the page is that of what is there."""
    page = scene.page
    page.goto("/")
    expect(page.locator("h1")).to_have_text("No flow yet")
    scene.standing.create("ours")
    expect(page.locator("#flows tbody th")).to_contain_text("A→B")
    expect(page.locator("#topology")).to_be_visible()
    expect(page.locator("h1")).not_to_have_text("No flow yet")
    expect(page.locator("#flows .dashes summary")).to_be_visible()
    scene.standing.herder.delete("ours", ADMIN)
    expect(page.locator("h1")).to_have_text("No flow yet")
    expect(page.locator("#flows")).to_have_count(0)
    expect(page.locator("#live")).to_have_text("live")


def test_a_flow_is_stopped_and_goes_on(scene: Scene) -> None:
    """Its old table is not shown as if it were new; what is ordered there can be ordered again."""
    page = scene.page
    scene.standing.create("ours")
    page.goto(FLOW)
    expect(page.locator("#partitions tbody tr")).to_have_count(6)
    scene.have(TargetState.STOPPED)
    expect(page.get_by_text("No worker runs it")).to_be_visible()
    expect(page.locator("#partitions")).to_have_count(0)
    expect(page.locator("[data-order]")).to_have_count(0)
    scene.have(TargetState.RUNNING)
    expect(page.locator("#partitions tbody tr")).to_have_count(6)
    page.locator("[type=search]").fill("topic-0001")
    expect(page.locator("#partitions tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Order for topic-0001-1").click()
    expect(page.locator("#order")).to_be_visible()


def test_a_page_of_a_flow_that_is_stopped_gets_its_scripts(scene: Scene) -> None:
    """It had no dialog for orders, and has it when the flow runs."""
    page = scene.page
    scene.standing.create("ours", TargetState.STOPPED)
    page.goto(FLOW)
    expect(page.get_by_text("No worker runs it")).to_be_visible()
    scene.have(TargetState.RUNNING)
    page.get_by_role("button", name="Order for topic-0001-1").click()
    expect(page.locator("#order")).to_be_visible()


def test_another_has_the_flow(scene: Scene) -> None:
    """It is named, and the flow is there again when it is back; what was typed stays."""
    page = scene.page
    scene.standing.create("ours")
    page.goto(FLOW)
    expect(page.locator("#partitions tbody tr")).to_have_count(6)
    (flow,) = scene.flows
    scene.flows.clear()
    expect(page.get_by_text("A->B is not driven here, or not known yet")).to_be_visible()
    expect(page.locator("table")).to_have_count(0)
    scene.standing.herder.has_it = "other:8083"
    expect(page.get_by_text("other:8083 has it").first).to_be_visible()
    assert page.title().startswith("Not found")
    scene.flows.append(flow)
    expect(page.locator("#partitions tbody tr")).to_have_count(6)
    assert page.title().startswith("A->B")
    expect(page.locator("#live")).to_have_text("live")


def test_who_is_in_a_part_that_stays_is_there_still(scene: Scene) -> None:
    """Other parts go; the focus, and what is open, do not."""
    page = scene.page
    scene.standing.create("ours")
    page.goto(FLOW)
    head = page.locator("#flow-head .dashes summary").first
    head.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#flow-head .dashes[open]")).to_have_count(1)
    page.evaluate("document.getElementById('charts').remove()")
    expect(page.locator("#charts")).to_be_visible()
    expect(page.locator("#flow-head .dashes[open]")).to_have_count(1)
    expect(head).to_be_focused()
