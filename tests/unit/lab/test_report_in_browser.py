"""The report as a real browser shows it, as wide as a telephone and as a laptop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.duplicates.result import Conditions, Peer
from kmirror_lab.report.make import make_report
from kmirror_lab.report.page import html
from kmirror_lab.report.texts import Language
from playwright.sync_api import Browser, Page

from tests.support.chromium import NEEDS_CHROMIUM
from tests.support.duplicates_run import DOUBLED, counted, run_of

_PHONE_PX, _LAPTOP_PX = 360, 1280
_LETTER_PX_MIN = 9
_LONG = "a-scenario-with-a-name-that-is-much-longer-than-any-telephone-is-wide <b>"
_USUAL = "slow-link-large-batches us-east-2.producer.request.timeout.ms="
# What a browser makes of the page.
_MEASURE = """() => {
  const letters = image => {
    const holder = document.createElement('div');
    holder.style.cssText = `position:absolute;top:0;left:0;width:${image.width}px`;
    holder.innerHTML = atob(image.currentSrc.split(',')[1]);
    const svg = holder.firstElementChild;
    svg.setAttribute('width', image.width);
    svg.removeAttribute('height');
    document.body.append(holder);
    const box = svg.getBoundingClientRect(), scale = svg.getScreenCTM().a;
    const found = [...svg.querySelectorAll('text')].map(text => {
      const at = text.getBoundingClientRect();
      return {
        size: parseFloat(getComputedStyle(text).fontSize) * scale,
        inside: at.left >= box.left - 1 && at.right <= box.right + 1
          && at.top >= box.top - 1 && at.bottom <= box.bottom + 1,
      };
    });
    holder.remove();
    return found;
  };
  const all = [...document.querySelectorAll('body *')].filter(e => !e.closest('table'));
  const seen = language => [...document.querySelectorAll(`main [lang=${language}]:not(pre)`)]
    .filter(e => e.offsetParent).length;
  return {
    width: innerWidth,
    scrolls: document.documentElement.scrollWidth,
    right: Math.max(...all.map(e => e.getBoundingClientRect().right)),
    tables: [...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth),
    headers: [...document.querySelectorAll('tbody th')].map(e => e.scrollWidth - e.clientWidth),
    pictures: [...document.images].map(letters),
    shown: {en: seen('en'), zh: seen('zh')},
    log: document.querySelector('pre').offsetParent !== null,
    title: document.title,
    language: document.documentElement.lang,
    rows: document.querySelectorAll('tbody tr').length,
    bold: document.querySelectorAll('b').length,
    asked: performance.getEntriesByType('resource').filter(e => !/^data:/.test(e.name)).length,
  };
}"""

pytestmark = NEEDS_CHROMIUM


@contextmanager
def _shown(browser: Browser, page: str, width_px: int, folder: Path) -> Iterator[Page]:
    """Open a page from its file, on a screen so wide; nothing of it is kept from other pages."""
    file = folder / f"page-{width_px}.html"
    file.write_text(page, encoding="utf-8")
    with browser.new_context(viewport={"width": width_px, "height": 3000}, locale="en") as context:
        tab = context.new_page()
        tab.goto(file.as_uri())
        yield tab


def _measured(tab: Page) -> dict[str, Any]:
    found: dict[str, Any] = tab.evaluate(_MEASURE)
    return found


def _page(*names: str) -> str:
    runs = [
        run_of(
            counted(480, 475),
            scenario=names[0],
            doubled=DOUBLED,
            died=True,
            conditions=Conditions(asked=names[0], request_timeout_ms=500, batch_bytes=131_072),
        ),
        run_of(
            counted(1_000),
            scenario=names[-1],
            conditions=Conditions(asked=names[-1], request_timeout_ms=30_000, batch_bytes=131_072),
        ),
        run_of(counted(1_000), scenario=names[0], peer=Peer.KMIRROR),
    ]
    return html(make_report(runs), list(Language))


@pytest.mark.parametrize("width_px", [_PHONE_PX, _LAPTOP_PX])
@pytest.mark.parametrize("name", ["long", "usual"])
def test_nothing_is_cut_off(browser: Browser, tmp_path: Path, name: str, width_px: int) -> None:
    """Nothing is wider than the screen, plots can be read, nothing is asked of anybody."""
    page = _page({"long": _LONG, "usual": f"{_USUAL}1000"}[name])
    with _shown(browser, page, width_px, tmp_path) as tab:
        english = _measured(tab)
        tab.locator("#show-zh").click()
        chinese = _measured(tab)
    for found in (english, chinese):
        assert found["width"] == width_px
        assert found["scrolls"] <= width_px
        assert found["right"] <= width_px
        assert all(over <= 0 for over in found["headers"]), "a name runs into the next column"
        assert len(found["pictures"]) == 3
        for letters in found["pictures"]:
            assert len(letters) > 5
            assert all(each["inside"] for each in letters)
            assert min(each["size"] for each in letters) >= _LETTER_PX_MIN
        assert (found["rows"], found["bold"], found["asked"]) == (6, 0, 0)
    if (name, width_px) == ("usual", _LAPTOP_PX):
        assert english["tables"] == [0, 0], "both fit without scrolling"


def test_one_language_at_a_time(browser: Browser, tmp_path: Path) -> None:
    """The other is chosen with a click, which is remembered."""
    with _shown(browser, _page("slow"), _PHONE_PX, tmp_path) as tab:
        first = _measured(tab)
        tab.locator("#show-zh").click()
        chosen = _measured(tab)
        tab.reload()
        again = _measured(tab)
    assert first["shown"]["en"] > 20
    assert first["shown"]["zh"] == 0
    assert first["language"] == "en"
    for found in (chosen, again):
        assert found["shown"] == {"en": 0, "zh": first["shown"]["en"]}
        assert found["language"] == "zh"
        assert found["title"] != first["title"]
        assert found["log"], "what the log says is in no language"


def test_without_scripts_it_only_switches(browser: Browser, tmp_path: Path) -> None:
    """Both languages can be read where scripts are not run; nothing is remembered."""
    bare, scripts = re.subn(r"<script>.*?</script>", "", _page("slow"), flags=re.DOTALL)
    assert scripts == 1
    with _shown(browser, bare, _PHONE_PX, tmp_path) as tab:
        first = _measured(tab)["shown"]
        tab.locator("#show-zh").click()
        chosen = _measured(tab)["shown"]
        tab.reload()
        again = _measured(tab)["shown"]
    assert chosen == {"en": 0, "zh": first["en"]}
    assert again == first
