"""axe-core in a tab: what keeps somebody from using a page who sees badly, or has no mouse."""

from __future__ import annotations

import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from kmirror.jvm import JarSet, jar_folder

AXE = JarSet(name="axe", folder=Path(__file__).parent)
_SCRIPT = "axe.min.js"
# All rules but those that are experiments; none of them looks into style sheets, which `preload`
# would fetch again.
_RUN = """async (within) => (
    await axe.run(within ?? document, {resultTypes: ["violations"], preload: false})
).violations.map((each) => [each.impact, each.id, each.help, each.nodes.map((node) => node.html)])
"""
# It looks whether letters become others, on a canvas; a browser says how that would be faster.
_QUIET = """const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind) {
    return context.call(this, kind, {willReadFrequently: true});
};"""
_SHOWN = 5


@cache
def axe_script() -> str:
    """Return the script; the first call on a machine fetches it."""
    (jar,) = jar_folder(AXE, report=lambda _: None).glob("*.jar")
    with zipfile.ZipFile(jar) as found:
        (name,) = [each for each in found.namelist() if each.endswith(f"/{_SCRIPT}")]
        return found.read(name).decode()


def violations(page: Page, within: str | None = None) -> list[str]:
    """
    Return what axe-core has against a page as it is now: how bad, the rule, and where.

    Args:
        page: It.
        within: A selector of the only part of it that is looked at.
    """
    if not page.evaluate("'axe' in window"):
        # Not through the page, whose policy allows no script but its own.
        page.evaluate(f"{{ {_QUIET} }} {axe_script()}")
    found: list[Any] = page.evaluate(_RUN, within)
    return [
        f"{impact}: {rule}: {words}: {len(nodes)}: {' '.join(nodes[:_SHOWN])}"
        for impact, rule, words, nodes in found
    ]
