"""The report as a real browser shows it, as wide as a telephone and as a laptop."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from duplicates_run import DOUBLED, counted, run_of

from kmirror.lab.duplicates.result import Conditions, Peer
from kmirror.lab.report.make import make_report
from kmirror.lab.report.page import html
from kmirror.lab.report.words import Language

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
_PHONE_PX, _LAPTOP_PX = 360, 1280
_LETTER_PX_MIN = 9
_LONG = "a-scenario-with-a-name-that-is-much-longer-than-any-telephone-is-wide <b>"
_USUAL = "slow-link-large-batches us-east-2.producer.request.timeout.ms="
# Added to the page: what a browser makes of it, before and after Chinese is chosen, and when the
# page is opened again.
_MEASURE = """<script>
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
const measured = () => {
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
};
addEventListener('load', () => {
  const kept = localStorage.getItem('kmirror-report-language');
  parent.postMessage(measured(), '*');
  if (kept) { localStorage.clear(); return; }
  document.querySelector('#show-zh').click();
  parent.postMessage(measured(), '*');
  if (localStorage.getItem('kmirror-report-language')) location.reload();
});
</script></body>"""
# A headless window is never as narrow as a telephone; a frame is, for media queries as well.
_OUTER = """<!DOCTYPE html><body><script>
const told = [];
addEventListener('message', message => {
  told.push(message.data);
  document.body.dataset.told = JSON.stringify(told);
});
</script><iframe src="page.html" style="width: WIDTHpx; height: 3000px; border: 0"></iframe></body>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was measured: at first, with Chinese chosen, and opened again."""

    at_first: dict[str, Any]
    chosen: dict[str, Any]
    again: dict[str, Any] | None


def _look(page: str, width_px: int, folder: Path) -> Seen:
    (folder / "page.html").write_text(page.replace("</body>", _MEASURE), encoding="utf-8")
    outer = folder / "outer.html"
    outer.write_text(_OUTER.replace("WIDTH", str(width_px)), encoding="utf-8")
    done = subprocess.run(
        [
            *(str(_BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--lang=en"),
            *("--accept-lang=en", "--virtual-time-budget=20000", "--window-size=1400,3200"),
            *(f"--user-data-dir={folder / 'profile'}", "--dump-dom", outer.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (told,) = re.findall(r'data-told="([^"]*)"', done.stdout)
    first, chosen, *again = json.loads(unescape(told))
    return Seen(at_first=first, chosen=chosen, again=again[0] if again else None)


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


@pytest.mark.skipif(_BROWSER is None, reason="no Chromium is installed")
@pytest.mark.parametrize("name", [_LONG, _USUAL + "1000"], ids=["long", "usual"])
@pytest.mark.parametrize("width_px", [_PHONE_PX, _LAPTOP_PX])
def test_nothing_is_cut_off(width_px: int, name: str, tmp_path: Path) -> None:
    """Nothing is wider than the screen, plots can be read, nothing is asked of anybody."""
    seen = _look(_page(name), width_px, tmp_path)
    for found in (seen.at_first, seen.chosen):
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
    if width_px == _LAPTOP_PX and name != _LONG:
        assert seen.at_first["tables"] == [0, 0], "both tables fit without scrolling"


@pytest.mark.skipif(_BROWSER is None, reason="no Chromium is installed")
def test_one_language_at_a_time(tmp_path: Path) -> None:
    """The other one is chosen with a click, which is remembered."""
    seen = _look(_page("slow"), _PHONE_PX, tmp_path)
    assert seen.at_first["shown"]["en"] > 20
    assert seen.at_first["shown"]["zh"] == 0
    assert seen.at_first["language"] == "en"
    assert seen.again is not None
    for found in (seen.chosen, seen.again):
        assert found["shown"] == {"en": 0, "zh": seen.at_first["shown"]["en"]}
        assert found["language"] == "zh"
        assert found["title"] != seen.at_first["title"]
        assert found["log"], "what the log says is in no language"


@pytest.mark.skipif(_BROWSER is None, reason="no Chromium is installed")
def test_without_its_script(tmp_path: Path) -> None:
    """The switch works all the same; only the memory is gone."""
    page, scripts = re.subn(r"<script>.*?</script>", "", _page("slow"), flags=re.DOTALL)
    assert scripts == 1
    seen = _look(page, _PHONE_PX, tmp_path)
    assert seen.at_first["shown"]["zh"] == seen.chosen["shown"]["en"] == 0
    assert seen.chosen["shown"]["zh"] > 20
    assert seen.again is None
