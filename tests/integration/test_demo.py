"""`kmirror demo --keep`: what a newcomer sees in the first five minutes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from kmirror.cli.exits import Exit
from tests.support.chromium import NEEDS_CHROMIUM, Watched, chromium, save_picture
from tests.support.driver import KMIRROR, start_logged

pytestmark = [pytest.mark.kafka, pytest.mark.spark, NEEDS_CHROMIUM]

_PICTURES = Path(__file__).parents[2] / "docs" / "demo"
_SHORT = ("--seconds", "1", "--backlog", "1000")
_KEPT_S_MAX = 240.0


def test_a_demo_that_is_kept(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """It proves what it copied, shows its console, and leaves nothing behind when it ends."""
    writes = request.config.getoption("--write-outputs")
    command = [KMIRROR, "demo", "--keep", "--listen", "127.0.0.1:0", *(() if writes else _SHORT)]
    demo = start_logged(command, tmp_path / "demo.log", tmp_path / "tmp")
    try:
        address = demo.wait_for_address("the console:", timeout_s=_KEPT_S_MAX)
        assert demo.lines("^identical: "), demo.text
        with chromium() as browser:
            context = browser.new_context(
                base_url=address, viewport={"width": 1280, "height": 720}, color_scheme="light"
            )
            tab = Watched(context.new_page())
            tab.page.goto("/")
            expect(tab.page.locator("#live")).to_have_text("live")
            expect(tab.page.locator("#flows tbody th a").first).to_have_text("A→B")
            if writes:
                expect(tab.page.locator("#flows .spark")).to_be_visible()
                save_picture(tab.page, _PICTURES / "overview.png")
            tab.page.goto("/flows/A-%3EB")
            expect(tab.page.locator("#partitions")).to_contain_text("payments")
            expect(tab.page.get_by_role("button", name="Pause…").first).to_be_visible()
            if writes:
                save_picture(tab.page, _PICTURES / "flow.png")
            assert not tab.troubles
        assert demo.stop() == Exit.OK, demo.text
        assert not list(demo.temporary.glob("kmirror-run-*")), "its folder is gone"
    finally:
        demo.kill()
    found = subprocess.run(
        ["pgrep", "-f", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert not found.stdout, f"still running: {found.stdout}"


def test_a_demo_without_a_console_has_no_address() -> None:
    """What only a kept demo has is refused elsewhere."""
    command = [KMIRROR, "demo", "--listen", "127.0.0.1:0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.CONFIG
    assert "only --keep serves a console" in done.stderr
